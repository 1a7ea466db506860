import type { Parameter } from './api-document.ts';
import type { PagedList, Paging } from './paging.ts';
import type { Viewer } from './schema-view.ts';

/** The rows that a request asks for: those with the numbers from `start + 1` to `end`. */
export interface Page {
  readonly start: number;
  readonly end: number;
  /** The number of rows per page, except for the last one. */
  readonly size: number;
  /** The number of rows. */
  readonly total: number;
}

/** The context of a list's pages, apart from the request. */
export interface PageGround {
  readonly view: Viewer;
  readonly total: number;
  /** The number of the row with that key, from 1; undefined for an unknown key. */
  readonly rowOf: (key: string) => number | undefined;
  readonly keyOf: (row: number) => string;
}

/** The query parameter of next-page URLs if the document has none. */
const OWN_CURSOR = 'cursor';

const DEFAULT_SIZE = 20;

/** No vendor gives more at once, unless the document says that this one does. */
const LARGEST_PAGE = 100;

/** A message where the request says something that leads to no page. */
export function pageOf(
  list: PagedList,
  query: URLSearchParams,
  ground: PageGround,
  largest = Number.POSITIVE_INFINITY,
): Page | string {
  const { paging } = list;
  const { total } = ground;
  if (paging.kind === 'whole') return { start: 0, end: total, size: total, total };
  const size = Math.min(largest, sizeOf(paging, query, ground));
  const start = startOf(list, query, size, ground);
  if (typeof start === 'string') return start;
  return { start, end: Math.max(start, Math.min(total, start + size)), size, total };
}

function sizeOf(
  paging: Exclude<Paging, { kind: 'whole' }>,
  query: URLSearchParams,
  { view }: PageGround,
): number {
  if (paging.size === undefined) return DEFAULT_SIZE;
  const { words } = view(paging.size.schema);
  const fallback = typeof words['default'] === 'number' ? words['default'] : DEFAULT_SIZE;
  const size = Number(query.get(paging.size.name) ?? fallback);
  const isBounded = typeof words['maximum'] === 'number' || paging.kind === 'size';
  return Math.max(1, isBounded ? size : Math.min(size, LARGEST_PAGE));
}

function startOf(list: PagedList, query: URLSearchParams, size: number, ground: PageGround): number | string {
  const { paging, offset } = list;
  if (paging.kind === 'whole' || paging.kind === 'size') return 0;
  const name = paging.kind === 'url' ? OWN_CURSOR : paging.parameter.name;
  const value = query.get(name);
  if (value === null || value === '') return numberIn(query, offset);
  const isNumbered = paging.kind === 'page' || paging.kind === 'offset';
  if (isNumbered && !/^\d+$/.test(value)) return `The parameter ${name} is no number.`;
  switch (paging.kind) {
    case 'page':
      return Math.max(0, Number(value) - paging.first) * size;
    case 'offset':
      return Math.max(0, Number(value));
    case 'last row':
      return ground.rowOf(value) ?? `The parameter ${name} names no row.`;
    case 'cursor':
    case 'url':
      return readCursor(value) ?? `The parameter ${name} is no cursor of ours.`;
  }
}

function numberIn(query: URLSearchParams, parameter: Parameter | undefined): number {
  return parameter === undefined ? 0 : Math.max(0, Number(query.get(parameter.name) ?? 0));
}

/** The parameters of the page that begins with the row after `start`. */
export function pageParameters(
  { paging }: PagedList,
  start: number,
  size: number,
  ground: PageGround,
): Readonly<Record<string, string>> {
  switch (paging.kind) {
    case 'whole':
    case 'size':
      return {};
    case 'page':
      return { [paging.parameter.name]: String(start / size + paging.first) };
    case 'offset':
      return { [paging.parameter.name]: String(start) };
    case 'last row':
      return start === 0 ? {} : { [paging.parameter.name]: ground.keyOf(start) };
    case 'cursor':
      return { [paging.parameter.name]: cursorAt(paging, start, ground) };
    case 'url':
      return { [OWN_CURSOR]: writeCursor(start) };
  }
}

/** The cursor of the next page in a response, even without a documented parameter. */
export function cursorAt(
  paging: Paging,
  start: number,
  { view }: PageGround,
  isNumeric = paging.kind === 'cursor' && view(paging.parameter.schema).kind === 'integer',
): string {
  return isNumeric ? String(NUMBERED + start) : writeCursor(start);
}

/** Cursors that are numbers are no row numbers either. */
const NUMBERED = 1_700_000_000;

function writeCursor(start: number): string {
  return Buffer.from(`after row ${start}`).toString('base64url');
}

function readCursor(text: string): number | undefined {
  if (/^17\d{8}$/.test(text)) return Number(text) - NUMBERED;
  const [, start] = /^after row (\d+)$/.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  return start === undefined ? undefined : Number(start);
}
