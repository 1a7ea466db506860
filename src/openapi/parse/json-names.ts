import type { TextPlace } from './text-place.ts';

interface SecondName extends TextPlace {
  readonly name: string;
}

/** The names of the object that a place is in; none for a list. */
type Names = Set<string> | undefined;

/**
 * Finds the first name that stands twice in one object of a JSON text; of such names JSON's parser takes
 * the last without a word. The text must be well-formed.
 */
export function findSecondName(text: string): SecondName | undefined {
  const around: Names[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '{') around.push(new Set());
    else if (character === '[') around.push(undefined);
    else if (character === '}' || character === ']') around.pop();
    else if (character === '"') {
      const end = endOfString(text, at);
      const name = isName(text, end) ? nameOf(text.slice(at + 1, end - 1)) : undefined;
      if (name !== undefined && around.at(-1)?.has(name)) return { name, ...placeOf(text, at) };
      if (name !== undefined) around.at(-1)?.add(name);
      at = end - 1;
    }
  }
  return undefined;
}

/** What is written between quotation marks. */
function nameOf(written: string): string {
  return written.includes('\\') ? String(JSON.parse(`"${written}"`)) : written;
}

/** Just behind the closing quotation mark of the string that begins there. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

const COLON_NEXT = /\s*:/y;

function isName(text: string, end: number): boolean {
  COLON_NEXT.lastIndex = end;
  return COLON_NEXT.test(text);
}

function placeOf(text: string, at: number): TextPlace {
  const before = text.slice(0, at);
  return { line: before.split('\n').length, column: at - before.lastIndexOf('\n') };
}
