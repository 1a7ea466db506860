import type { Arguments } from '../../contract/entity-source.ts';
import type { Value } from '../../contract/row.ts';
import type { PageWay, Paging } from '../../model/operation.ts';
import { allows } from '../../model/type-use.ts';
import type { PageHeaders } from '../exchange/upstream-exchange.ts';
import { badResponse } from '../exchange/upstream-failure.ts';
import { type BodySigns, countOf, type NextSign, type TotalSign } from './page-signs.ts';

/** A page as it came. */
export interface PageAnswer {
  /** How many items it has. */
  readonly length: number;
  readonly signs: BodySigns;
  readonly headers: PageHeaders | undefined;
  /** The target of the request that it answers. */
  readonly sent: string;
}

export type NextPage =
  | { readonly kind: 'end' }
  /** `isTold`: the answer says it itself. `isProbe`: the answer says that there is none, and is not believed. */
  | {
      readonly kind: 'page';
      readonly position: PagePosition;
      readonly isTold: boolean;
      readonly isProbe: boolean;
    }
  /** There are more pages, and nothing says how to ask for them. */
  | { readonly kind: 'unknown' };

const END: NextPage = { kind: 'end' };
const UNKNOWN: NextPage = { kind: 'unknown' };

/**
 * What follows a page. In this order: a link in the header, what the body says of the next page, whether it says that
 * there is one, how many items there are; then the ways that the document has to ask for another page, as far as a page
 * that is full, or of unknown size, may have one behind it.
 */
export function pageAfter(
  paging: Paging,
  place: PagePlace,
  step: PageStep,
  page: PageAnswer,
  learned: LearnedPosition,
): NextPage {
  const { signs, length } = page;
  const told = toldPage(paging, place, step, page);
  const total = believedTotal(paging, step, page);
  const left = total === undefined ? undefined : total - step.before - length;
  const isMore = signs.more === true || (left !== undefined && left > 0);
  if (told.kind === 'page' && (signs.more !== false || isMore)) {
    if (!isSame(told.position, step.position)) return { ...told, isProbe: false };
    if (length > 0) throw badResponse('a page of the list says that it is the next one itself');
    return END;
  }
  if (!isMore && (signs.more === false || left !== undefined || isLastNumber(paging, step, signs, learned)))
    return END;
  const way = nextByWay(paging, step, page, learned);
  if (isMore)
    return way.kind === 'page' && length > 0 ? { ...way, isTold: step.isTold, isProbe: false } : UNKNOWN;
  if (told.kind === 'unusable' && way.kind === 'none') return UNKNOWN;
  if (length === 0) return END;
  const isFull = step.asked !== undefined && length >= step.asked;
  if (isSaidToEnd(paging, step, told)) {
    const isDoubtful = isFull && way.kind === 'page' && !step.isTold;
    return isDoubtful ? { ...way, isTold: false, isProbe: true } : END;
  }
  if (told.kind !== 'unusable' && isShort(paging, step, length, learned)) return END;
  if (way.kind === 'page') return { ...way, isTold: false, isProbe: false };
  return way.kind === 'exhausted' || isFull ? UNKNOWN : END;
}

/**
 * Whether an answer says that the list ends: also by saying nothing where the document, or an earlier page, says
 * where it would be said.
 */
function isSaidToEnd({ tells }: Paging, { isTold }: PageStep, told: Told): boolean {
  return told.kind === 'last' || (told.kind === 'unsaid' && (isTold || tells.next));
}

function isSame(one: PagePosition, other: PagePosition): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** A page with fewer items than it could have is the last one. */
function isShort(
  { size }: Paging,
  { asked, before }: PageStep,
  length: number,
  learned: LearnedPosition,
): boolean {
  if (before > 0 && length < Math.min(learned.length, asked ?? learned.length)) return true;
  return asked !== undefined && length < asked && size?.sure === true;
}

function isLastNumber(
  { ways }: Paging,
  { position }: PageStep,
  { pages, page }: BodySigns,
  learned: LearnedPosition,
): boolean {
  if (pages === undefined || !ways.some(({ kind }) => kind === 'page')) return false;
  const first = learned.first ?? 1;
  const number = position.kind === 'page' ? position.number : (page ?? first);
  return number - first + 1 >= pages;
}

/** How many items the list has, where the answer says it: not below those that came, nor those of the page alone. */
export function believedTotal(
  { places }: Paging,
  { before, asked }: PageStep,
  { length, signs, headers }: PageAnswer,
): number | undefined {
  const total = signs.total ?? totalInHeaders(headers);
  if (total === undefined) return undefined;
  if (places.total !== undefined) return total.count;
  if (total.count < before + length) return undefined;
  const isOfPage = !total.sure && total.count === length && (asked === undefined || length >= asked);
  return isOfPage ? undefined : total.count;
}

