/** A string with its quotes, or a character that separates, and where it starts. */
export interface JsonToken {
  readonly text: string;
  readonly at: number;
}

/**
 * The tokens of well-formed JSON but for numbers and words. Strings are not matched by an expression: the engine
 * keeps a step for each escape, and a body of some mebibytes has more of them than fit.
 */
export function* jsonTokens(json: string): Generator<JsonToken> {
  const start = /["{}[\],:]/g;
  for (let found = start.exec(json); found !== null; found = start.exec(json)) {
    const at = found.index;
    const end = found[0] === '"' ? stringEnd(json, at) : at + 1;
    yield { text: json.slice(at, end), at };
    start.lastIndex = end;
  }
}

/** Behind the next quote that no backslash stands for. */
function stringEnd(json: string, start: number): number {
  for (let quote = json.indexOf('"', start + 1); quote >= 0; quote = json.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (json[quote - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
  }
  return json.length;
}
