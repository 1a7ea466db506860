import { LRUCache } from 'lru-cache';
import { linearExpression } from '../../../contract/linear-expression.ts';
import type { CallSite } from '../functions/signature.ts';
import { splitCounts } from '../split-counts.ts';
import { withoutCase } from './ignore-case.ts';

/** Characters of a pattern: time grows with the product of the pattern's length and the text's. */
const MAXIMUM_LENGTH = 256;
/** What one run of a query may spend on matching, in milliseconds. */
const MAXIMUM_TIME = 1000;
/** Those of ECMAScript that say what a pattern means, each at most once. */
const FLAGS = /^(?!.*(.).*\1)[ims]*$/;
/** How many patterns that rows have are kept compiled. */
const KEPT_PATTERNS = 100;

/**
 * Compiles the pattern of `matchesPattern` (5.1.1.7.1), an unanchored ECMAScript regular expression.
 *
 * It runs on V8's linear engine (flag `l`), which never backtracks: what a client sends may not take
 * exponential time. A pattern that needs backtracking (lookahead, backreferences, groups counted above 16) is
 * NotImplemented; a malformed pattern, and one that takes more than a second in a run,
 * is a BadRequest.
 */
export function compilePattern(pattern: string, flags: string, site: CallSite): (text: string) => boolean {
  if (pattern.length > MAXIMUM_LENGTH) {
    return site.fail(
      `'matchesPattern' expects at most ${MAXIMUM_LENGTH} characters, found ${pattern.length}`,
    );
  }
  if (!FLAGS.test(flags))
    return site.fail(`'matchesPattern' expects the flags i, m and s, found '${flags.slice(0, 20)}'`);
  const expression = expressionOf(pattern, flags, site);
  return (text) => timed(site, () => expression.test(text));
}

/** The same for patterns that only the rows tell: the last of them are kept, and compiling counts as matching. */
export function compilePatterns(site: CallSite): (text: string, pattern: string, flags: string) => boolean {
  const known = new LRUCache<string, (text: string) => boolean>({ max: KEPT_PATTERNS });
  return (text, pattern, flags) => {
    const key = `${flags}/${pattern}`;
    const matches = known.get(key) ?? timed(site, () => compilePattern(pattern, flags, site));
    known.set(key, matches);
    return matches(text);
  };
}

function timed<Result>(site: CallSite, run: () => Result): Result {
  const start = performance.now();
  const result = run();
  spendTime(site, performance.now() - start);
  return result;
}

function expressionOf(pattern: string, flags: string, site: CallSite): RegExp {
  // This one is only made to see whether it can be, and never run.
  if (!isWellFormed(pattern)) {
    return site.fail(`'matchesPattern' expects a regular expression, found a malformed one`);
  }
  const known = flags.replace('i', '');
  const source = flags.includes('i') ? withoutCase(pattern) : pattern;
  const expression =
    source === undefined
      ? undefined
      : (linearExpression(source, known) ?? linearExpression(splitCounts(source), known));
  return expression ?? site.refuse(`'matchesPattern' with a pattern that cannot be matched in linear time`);
}

function isWellFormed(pattern: string): boolean {
  try {
    return new RegExp(pattern) instanceof RegExp;
  } catch {
    return false;
  }
}

function spendTime({ moment, fail }: CallSite, milliseconds: number): void {
  moment.patternTime += milliseconds;
  if (moment.patternTime > MAXIMUM_TIME) {
    fail(`'matchesPattern' takes longer than ${MAXIMUM_TIME} ms`);
  }
}
