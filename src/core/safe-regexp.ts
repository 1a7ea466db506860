import { RE2JS } from 're2js';

/** A regular expression that never backtracks. */
export interface SafeRegExp {
  /**
   * True if the pattern matches somewhere in the text: in the worst case, each character takes as many steps
   * as the pattern's size.
   */
  test(text: string): boolean;
  readonly size: number;
}

/** Syntax of the Unicode mode only: properties and long code points. */
const UNICODE_ONLY = /\\p\{|\\u\{/i;

/**
 * Compiles an ECMAScript regular expression with the flags i, m and s for RE2, in terms of Unicode
 * characters.
 *
 * Undefined if it is malformed, needs backtracking (lookaround, back-references), or uses syntax of another
 * mode.
 */
export function safeRegExp(pattern: string, flags: string): SafeRegExp | undefined {
  if (!isWellFormed(pattern) || UNICODE_ONLY.test(pattern)) return undefined;
  const source = re2Syntax(pattern, flags);
  const expression = source === undefined ? undefined : compile(source, flags);
  return expression && { test: (text) => expression.test(text), size: expression.programSize() };
}

/** Steps, of about ten nanoseconds each, that a match may take without a budget. */
const FEW_STEPS = 1_000_000;

/** Whether the pattern matches; undefined if the match could take too long. */
export function matchesSafely(pattern: SafeRegExp, text: string): boolean | undefined {
  return text.length * pattern.size > FEW_STEPS ? undefined : pattern.test(text);
}

/** Compiles the pattern with the native engine, but never runs it. */
export function isWellFormed(pattern: string): boolean {
  try {
    return new RegExp(pattern) instanceof RegExp;
  } catch {
    return false;
  }
}

function compile(source: string, flags: string): RE2JS | undefined {
  try {
    return RE2JS.compile(source, flagsOf(flags));
  } catch {
    return undefined;
  }
}

function flagsOf(flags: string): number {
  return (
    (flags.includes('i') ? RE2JS.CASE_INSENSITIVE : 0) |
    (flags.includes('m') ? RE2JS.MULTILINE : 0) |
    (flags.includes('s') ? RE2JS.DOTALL : 0)
  );
}

/** White space (ECMAScript, 22.2.2.9) and its complement, up to the last code point. */
const SPACES =
  '\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const NO_SPACES =
  '\\x00-\\x08\\x0e-\\x1f!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}' +
  '\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';
const NO_LINE_END = '[^\\n\\r\\x{2028}\\x{2029}]';

const ESCAPE = /\\(?:u[\da-f]{4}|x[\da-f]{2}|c[a-z]|[\s\S])/gi;
const TOKEN = /\\(?:u[\da-f]{4}|x[\da-f]{2}|c[a-z]|[\s\S])|\[\^?(?:\\[\s\S]|[^\]\\])*\]|\./gi;

/**
 * Translates a well-formed ECMAScript regular expression without flags to RE2's syntax. Undefined for
 * back-references and octal escapes, which RE2 lacks.
 */
function re2Syntax(pattern: string, flags: string): string | undefined {
  const tokens = pattern.match(TOKEN) ?? [];
  if (tokens.some(isUnwritable)) return undefined;
  return pattern.replace(TOKEN, (token) => {
    if (token === '.') return flags.includes('s') ? token : NO_LINE_END;
    return token.startsWith('[') ? inClass(token) : escaped(token, (set) => `[${set}]`);
  });
}

function isUnwritable(token: string): boolean {
  const escapes = token.startsWith('[') ? (token.match(ESCAPE) ?? []) : [token];
  return escapes.some((each) => /^\\(?:[1-9k]|0\d|c$)/.test(each));
}

/** RE2 has no other spelling for the empty class and the class of all characters. */
function inClass(token: string): string {
  if (token === '[]') return '[^\\x00-\\x{10ffff}]';
  if (token === '[^]') return '[\\x00-\\x{10ffff}]';
  const start = token.startsWith('[^') ? '[^' : '[';
  const inner = token.slice(start.length, -1);
  const written = inner.replace(/\\(?:u[\da-f]{4}|x[\da-f]{2}|c[a-z]|[\s\S])|\[/gi, (part) => {
    if (part === '[') return '\\[';
    return part === '\\b' ? '\\x08' : escaped(part, (set) => set);
  });
  return `${start}${written}]`;
}

function escaped(token: string, ofSet: (set: string) => string): string {
  const [kind, digits] = [token.charAt(1), token.slice(2)];
  if (kind === 's') return ofSet(SPACES);
  if (kind === 'S') return ofSet(NO_SPACES);
  if (digits !== '') return codePoint(kind === 'c' ? digits.charCodeAt(0) % 32 : Number.parseInt(digits, 16));
  if (kind === '0') return codePoint(0);
  // Other escaped letters represent themselves.
  return /[a-z]/i.test(kind) && !/[bBdDfnrtvwW]/.test(kind) ? kind : token;
}

function codePoint(code: number): string {
  return `\\x{${code.toString(16)}}`;
}

/** False also for a pattern that cannot be checked. */
export function matchesPattern(pattern: string, text: string): boolean {
  const expression = safeRegExp(pattern, '');
  return expression !== undefined && matchesSafely(expression, text) === true;
}
