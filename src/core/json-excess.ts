/** The depth to which arrays and objects may nest in the JSON of a request. */
const MAX_DEPTH = 64;

/** The most members of one object. More take longer to look up than they take to send. */
const MAX_MEMBERS = 10_000;

/**
 * The bound that a text of JSON exceeds; undefined if none. Counted before parsing, so that nothing deep or wide is ever
 * built.
 */
export function jsonExcess(text: string): string | undefined {
  // Counts for the objects and arrays that are open, the innermost last.
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
