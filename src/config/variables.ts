/** The variables as they were given, and where to say what is wrong with them. */
export interface Variables {
  /** The value, or undefined where the variable is missing or empty: compose files pass on what is unset as ''. */
  readonly get: (name: string) => string | undefined;
  /** Notes a mistake and goes on, so that all of them are reported together. */
  readonly reject: (mistake: string) => void;
}

interface Range {
  readonly fallback: number;
  readonly least: number;
  readonly most: number;
}

export function readWholeNumber(variables: Variables, name: string, range: Range): number {
  const text = variables.get(name);
  if (text === undefined) return range.fallback;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= range.least && value <= range.most) return value;
  variables.reject(
    `${name} must be a whole number from ${range.least} to ${range.most}, but is ${quote(text)}`,
  );
  return range.fallback;
}

export function readChoice<Choice extends string>(
  variables: Variables,
  name: string,
  choices: readonly Choice[],
  fallback: Choice,
): Choice {
  const text = variables.get(name);
  if (text === undefined) return fallback;
  const choice = choices.find((candidate) => candidate === text);
  if (choice === undefined) {
    variables.reject(`${name} must be one of ${choices.join(', ')}, but is ${quote(text)}`);
  }
  return choice ?? fallback;
}

/**
 * The URL without a slash at its end, so that paths can be put behind it.
 *
 * A credential in it would end up in logs and links, a query or a fragment in the middle of the URLs that
 * are made from it. The message repeats none of it, because it may hold a password.
 */
export function readHttpUrl(variables: Variables, name: string): string | undefined {
  const text = variables.get(name);
  if (text === undefined) return undefined;
  const mistake = mistakeInHttpUrl(text);
  if (mistake === undefined) return new URL(text).href.replace(/\/+$/, '');
  variables.reject(`${name} ${mistake}`);
  return undefined;
}

function mistakeInHttpUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:\/\//i.test(text)) return 'must be an http or https URL';
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or password';
  return /[?#]/.test(text) ? 'must not have a query or a fragment' : undefined;
}

/** A value that travels as a header: anything but printable latin-1 would be cut off, or start another header. */
export function readHeaderValue(variables: Variables, name: string, fallback: string): string {
  const text = variables.get(name);
  if (text === undefined) return fallback;
  if (/^[\x20-\x7e\xa0-\xff]+$/.test(text) && text.trim() === text && text.length <= 256) return text;
  variables.reject(`${name} must be 1 to 256 printable latin-1 characters without spaces around them`);
  return fallback;
}

/** What stands between commas. The message repeats none of it, because it may hold a password. */
export function readList(
  variables: Variables,
  name: string,
  expected: string,
  accepts: (text: string) => boolean,
): readonly string[] {
  const items = (variables.get(name) ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
  const wrong = items.findIndex((item) => !accepts(item));
  if (wrong >= 0) {
    variables.reject(`${name} must be ${expected} with commas between them, but item ${wrong + 1} is not`);
  }
  return items;
}

/** What was found, short enough for a message and with its control characters escaped. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}
