import { RE2JS } from 're2js';
import { re2Syntax } from './re2-syntax.ts';

/** A regular expression that never backtracks. */
export interface SafeRegExp {
  /** Whether it is found in the text: in the worst case each character takes as many steps as the pattern is large. */
  test(text: string): boolean;
  readonly size: number;
}

/** Characters by property or by a long number. */
const UNICODE_ONLY = /\\p\{|\\u\{/i;

/**
 * An ECMAScript regular expression with any of the flags i, m and s, to be matched by RE2. Characters are those of
 * Unicode, and so are the cases of letters.
 *
 * Undefined where it is malformed, needs backtracking, as lookaround and back-references do, or names characters as
 * only expressions of another mode can.
 */
export function safeRegExp(pattern: string, flags: string): SafeRegExp | undefined {
  if (!isWellFormed(pattern) || UNICODE_ONLY.test(pattern)) return undefined;
  const source = re2Syntax(pattern, flags);
  const expression = source === undefined ? undefined : compile(source, flags);
  return expression && { test: (text) => expression.test(text), size: expression.programSize() };
}

/** Steps of some ten nanoseconds that a match may take where nobody counts them. */
const FEW_STEPS = 1_000_000;

/** Whether the pattern is found in the text; undefined where that may take long to tell. */
export function matchesSafely(pattern: SafeRegExp, text: string): boolean | undefined {
  return text.length * pattern.size > FEW_STEPS ? undefined : pattern.test(text);
}

/** The one that is made here is never run. */
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
