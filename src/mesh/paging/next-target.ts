import { badResponse } from '../exchange/upstream-failure.ts';

/** Where the pages of a list are asked for. */
export interface PagePlace {
  /** The upstream's, an absolute URL. */
  readonly endpoint: string;
  /** Names of the query parameters that the source itself adds to each call: they may be credentials. */
  readonly ownParameters: ReadonlySet<string>;
}

/** Longer URLs, and what stands for them, are those of no page. */
export const LONGEST = 8_192;

/**
 * The request target of a next page by its URL, which may be relative to what was asked for before (RFC 3986, 5). An URL
 * outside of the upstream's own origin is never followed: credentials go with each call.
 */
export function nextTarget({ endpoint, ownParameters }: PagePlace, reference: string, sent: string): string {
  if (reference.length > LONGEST)
    throw badResponse(`the URL of the next page has ${reference.length} characters`);
  const { origin } = new URL(endpoint);
  const url = URL.parse(reference, `${origin}${sent}`);
  if (url === null) throw badResponse('the URL of the next page is none');
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
