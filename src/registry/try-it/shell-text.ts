/** A text of which parts stand for variables whose values nobody is shown. */
export type ShownText = readonly (string | { readonly variable: string })[];

const VARIABLE = /\{env\.(\w+)(?::[^}]*)?\}/g;

/**
 * A setting of the project file as it may be shown: variables whose values are no secrets filled in, others by
 * their names. What is written out in the file may be a credential itself.
 */
export function shownSetting(written: string, open: Readonly<Record<string, string>>): ShownText {
  const parts: (string | { readonly variable: string })[] = [];
  let end = 0;
  for (const found of written.matchAll(VARIABLE)) {
    const [whole, name = ''] = found;
    parts.push(
      written.slice(end, found.index),
      Object.hasOwn(open, name) ? (open[name] ?? '') : { variable: name },
    );
    end = found.index + whole.length;
  }
  return end === 0 ? [HIDDEN] : [...parts, written.slice(end)].filter((part) => part !== '');
}

const HIDDEN = '<hidden>';

export function plainText(text: ShownText): string {
  return text.map((part) => (typeof part === 'string' ? part : `$${part.variable}`)).join('');
}

/** One word of a shell's command: whatever is in it, only the variables are anything but themselves. */
export function shellWord(text: ShownText): string {
  let word = '';
  let plain = '';
  for (const part of text) {
    if (typeof part === 'string') plain += part;
    else {
      word += `${plain === '' ? '' : quoted(plain)}"$${part.variable}"`;
      plain = '';
    }
  }
  return plain === '' && word !== '' ? word : word + quoted(plain);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
