/** The depth to which arrays and objects may nest in the JSON of a request. */
export const MAX_JSON_DEPTH = 64;

/** Whether a text of JSON nests deeper; counted before parsing, so that nothing deep is ever built. */
export function isTooDeep(text: string): boolean {
  let depth = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (quoted && character === '\\') index++;
    else if (character === '"') quoted = !quoted;
    else if (quoted) continue;
    else if (character === '{' || character === '[') depth++;
    else if (character === '}' || character === ']') depth--;
    if (depth > MAX_JSON_DEPTH) return true;
  }
  return false;
}
