import type { Arguments } from '../../contract/entity-source.ts';
import type { Value } from '../../contract/row.ts';
import type { PageWay, Paging } from '../../model/operation.ts';
import type { PageHeaders } from '../exchange/upstream-exchange.ts';
import { badResponse } from '../exchange/upstream-failure.ts';
import { isSamePosition, type LearnedPosition, type PagePosition, type PageStep } from './page-position.ts';
import { type BodySigns, countOf, type NextSign, type TotalSign } from './page-signs.ts';
import type { NextPosition, PageAnswer, PageContext } from './paging-strategy.ts';
import { parameterOf } from './paging-strategy.ts';
import { isUsualCap } from './strategies/size-only.ts';
import { strategiesOf } from './strategies.ts';

export type NextPage =
  | { readonly kind: 'end' }
  /** `isLinked`: the answer itself leads there. `isProbe`: the page before may be the last one. */
  | {
      readonly kind: 'page';
      readonly position: PagePosition;
      readonly isLinked: boolean;
      readonly isProbe: boolean;
    }
  /** There are, or may be, more items, and no position leads to them. */
  | { readonly kind: 'unknown' };

const END: NextPage = { kind: 'end' };
const UNKNOWN: NextPage = { kind: 'unknown' };

/**
 * Finds the page behind one. In this order: the next page that the answer declares; its has-more flag, the largest
 * credible total, its number of pages; then the parameters of the list. Nothing but such a declaration ends a list at
 * once: a short page of another list is followed by one more request, and an empty page only ends a list behind a short
 * one.
 */
export function pageAfter(
  context: PageContext,
  step: PageStep,
  page: PageAnswer,
  learned: LearnedPosition,
): NextPage {
  const { paging } = context;
  const { signs, length } = page;
  const declared = declaredNext(context, step, page);
  const came = step.before + length;
  const left = learned.total === undefined || learned.total < came ? undefined : learned.total - came;
  const isMore = signs.more === true || (left !== undefined && left > 0);
  if (declared.kind === 'page' && (signs.more !== false || isMore)) {
    const isScroll = isScrolling(paging, declared.position);
    if (isScroll && length === 0) return isMore ? UNKNOWN : END;
    if (isScroll || !isSamePosition(declared.position, step.position))
      return { kind: 'page', position: declared.position, isLinked: true, isProbe: false };
    if (length > 0) throw badResponse('a page of the list declares itself as the next one');
    return isMore ? UNKNOWN : END;
  }
  if (!signs.hasList && learned.hadList) throw badResponse('a page has no list, unlike the pages before it');
  if (!isMore && (signs.more === false || left !== undefined || isLastNumber(paging, step, signs, learned)))
    return END;
  const next = nextPosition(paging, step, page, learned);
  if (isMore || declared.kind === 'unusable') {
    const isUsable = next?.kind === 'page' && length > 0;
    if (isUsable) return { ...next, isLinked: isMore && step.isLinked, isProbe: false };
    if (isMore || next === undefined) return UNKNOWN;
  }
  const isEnd =
    declared.kind === 'last' || (declared.kind === 'undeclared' && (step.isLinked || paging.tells.next));
  const isFull = step.size !== undefined && length >= step.size;
  const isPromised = paging.size?.promised === true && step.size !== undefined;
  if (next?.kind === 'page' && next.position.kind !== 'larger') {
    const isDoubtful = isFull && !step.isLinked && length > 0;
    if (isEnd) return isDoubtful ? { ...next, isLinked: false, isProbe: true } : END;
    if (length === 0 && (step.isProbe || learned.longest === 0)) return END;
    if (isPromised && !isFull) return END;
    // An API that ignores the requested size may ignore the position, too.
    const isLong = length === step.size || (step.before > 0 && length >= learned.longest && !isFull);
    return { ...next, isLinked: false, isProbe: !isLong };
  }
  if (isEnd || length === 0 || (isPromised && !isFull)) return END;
  if (next?.kind === 'exhausted') return isFull || length >= learned.longest ? UNKNOWN : END;
  const isPaged = paging.size !== undefined || parameterOf(paging, 'cursor') !== undefined;
  const isCapped = isPaged && (isUsualCap(length) || length === paging.size?.standard);
  if (!isFull && !isCapped) return END;
  return next === undefined ? UNKNOWN : { ...next, isLinked: false, isProbe: true };
}

/** Whether the position may lead on several times, to another page each time. */
export function isScrolling(paging: Paging, { kind }: PagePosition): boolean {
  return kind === 'cursor' && parameterOf(paging, 'cursor')?.scrolls === true;
}

function isLastNumber(
  paging: PageContext['paging'],
  { position }: PageStep,
  { pages, page }: BodySigns,
  learned: LearnedPosition,
): boolean {
  if (pages === undefined || parameterOf(paging, 'page') === undefined) return false;
  const first = learned.first ?? 1;
  const number = position.kind === 'page' ? position.number : (page ?? first);
  return number - first + 1 >= pages;
}

