import { jsonTokens } from '../../../engine/input/json-tokens.ts';

/**
 * The texts of the member `body` of each object in the array `requests`, by its place in there: a body goes on
 * as it was written, with all its digits. The text is well-formed JSON.
 */
export function bodyTexts(text: string): ReadonlyMap<number, string> {
  const texts = new Map<number, string>();
  /** The name of the member that is open, by depth. */
  const names: string[] = [];
  let depth = 0;
  let index = -1;
  let word = '';
  let start: number | undefined;
  for (const { text: token, at } of jsonTokens(text)) {
    const isWithin = depth === REQUEST && names[LIST] === 'requests';
    if (token === '{' || token === '[') {
      depth += 1;
      if (depth === REQUEST) index += 1;
    } else if (token === ':') {
      names[depth] = JSON.parse(word);
      if (depth === LIST && names[LIST] === 'requests') {
        // Of members with the same name, the last one counts.
        texts.clear();
        index = -1;
      }
      if (isWithin && names[REQUEST] === 'body') start = at + 1;
    } else if (token.startsWith('"')) {
      word = token;
    } else {
      if (isWithin && start !== undefined) texts.set(index, text.slice(start, at).trim());
      if (isWithin) start = undefined;
      if (token !== ',') depth -= 1;
    }
  }
  return texts;
}

/** How deep the member `requests`, and how deep the members of a request are. */
const LIST = 1;
const REQUEST = 3;
