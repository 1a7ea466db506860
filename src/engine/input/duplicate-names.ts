import { pathTo } from './mistakes.ts';

/** A member that its object has already. */
interface Duplicate {
  readonly name: string;
  /** The path, such as `Items/0/Product`. */
  readonly path: string;
}

/** An object or an array that has not ended, and where in it the text is. */
interface Level {
  /** The names that the object has so far; undefined in an array. */
  readonly names: Set<string> | undefined;
  step: string | number;
}

/** The names that an object of the JSON text, which is well-formed, has more than once. */
export function duplicateNames(text: string): readonly Duplicate[] {
  const open: Level[] = [];
  const found: Duplicate[] = [];
  let isName = false;
  for (const { text: token } of jsonTokens(text)) {
    const level = open.at(-1);
    if (token === '{') open.push({ names: new Set(), step: '' });
    else if (token === '[') open.push({ names: undefined, step: 0 });
    else if (token === '}' || token === ']') open.pop();
    else if (token === ',' && typeof level?.step === 'number') level.step += 1;
    else if (isName && level?.names !== undefined && token.startsWith('"')) {
      const name = String(JSON.parse(token));
      level.step = name;
      if (level.names.has(name))
        found.push({ name, path: open.reduce((path, { step }) => pathTo(path, step), '') });
      level.names.add(name);
    }
    isName = token === '{' || (token === ',' && level?.names !== undefined);
  }
  return found;
}

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

/** The position behind the next quote that no backslash escapes. */
function stringEnd(json: string, start: number): number {
  for (let quote = json.indexOf('"', start + 1); quote >= 0; quote = json.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (json[quote - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
  }
  return json.length;
}
