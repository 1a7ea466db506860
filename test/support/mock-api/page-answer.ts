import { generate } from './generated-value.ts';
import type { JsonObject } from './json.ts';
import { cursorAt, type Page, type PageGround, pageParameters } from './page.ts';
import type { PageSign } from './page-signs.ts';
import type { PagedList } from './paging.ts';

/** A page on its way to a client. */
export interface SentPage {
  readonly list: PagedList;
  readonly page: Page;
  /** The start of the next page; undefined on the last page. */
  readonly next: number | undefined;
  /** The request's URL. */
  readonly url: URL;
  /** The origin of links to pages. */
  readonly origin: string;
  /** True if totals are sent, which some APIs do only on request. */
  readonly tellsTotal: boolean;
}

/** The envelope with the rows in it and all the signs that the document says it has. */
export function envelopeOf(
  sent: SentPage,
  answer: JsonObject,
  rows: readonly unknown[],
  ground: PageGround,
): unknown {
  return written(sent, answer, [], rows, ground);
}

/** A property that the answer does not have. */
const NOTHING = Symbol('nothing');

function written(
  sent: SentPage,
  schema: JsonObject,
  place: readonly string[],
  rows: readonly unknown[],
  ground: PageGround,
): unknown {
  const listPlace = sent.list.answer.place;
  if (place.join('.') === listPlace.join('.')) return rows;
  const { kind, properties, required, nullable } = ground.view(schema);
  if (kind === 'array') return [];
  if (kind !== 'object') return leafValue(sent, schema, place, ground);
  const entries = [...properties].flatMap(([name, inner]) => {
    const value = written(sent, inner, [...place, name], rows, ground);
    if (value !== NOTHING) return [[name, value] as const];
    return required.has(name) ? [[name, emptyOf(inner, ground)] as const] : [];
  });
  const holdsList = place.every((name, index) => listPlace[index] === name);
  if (holdsList || entries.some(([, value]) => value !== null)) return Object.fromEntries(entries);
  return nullable ? null : NOTHING;
}

/** The empty value for a required member. */
function emptyOf(schema: JsonObject, { view }: PageGround): unknown {
  const { kind, nullable } = view(schema);
  if (nullable) return null;
  if (kind === 'object') return {};
  return kind === 'string' || kind === 'any' ? '' : 0;
}

function leafValue(
  sent: SentPage,
  schema: JsonObject,
  place: readonly string[],
  ground: PageGround,
): unknown {
  const sign = sent.list.signs.get(place.join('.'));
  const { kind, nullable } = ground.view(schema);
  const name = place.at(-1) ?? '';
  if (sign === undefined) return generate(ground.view, schema, ROOT, name, 1);
  const isNumber = kind === 'integer' || kind === 'number';
  // A cursor may be declared as a number, although its parameter takes a text.
  const value =
    isNumber && sign === 'next cursor' && sent.next !== undefined
      ? cursorAt(sent.list.paging, sent.next, ground, true)
      : signValue(sent, sign, ground);
  if (value === undefined) return nullable ? null : NOTHING;
  return kind === 'string' ? String(value) : isNumber ? Number(value) : value;
}

const ROOT = { row: 1, salt: '' };

function signValue(
  sent: SentPage,
  sign: PageSign,
  ground: PageGround,
): string | number | boolean | undefined {
  const { page, next, list, url } = sent;
  const { start, end, size, total } = page;
  const first = list.paging.kind === 'page' ? list.paging.first : 1;
  switch (sign) {
    case 'next url':
      return next === undefined ? undefined : pageUrl(sent, next, ground);
    case 'next path':
      return next === undefined ? undefined : pathOf(pageUrl(sent, next, ground));
    case 'previous url':
      return start === 0 ? undefined : pageUrl(sent, Math.max(0, start - size), ground);
    case 'this url':
      return url.href;
    case 'next cursor':
      return next === undefined ? undefined : cursorAt(list.paging, next, ground);
    case 'previous cursor':
      return start === 0 ? undefined : cursorAt(list.paging, Math.max(0, start - size), ground);
    case 'next page':
      return next === undefined ? undefined : next / size + first;
    case 'next offset':
      return next;
    case 'more':
      return next !== undefined;
    case 'last':
      return next === undefined;
    case 'total':
      return sent.tellsTotal ? total : undefined;
    case 'pages':
      return Math.ceil(total / size);
    case 'page':
      return Math.floor(start / size) + first;
    case 'size':
      return size;
    case 'offset':
      return start;
    case 'returned':
      return end - start;
  }
}

/** The URL of the page that begins with the row after `start`. */
export function pageUrl({ list, page, url, origin }: SentPage, start: number, ground: PageGround): string {
  const target = new URL(url.pathname + url.search, origin);
  if (list.paging.kind === 'last row') target.searchParams.delete(list.paging.parameter.name);
  for (const [name, value] of Object.entries(pageParameters(list, start, page.size, ground))) {
    target.searchParams.set(name, value);
  }
  return target.href;
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

/** RFC 8288. */
export function linkHeader(sent: SentPage, ground: PageGround): string | undefined {
  const { page, next } = sent;
  const links = [
    ...(next === undefined ? [] : [`<${pageUrl(sent, next, ground)}>; rel="next"`]),
    ...(page.start === 0
      ? []
      : [`<${pageUrl(sent, Math.max(0, page.start - page.size), ground)}>; rel="prev"`]),
  ];
  return links.length === 0 ? undefined : links.join(', ');
}
