/**
 * A pattern that finds, without the flag `i`, what the given one finds with it: each letter becomes a class of all
 * its cases. V8's linear engine does not have the flag.
 *
 * The pattern must be a regular expression without the flag `u`. Undefined where it has what cannot be written so:
 * back-references, octal escapes and modifiers. Letters are the same as ECMAScript's Canonicalize makes them (22.2.2.7.3).
 */
export function withoutCase(pattern: string): string | undefined {
  const tokens = pattern.match(TOKEN) ?? [];
  return tokens.some(isUnwritable) ? undefined : tokens.map(rewrite).join('');
}

const ESCAPE = String.raw`\\(?:u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[a-zA-Z]|0\d|[^])`;
const CLASS = String.raw`\[\^?(?:\\[^]|[^\]\\])*\]`;
const GROUP = String.raw`\((?:\?(?:<?[=!]|:|<[^>]*>)?)?`;
const TOKEN = new RegExp(`${CLASS}|${ESCAPE}|${GROUP}|[^]`, 'g');
const ATOM = new RegExp(`${ESCAPE}|[^]`, 'g');

/** `(?` without what may follow it begins a modifier. */
function isUnwritable(token: string): boolean {
  if (token.startsWith('[')) return atomsOf(token).some((atom) => AMBIGUOUS.test(atom));
  return token === '(?' || AMBIGUOUS.test(token);
}

/** A digit may be that of a group or of a character, which only the whole pattern tells. */
const AMBIGUOUS = /^\\(?:[1-9]|0\d|k|c$)/;
const SETS = /^\\[dDwWsS]$/;
const ASSERTIONS = /^\\[bB]$/;
const CONTROLS: Readonly<Record<string, number>> = { b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, 0: 0 };

function rewrite(token: string): string {
  if (token.startsWith('[')) return rewriteClass(token);
  if (token.startsWith('(') || SETS.test(token) || ASSERTIONS.test(token)) return token;
  const cases = casesOf(codeOf(token));
  return cases.length > 1 ? `[${cases.map(escaped).join('')}]` : token;
}

function rewriteClass(token: string): string {
  return `${startOf(token)}${rewriteAtoms(atomsOf(token))}]`;
}

function atomsOf(token: string): readonly string[] {
  return token.slice(startOf(token).length, -1).match(ATOM) ?? [];
}

function startOf(token: string): string {
  return token.startsWith('[^') ? '[^' : '[';
}

/** What stands around a hyphen belongs together. */
function rewriteAtoms(atoms: readonly string[]): string {
  const written: string[] = [];
  for (let index = 0; index < atoms.length; index += 1) {
    const [first = '', hyphen, last] = atoms.slice(index, index + 3);
    const isRange = hyphen === '-' && last !== undefined;
    written.push(isRange ? rewritePair(first, last) : rewriteAtom(first));
    if (isRange) index += 2;
  }
  return written.join('');
}

/** A range, unless one of both stands for several characters. */
function rewritePair(first: string, last: string): string {
  return SETS.test(first) || SETS.test(last)
    ? [first, '-', last].map(rewriteAtom).join('')
    : rewriteRange(codeOf(first), codeOf(last));
}

function rewriteAtom(atom: string): string {
  return SETS.test(atom) ? atom : casesOf(codeOf(atom)).map(escaped).join('');
}

/** The range, and the other cases of its letters. */
function rewriteRange(from: number, to: number): string {
  const others = [...letters()].filter(
    ([code, cases]) => (code < from || code > to) && cases.some((each) => each >= from && each <= to),
  );
  return `${escaped(from)}-${escaped(to)}${others.map(([code]) => escaped(code)).join('')}`;
}

/** The code unit that a character or its escape stands for. */
function codeOf(token: string): number {
  if (!token.startsWith('\\') || token.length === 1) return token.charCodeAt(0);
  const [kind, digits] = [token.charAt(1), token.slice(2)];
  if (digits === '') return CONTROLS[kind] ?? kind.charCodeAt(0);
  return kind === 'c' ? digits.charCodeAt(0) % 32 : Number.parseInt(digits, 16);
}

function escaped(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`;
}

function casesOf(code: number): readonly number[] {
  return letters().get(code) ?? [code];
}

let known: ReadonlyMap<number, readonly number[]> | undefined;

/** Each letter that has other cases, and all of its cases: looked for once, when it is first asked for. */
function letters(): ReadonlyMap<number, readonly number[]> {
  known ??= findLetters();
  return known;
}

function findLetters(): ReadonlyMap<number, readonly number[]> {
  const cases = Map.groupBy(
    Array.from({ length: 0x10000 }, (_, code) => code),
    canonical,
  );
  const several = [...cases.values()].filter((codes) => codes.length > 1);
  return new Map(several.flatMap((codes) => codes.map((code) => [code, codes] as const)));
}

/** Canonicalize: the upper case where that is one code unit, and not an ASCII one of another letter. */
function canonical(code: number): number {
  const upper = String.fromCharCode(code).toUpperCase();
  const isOther = upper.length !== 1 || (code >= 128 && upper.charCodeAt(0) < 128);
  return isOther ? code : upper.charCodeAt(0);
}