/** The total in an answer, unless it is below the items that came, or that of the page alone. */
export function credibleTotal(
  { places }: Paging,
  { before }: PageStep,
  page: PageAnswer,
): number | undefined {
  const { length } = page;
  const total = totalOf(page);
  if (total === undefined) return undefined;
  if (places.total !== undefined) return total.count;
  if (total.count < before + length) return undefined;
  return !total.sure && total.count === length ? undefined : total.count;
}

/**
 * The number of all items, if what came bears it out: the list is at its end, or its answer has a total and another page
 * behind it. A page with fewer items than requested is no sign of another one, and the total of a full page may be the
 * number of its own items.
 */
export function countedTotal(
  paging: Paging,
  step: PageStep,
  page: PageAnswer,
  next: NextPage,
): number | undefined {
  const came = step.before + page.length;
  const isFull = step.size !== undefined && page.length >= step.size;
  if (next.kind === 'end') return isFull && paging.tells.total ? undefined : came;
  const total = credibleTotal(paging, step, page);
  if (next.kind === 'unknown' || total === undefined || total <= came) return undefined;
  return next.isLinked || isFull ? total : undefined;
}

/** The total in the body or in the header fields of an answer. */
export function totalOf({ signs, headers }: PageAnswer): TotalSign | undefined {
  return signs.total ?? totalInHeaders(headers);
}

function totalInHeaders(headers: PageHeaders | undefined): TotalSign | undefined {
  if (headers === undefined) return undefined;
  const field =
    headers['x-total-count'] ?? headers['x-total'] ?? headers['x-wp-total'] ?? headers['total-count'];
  const count = countOf(
    field ?? /^\s*[\w-]+\s+(?:\d+-\d+|\*)\/(\d+)$/.exec(headers['content-range'] ?? '')?.[1],
  );
  return count === undefined ? undefined : { count, sure: true };
}

type Declared =
  | { readonly kind: 'page'; readonly position: PagePosition }
  | { readonly kind: 'last' }
  /** The answer has a value for the next page, and no parameter takes it. */
  | { readonly kind: 'unusable' }
  | { readonly kind: 'undeclared' };

/** The next page that an answer itself declares. */
function declaredNext(context: PageContext, step: PageStep, page: PageAnswer): Declared {
  const { signs, headers } = page;
  const references =
    headers === undefined
      ? []
      : strategiesOf(context.paging).flatMap(({ find }) => find?.(context, page) ?? []);
  const linked = references.find(({ kind }) => kind === 'page');
  if (linked !== undefined) return linked;
  const next = [...signs.next, ...headerSigns(headers)];
  for (const sign of next) {
    const position = positionOf(context, sign, page);
    const isEcho = sign.rank === 'weak' && position !== undefined && isSamePosition(position, step.position);
    if (position !== undefined && !isEcho) return { kind: 'page', position };
  }
  if (next.some(({ rank }) => rank !== 'weak')) return { kind: 'unusable' };
  const isLast = references.length > 0 || signs.isLast || headers?.['x-next-page'] === '';
  return isLast ? { kind: 'last' } : { kind: 'undeclared' };
}

function positionOf(context: PageContext, sign: NextSign, page: PageAnswer): PagePosition | undefined {
  for (const { read } of strategiesOf(context.paging)) {
    const position = read?.(context, sign, page);
    if (position !== undefined) return position;
  }
  return undefined;
}

function headerSigns(headers: PageHeaders | undefined): readonly NextSign[] {
  if (headers === undefined) return [];
  const names = ['x-next-cursor', 'x-ms-continuation', 'x-continuation-token', 'x-next-page'];
  return names.flatMap((name) => {
    const value = headers[name];
    return value === undefined || value === '' ? [] : [{ value, rank: 'cursor' as const }];
  });
}

/** The position behind a page by the parameters of the list alone. */
function nextPosition(
  paging: Paging,
  step: PageStep,
  page: PageAnswer,
  learned: LearnedPosition,
): NextPosition | undefined {
  for (const { advance } of strategiesOf(paging)) {
    const next = advance?.(paging, step, page, learned);
    if (next !== undefined) return next;
  }
  return undefined;
}

/** The request for a page. */
export interface PageRequest {
  /** Values of the parameters for paging, by their names in the mesh. */
  readonly arguments: Arguments;
  /** Replaces the target that the arguments would make. */
  readonly target: string | undefined;
}

export function pageRequest({ size, ways }: Paging, { position, size: requested }: PageStep): PageRequest {
  const args: Record<string, Value> = {};
  if (size !== undefined && requested !== undefined) args[size.parameter.name] = requested;
  for (const way of ways) {
    const value = valueAt(way, position);
    if (value !== undefined) args[way.parameter.name] = value;
  }
  return { arguments: args, target: position.kind === 'target' ? position.target : undefined };
}

/** The value of a parameter for paging; parameters that do not choose the page have one only if required. */
function valueAt(way: PageWay, position: PagePosition): Value | undefined {
  if (position.kind === way.kind) return 'number' in position ? position.number : position.value;
  if (!way.parameter.required) return undefined;
  switch (way.kind) {
    case 'page':
      // If the first page has the number 1, this is an error or that page; without it the page would be left out.
      return way.first ?? 0;
    case 'offset':
      return way.first;
    case 'cursor':
    case 'lastKey':
      return undefined;
  }
}
