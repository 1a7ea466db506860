import { GatewayError } from '../../contract/gateway-error.ts';
import type { UrlLimits } from './limits.ts';
import { parseQueryOptions } from './query-options.ts';

const BETWEEN_WORDS = /\w\+\w/;
const SEARCH = /(?:^|&)(?:\$|%24)?search=(?!'|%27)([^&]*)/i;
const PHRASES = /(?:"|%22)(?:(?!"|%22).)*(?:"|%22)/g;

/**
 * The target with `%20` for every `+` of its query, where the client has written blanks as forms do.
 *
 * Part 2, 2.1 leaves open what a `+` is. One that stands where the grammar wants or allows white space can be
 * nothing but a blank, and then all of them are, in literals, too: such a client writes a plus as `%2B`.
 * Where none stands so, as in `'a+b'` and in the offset of a time, they are pluses.
 */
export function withoutFormBlanks(target: string, limits: UrlLimits): string {
  const mark = target.indexOf('?');
  if (mark < 0 || !target.includes('+', mark)) return target;
  const query = target.slice(mark + 1);
  return isFormEncoded(query, limits) ? target.slice(0, mark + 1) + formBlanks(query) : target;
}

/** What forms write as `+` (URL Standard, 5.1), as URLs do. */
export function formBlanks(encoded: string): string {
  return encoded.replaceAll('+', '%20');
}

/** What cannot be read in either way is told as what the client seems to mean: it has + between words, and no %20. */
function isFormEncoded(query: string, limits: UrlLimits): boolean {
  if (isReadable(query, limits)) return separatesTerms(query);
  const isLikely = BETWEEN_WORDS.test(query) && !query.includes('%20');
  return isLikely || isReadable(formBlanks(query), limits);
}

/** Terms of a search can have any character, but no one who writes `red+green` looks for the plus. */
function separatesTerms(query: string): boolean {
  return SEARCH.exec(query)?.[1]?.replaceAll(PHRASES, '').includes('+') ?? false;
}

function isReadable(query: string, limits: UrlLimits): boolean {
  try {
    parseQueryOptions(query, limits);
    return true;
  } catch (error) {
    if (error instanceof GatewayError) return false;
    throw error;
  }
}