/**
 * How many items the list has, as far as what came bears it out: it is at its end, or its answer tells a number and has
 * another page behind it. A page with fewer items than were asked for is no sign of another one, and one that is full may
 * tell the number of its own items.
 */
export function countedTotal(
  paging: Paging,
  step: PageStep,
  page: PageAnswer,
  next: NextPage,
): number | undefined {
  const came = step.before + page.length;
  const isFull = step.asked !== undefined && page.length >= step.asked;
  if (next.kind === 'end') return isFull && paging.tells.total ? undefined : came;
  const total = believedTotal(paging, step, page);
  if (next.kind === 'unknown' || total === undefined || total <= came) return undefined;
  return next.isTold || isFull ? total : undefined;
}

function totalInHeaders(headers: PageHeaders | undefined): TotalSign | undefined {
  if (headers === undefined) return undefined;
  const said =
    headers['x-total-count'] ?? headers['x-total'] ?? headers['x-wp-total'] ?? headers['total-count'];
  const count = countOf(
    said ?? /^\s*[\w-]+\s+(?:\d+-\d+|\*)\/(\d+)$/.exec(headers['content-range'] ?? '')?.[1],
  );
  return count === undefined ? undefined : { count, sure: true };
}

type Told =
  | { readonly kind: 'page'; readonly position: PagePosition; readonly isTold: true }
  | { readonly kind: 'last' }
  | { readonly kind: 'unusable' }
  | { readonly kind: 'unsaid' };

/** What the answer itself says of the next page. */
function toldPage(
  paging: Paging,
  place: PagePlace,
  step: PageStep,
  { headers, signs, sent }: PageAnswer,
): Told {
  const told = (position: PagePosition): Told => ({ kind: 'page', position, isTold: true });
  const link = headers?.['link'] === undefined ? undefined : linkedPage(headers['link']);
  if (link?.kind === 'unreadable') throw badResponse('the link to the next page cannot be read');
  if (link?.kind === 'next') return told({ kind: 'target', target: nextTarget(place, link.target, sent) });
  const next = [...signs.next, ...headerSigns(headers)];
  for (const sign of next) {
    const position = positionOf(paging, place, sign, signs, sent);
    const isEcho = sign.rank === 'weak' && position !== undefined && isSame(position, step.position);
    if (position !== undefined && !isEcho) return told(position);
  }
  if (next.some(({ rank }) => rank !== 'weak')) return { kind: 'unusable' };
  const isLast = link?.kind === 'last' || signs.isLast || headers?.['x-next-page'] === '';
  return isLast ? { kind: 'last' } : { kind: 'unsaid' };
}

function headerSigns(headers: PageHeaders | undefined): readonly NextSign[] {
  if (headers === undefined) return [];
  const names = ['x-next-cursor', 'x-ms-continuation', 'x-continuation-token', 'x-next-page'];
  return names.flatMap((name) => {
    const value = headers[name];
    return value === undefined || value === '' ? [] : [{ value, rank: 'cursor' as const }];
  });
}

/** A reference that can be nothing else; the letters of a cursor may begin with a slash. */
const ABSOLUTE = /^(?:https?:)?\/\//i;
const REFERENCE = /^[/?]|\?[^?]*=/;

function positionOf(
  { ways }: Paging,
  place: PagePlace,
  { value, rank }: NextSign,
  { more }: BodySigns,
  sent: string,
): PagePosition | undefined {
  const has = (kind: PageWay['kind']): boolean => ways.some((way) => way.kind === kind);
  const isUrl = ABSOLUTE.test(value) || (REFERENCE.test(value) && (isUrlRank(rank) || !has('cursor')));
  if (isUrl) return { kind: 'target', target: nextTarget(place, value, sent) };
  // Beside a page that is said to be the last one, a weak word is about that.
  if (rank === 'weak' && more === false) return undefined;
  if (value.length > LONGEST) throw badResponse(`what leads to the next page has ${value.length} characters`);
  if (has('cursor')) return { kind: 'cursor', value };
  const number = countOf(value);
  if (number === undefined) return rank !== 'weak' && has('lastKey') ? { kind: 'lastKey', value } : undefined;
  if (has('page')) return { kind: 'page', number };
  return has('offset') ? { kind: 'offset', number } : undefined;
}

function isUrlRank(rank: NextSign['rank']): boolean {
  return rank === 'url' || rank === 'either';
}

type ByWay =
  | { readonly kind: 'page'; readonly position: PagePosition }
  /** There is a way to more pages, which the document lets nobody go that far. */
  | { readonly kind: 'exhausted' }
  | { readonly kind: 'none' };

