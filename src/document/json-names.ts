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
    switch (text[at]) {
      case '{':
        around.push(new Set());
        break;
      case '[':
        around.push(undefined);
        break;
      case '}':
      case ']':
        around.pop();
        break;
      case '"': {
        const end = endOfString(text, at);
        const names = around.at(-1);
        if (names !== undefined && isName(text, end)) {
          const name = String(JSON.parse(text.slice(at, end)));
          if (names.has(name)) return { name, ...placeOf(text, at) };
          names.add(name);
        }
        at = end - 1;
      }
    }
  }
  return undefined;
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
