import type { PageWay, Paging } from '../../model/operation.ts';
import { allows, nearestAllowed } from '../../model/type-use.ts';
import type { PageHeaders } from '../exchange/upstream-exchange.ts';
import { FIRST_PAGE, type LearnedPosition, type PagePosition, type PageStep } from './page-position.ts';
import type { BodySigns, NextSign } from './page-signs.ts';

/**
 * One kind of paging: how an answer, or the document, leads from one page to the next. A new kind is a file of its own
 * and a row in `strategies.ts`.
 */
export interface PagingStrategy {
  /** The parameter of a list without which it has no pages of this kind. */
  readonly needs?: 'size' | PageWay['kind'];
  /** Reads a reference to the next page that is not a plain member of the body. */
  readonly find?: (context: PageContext, page: PageAnswer) => NextReference | undefined;
  /** Reads a value that an answer has for its next page; undefined if it is of another kind. */
  readonly read?: (context: PageContext, sign: NextSign, page: PageAnswer) => PagePosition | undefined;
  /** Computes the position behind a page from the parameters of the list. */
  readonly advance?: (
    paging: Paging,
    step: PageStep,
    page: PageAnswer,
    learned: LearnedPosition,
  ) => NextPosition | undefined;
  /** The first request of a read that leaves out rows at the beginning. */
  readonly jump?: (paging: Paging, skip: number, top: number | undefined) => PageStep | undefined;
}

/** The list that pages are read of. */
export interface PageContext {
  readonly paging: Paging;
  readonly place: PagePlace;
}

/** The server that the pages of a list are requested from. */
export interface PagePlace {
  /** Absolute URL of the upstream. */
  readonly endpoint: string;
  /** Query parameters that the source adds to each call: they may be credentials. */
  readonly ownParameters: ReadonlySet<string>;
}

/** The parts of an answer that paging depends on. */
export interface PageAnswer {
  /** Number of items. */
  readonly length: number;
  readonly signs: BodySigns;
  readonly headers: PageHeaders | undefined;
  /** Target of the request that was answered. */
  readonly sent: string;
}

/** A reference to the next page, or the declaration that there is no next page. */
export type NextReference =
  | { readonly kind: 'page'; readonly position: PagePosition }
  | { readonly kind: 'last' };

/** The position behind a page; `exhausted`: the document allows no value that leads there. */
export type NextPosition =
  | { readonly kind: 'page'; readonly position: PagePosition }
  | { readonly kind: 'exhausted' };

/** Maximum length of a next-page URL or cursor. */
export const LONGEST = 8_192;

/** The parameter of a list for one kind of paging. */
export function parameterOf<Kind extends PageWay['kind']>(
  { ways }: Paging,
  kind: Kind,
): Extract<PageWay, { kind: Kind }> | undefined {
  return ways.find((way): way is Extract<PageWay, { kind: Kind }> => way.kind === kind);
}

export function numberedPosition(
  { kind, parameter }: Extract<PageWay, { kind: 'page' | 'offset' }>,
  number: number,
): NextPosition {
  if (!allows(parameter.values, String(number))) return { kind: 'exhausted' };
  return { kind: 'page', position: { kind, number } };
}

/** The page size for that number of rows, within the document's bounds. */
export function sizeFor({ size }: Paging, rows: number | undefined): number | undefined {
  if (size === undefined) return undefined;
  const { largest, parameter } = size;
  return rows === undefined || rows === Number.POSITIVE_INFINITY
    ? largest
    : nearestAllowed(parameter.values, Math.max(1, rows));
}

/** A request that reads a list from a position on. */
export function stepFrom(
  position: PagePosition,
  size: number | undefined,
  before: number,
  drop: number,
): PageStep {
  return { position, size, before, drop, isLinked: false, isProbe: false };
}

/** The request of the first page, for a read that leaves out the first `skip` rows. */
export function stepFromBeginning(paging: Paging, skip: number, top: number | undefined): PageStep {
  const size = sizeFor(paging, top === undefined ? undefined : skip + top);
  return stepFrom(FIRST_PAGE, size, 0, skip);
}
