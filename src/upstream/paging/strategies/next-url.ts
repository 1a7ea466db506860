import { badResponse } from '../../exchange/upstream-failure.ts';
import { LONGEST, type PagePlace, type PagingStrategy, parameterOf } from '../paging-strategy.ts';

/** A URL in the body. */
export const nextUrl: PagingStrategy = {
  read({ paging, place }, { value, rank }, { sent }) {
    const isUrlRank = rank === 'url' || rank === 'either';
    const isUrl =
      ABSOLUTE.test(value) ||
      (REFERENCE.test(value) && (isUrlRank || parameterOf(paging, 'cursor') === undefined));
    return isUrl ? { kind: 'target', target: nextTarget(place, value, sent) } : undefined;
  },
};

/** A reference that cannot be a cursor; the letters of a cursor may begin with a slash. */
const ABSOLUTE = /^(?:https?:)?\/\//i;
const REFERENCE = /^[/?]|\?[^?]*=/;

/**
 * The request target of a next page by its URL, which may be relative to the request before (RFC 3986, 5). A URL outside
 * of the upstream's own origin is never followed: credentials go with each call.
 */
export function nextTarget({ endpoint, ownParameters }: PagePlace, reference: string, sent: string): string {
  if (reference.length > LONGEST)
    throw badResponse(`the URL of the next page has ${reference.length} characters`);
  const { origin } = new URL(endpoint);
  const url = URL.parse(reference, `${origin}${sent}`);
  if (url === null) throw badResponse('the URL of the next page is not valid');
  if (url.origin !== origin || url.username !== '' || url.password !== '')
    throw badResponse('the URL of the next page leads away from the upstream');
  return `${url.pathname}${withoutOwn(url.search, ownParameters)}`;
}

function withoutOwn(search: string, own: ReadonlySet<string>): string {
  if (own.size === 0 || search === '') return search;
  const others = search
    .slice(1)
    .split('&')
    .filter((each) => !own.has([...new URLSearchParams(each).keys()][0] ?? ''));
  return others.length === 0 ? '' : `?${others.join('&')}`;
}
