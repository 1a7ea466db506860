/** Maximum nesting of arrays and objects in a request's JSON. */
const MAX_DEPTH = 64;

/** Maximum number of members of one object. More would take longer to look up than to send. */
const MAX_MEMBERS = 10_000;

/**
 * The limit that a JSON text exceeds, if any. Counted before parsing, so that no deep or wide value is ever
 * built.
 */
export function jsonExcess(text: string): string | undefined {
  // The counts of the open objects and arrays, the innermost last.
  const members: number[] = [];
  let quoted = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (quoted && character === '\\') index++;
    else if (character === '"') quoted = !quoted;
    else if (quoted) continue;
    else if (character === '{' || character === '[') members.push(0);
    else if (character === '}' || character === ']') members.pop();
    else if (character === ':') {
      const count = (members.pop() ?? 0) + 1;
      if (count > MAX_MEMBERS) return `${MAX_MEMBERS} members in one object`;
      members.push(count);
    }
    if (members.length > MAX_DEPTH) return `${MAX_DEPTH} levels of nesting`;
  }
  return undefined;
}
