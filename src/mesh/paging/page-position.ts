import type { Arguments } from '../../contract/entity-source.ts';
import type { Value } from '../../contract/row.ts';
import type { PageWay, Paging } from '../../model/operation.ts';
import { badResponse } from '../exchange/upstream-failure.ts';

/** What a page of a list is asked for by. */
export type PagePosition =
  | { readonly kind: 'first' }
  /** The request's target, without what the source itself adds to it. */
  | { readonly kind: 'target'; readonly target: string }
  | { readonly kind: 'cursor'; readonly value: string }
  | { readonly kind: 'lastKey'; readonly value: string }
  | { readonly kind: 'page'; readonly number: number }
  | { readonly kind: 'offset'; readonly number: number };

/** A page that is asked for next. */
export interface PageStep {
  readonly position: PagePosition;
  /** How many items are asked for; undefined where nothing is said of that. */
  readonly asked: number | undefined;
  /** How many items of the list are before the page. */
  readonly before: number;
  /** How many of the page's items are not wanted. */
  readonly drop: number;
  /** Earlier pages said where the next one is. */
  readonly isTold: boolean;
  /** The page is asked for to see whether there is one, although the one before says that it is the last. */
  readonly isProbe: boolean;
}

/** What is learned from the first page that is read. */
export interface LearnedPosition {
  /** How many items it has. */
  readonly length: number;
  /** The number of the first page of the list; undefined as long as nobody knows. */
  readonly first: 0 | 1 | undefined;
  /** Tells the page from others; undefined where nothing does. */
  readonly identity: string | undefined;
}

/**
 * An earlier page of a list that is read in parts, by which a page that comes again is known: it stays at one page while
 * others pass, twice as many each time (Brent's algorithm), so that it finds every circle and needs no more room.
 */
export interface PageMark {
  readonly digest: string;
  /** How many items were before the page. */
  readonly before: number;
  /** How many pages have passed since. */
  readonly passed: number;
  /** How many may. */
  readonly span: number;
}

export const FIRST_PAGE: PagePosition = { kind: 'first' };

/** Where a list goes on, with what is known of it. */
export interface ListPosition {
  readonly step: PageStep;
  readonly learned: LearnedPosition;
  readonly mark: PageMark | undefined;
}

export function writePosition({ step, learned, mark }: ListPosition): string {
  const { position, asked, before, drop, isTold, isProbe } = step;
  const { length, first, identity } = learned;
  // Once its number is known, the first page is not looked for any more.
  const known = [length, first ?? null, first === undefined ? (identity ?? null) : null];
  return JSON.stringify([position, asked ?? null, before, drop, isTold, isProbe, ...known, mark ?? null]);
}

type Written = [
  PagePosition,
  number | null,
  number,
  number,
  boolean,
  boolean,
  number,
  0 | 1 | null,
  string | null,
  PageMark | null,
];

/** Reads what {@link writePosition} has written: whoever keeps it sees to it that nobody changes it. */
export function readPosition(text: string): ListPosition {
  const [position, asked, before, drop, isTold, isProbe, length, first, identity, mark] = JSON.parse(
    text,
  ) as Written;
  return {
    step: { position, asked: asked ?? undefined, before, drop, isTold, isProbe },
    learned: { length, first: first ?? undefined, identity: identity ?? undefined },
    mark: mark ?? undefined,
  };
}

/** How a page is asked for. */
export interface PageRequest {
  /** For the parameters that are about pages, by their names in the mesh. */
  readonly arguments: Arguments;
  /** Instead of what the arguments come to. */
  readonly target: string | undefined;
}

export function pageRequest({ size, ways }: Paging, { position, asked }: PageStep): PageRequest {
  const args: Record<string, Value> = {};
  if (size !== undefined && asked !== undefined) args[size.parameter.name] = asked;
  for (const way of ways) {
    const value = valueAt(way, position);
    if (value !== undefined) args[way.parameter.name] = value;
  }
  return { arguments: args, target: position.kind === 'target' ? position.target : undefined };
}

/** The value of a parameter of paging; of the first page nothing is said but what must be. */
function valueAt(way: PageWay, position: PagePosition): Value | undefined {
  if (position.kind === way.kind) return 'number' in position ? position.number : position.value;
  if (position.kind !== 'first' || !way.parameter.required) return undefined;
  switch (way.kind) {
    case 'page':
      // Where the first page has the number 1, this is an error or that page; else it would be left out.
      return way.first ?? 0;
    case 'offset':
      return way.first;
    case 'cursor':
    case 'lastKey':
      return undefined;
  }
}

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