/** The next page by the parameters of the list alone. */
function nextByWay(
  { ways }: Paging,
  { position, before }: PageStep,
  { length, signs }: PageAnswer,
  { first }: LearnedPosition,
): ByWay {
  for (const way of ways) {
    if (way.kind === 'lastKey' && signs.lastKey !== undefined)
      return { kind: 'page', position: { kind: 'lastKey', value: signs.lastKey } };
    // Behind a URL, nobody knows the number of the page.
    if (way.kind === 'page' && (position.kind === 'page' || position.kind === 'first'))
      return numbered(way, position.kind === 'page' ? position.number + 1 : (first ?? 0) + 1);
    if (way.kind === 'offset') return numbered(way, way.first + before + length);
  }
  return { kind: 'none' };
}

function numbered({ kind, parameter }: Extract<PageWay, { kind: 'page' | 'offset' }>, number: number): ByWay {
  if (!allows(parameter.values, String(number))) return { kind: 'exhausted' };
  return { kind: 'page', position: { kind, number } };
}

/** A link of a Link header field (RFC 8288, 3). */
interface Link {
  readonly target: string;
  readonly relations: readonly string[];
}

/** What a Link header field says of the next page, as far as it can be read; undefined where it says nothing of pages. */
type LinkedPage =
  | { readonly kind: 'next'; readonly target: string }
  | { readonly kind: 'last' | 'unreadable' };

function linkedPage(field: string): LinkedPage | undefined {
  const { links, rest } = parseLinks(field);
  const next = links.find(({ relations }) => relations.includes('next'));
  if (next !== undefined) return { kind: 'next', target: next.target };
  if (NEXT.test(rest)) return { kind: 'unreadable' };
  const isOfPages = links.some(({ relations }) => relations.some((relation) => OF_PAGES.has(relation)));
  return isOfPages ? { kind: 'last' } : undefined;
}

/** A mistake may hide where the list goes on. */
const NEXT = /\brel\s*=[\s"']*(?:[\w-]+\s+)*next\b/i;

const OF_PAGES: ReadonlySet<string> = new Set(['prev', 'previous', 'first', 'last']);

/** RFC 8288, 3: `link-value`, its target in angle brackets; then its parameters. */
const TARGET = /[\s,]*<([^<>]*)>/y;
const PARAMETER = /\s*;\s*([!#$%&'*+.^_`|~\w-]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?/y;

/** Parses the links of a field as far as it is well-formed: what comes behind a mistake is not read. */
function parseLinks(field: string): { readonly links: readonly Link[]; readonly rest: string } {
  const links: Link[] = [];
  for (let place = 0; ; ) {
    TARGET.lastIndex = place;
    const target = TARGET.exec(field)?.[1];
    if (target === undefined) return { links, rest: field.slice(place) };
    const parameters = new Map<string, string>();
    place = readParameters(field, TARGET.lastIndex, parameters);
    // A link with an anchor leads on from something else than what was asked for (3.2).
    if (!parameters.has('anchor')) links.push({ target, relations: relationsOf(parameters.get('rel')) });
    const rest = /^\s*(?:,|$)/.exec(field.slice(place, place + 100));
    if (rest === null) return { links, rest: field.slice(place) };
  }
}

/** Reads them into the map, and says where they end. Of two with one name, the first counts (3.3). */
function readParameters(field: string, begin: number, parameters: Map<string, string>): number {
  let place = begin;
  for (;;) {
    PARAMETER.lastIndex = place;
    const found = PARAMETER.exec(field);
    if (found === null) return place;
    place = PARAMETER.lastIndex;
    const [, name = '', quoted, token = ''] = found;
    const value = quoted?.replace(/\\(.)/g, '$1') ?? token;
    if (!parameters.has(name.toLowerCase())) parameters.set(name.toLowerCase(), value);
  }
}

function relationsOf(rel = ''): readonly string[] {
  return rel.toLowerCase().split(/\s+/);
}

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
interface ListPosition {
  readonly step: PageStep;
  readonly learned: LearnedPosition;
  readonly mark: PageMark | undefined;
}

export function writePosition({ step, learned, mark }: ListPosition): string {
  const { position, asked, before, drop, isTold, isProbe } = step;
  const { length, first, identity } = learned;
  const known = [length, first ?? null, identity ?? null];
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

/** The value of a parameter of paging; what does not choose the page is said only where it must be. */
function valueAt(way: PageWay, position: PagePosition): Value | undefined {
  if (position.kind === way.kind) return 'number' in position ? position.number : position.value;
  if (!way.parameter.required) return undefined;
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
const LONGEST = 8_192;

/**
 * The request target of a next page by its URL, which may be relative to what was asked for before (RFC 3986, 5). An URL
 * outside of the upstream's own origin is never followed: credentials go with each call.
 */
function nextTarget({ endpoint, ownParameters }: PagePlace, reference: string, sent: string): string {
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
