import { LRUCache } from 'lru-cache';
import { isWellFormed, type SafeRegExp, safeRegExp } from '../../contract/safe-regexp.ts';
import type { CallSite } from './signature.ts';

/** Characters of a pattern. */
const MAXIMUM_LENGTH = 256;
/** Those of ECMAScript that say what a pattern means, each at most once. */
const FLAGS = /^(?!.*(.).*\1)[ims]*$/;
/** How many patterns that rows have are kept compiled. */
const KEPT_PATTERNS = 100;

/**
 * Compiles the pattern of `matchesPattern` (5.1.1.7.1), an unanchored ECMAScript regular expression.
 *
 * It is matched by RE2, which never backtracks: time grows with the product of the pattern's size and the text's
 * length, which is charged. A pattern that needs backtracking (lookaround, back-references) is NotImplemented, and a
 * malformed one is a BadRequest.
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
  const { current } = site;
  return (text) => {
    current.budget.chargeMatch(text.length, expression.size);
    return expression.test(text);
  };
}

/**
 * Compiles `matchesPattern` for patterns that only the rows tell: the last of them are kept, and compiling is
 * charged as matching is.
 */
export function compilePatterns(site: CallSite): (text: string, pattern: string, flags: string) => boolean {
  const known = new LRUCache<string, (text: string) => boolean>({ max: KEPT_PATTERNS });
  const { current } = site;
  return (text, pattern, flags) => {
    const key = `${flags}/${pattern}`;
    const before = known.get(key);
    if (before !== undefined) return before(text);
    current.budget.chargeMatch(pattern.length, MAXIMUM_LENGTH);
    const matches = compilePattern(pattern, flags, site);
    known.set(key, matches);
    return matches(text);
  };
}

function expressionOf(pattern: string, flags: string, site: CallSite): SafeRegExp {
  if (!isWellFormed(pattern)) {
    return site.fail(`'matchesPattern' expects a regular expression, found a malformed one`);
  }
  const expression = safeRegExp(pattern, flags);
  return expression ?? site.refuse(`'matchesPattern' with a pattern that cannot be matched in linear time`);
}
