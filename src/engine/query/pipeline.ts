import { GatewayError } from '../../contract/gateway-error.ts';
import type { Row, Rows } from '../../contract/row.ts';
import { mapped, type Pace, rowsAtOnce, type Work } from '../../core/work.ts';
import { bindCondition } from '../bind/bind-expression.ts';
import { readsCall } from '../bind/function-calls.ts';
import { compileTrue, type Predicate } from '../compile/compile.ts';
import { compileSearch, noteSearched, searchedTexts } from '../compile/compile-search.ts';
import { type InputSet, type Scope, withValue } from '../scope/scope.ts';
import type { Expression, PathExpression, SystemQueryOptions } from '../tree/query-tree.ts';
import { itemType, type SingleType, structuredOf } from '../typing/expression-type.ts';
import { createSorter, type RowOrder, sortRows } from './order.ts';

/** Applies a transformation to its input set. Rows and arrays must not be changed. */
export type Run = (rows: Rows) => Work<readonly Row[]>;

type OptionName = Exclude<keyof SystemQueryOptions, 'aliases'>;

const TARGETS: Readonly<Record<OptionName, string>> = {
  filter: '$filter',
  orderBy: '$orderby',
  select: '$select',
  expand: '$expand',
  search: '$search',
  compute: '$compute',
  apply: '$apply',
  top: '$top',
  skip: '$skip',
  count: '$count',
  index: '$index',
  format: '$format',
  skipToken: '$skiptoken',
  deltaToken: '$deltatoken',
  schemaVersion: '$schemaversion',
  id: '$id',
};

/** The options for collections only. */
export const COLLECTION_OPTIONS = [
  'filter',
  'orderBy',
  'search',
  'top',
  'skip',
  'count',
  'apply',
  'index',
  'id',
  'skipToken',
  'deltaToken',
] as const;

/** A 501 for the options that the standard has and that are not there yet (Part 1, 9.3.1). */
export function assertSupported(
  options: SystemQueryOptions,
  names: readonly OptionName[],
  place?: string,
): void {
  for (const name of given(options, names)) {
    const target = TARGETS[name];
    const what = place === undefined ? target : `${target} of ${place}`;
    throw new GatewayError('NotImplemented', `${what} is not implemented`, { target });
  }
}

/** A 400 for the options that have no meaning for what is asked for (Part 2, 5.1). */
export function assertNoneMisplaced(
  options: SystemQueryOptions,
  names: readonly OptionName[],
  place: string,
): void {
  for (const name of given(options, names)) {
    const target = TARGETS[name];
    throw new GatewayError('BadRequest', `${target} does not apply to ${place}`, { target });
  }
}

/** Refuses every option but those that are allowed. */
export function assertOnlyOptions(
  options: SystemQueryOptions,
  allowed: readonly OptionName[],
  place: string,
): void {
  const names = (Object.keys(TARGETS) as OptionName[]).filter((name) => !allowed.includes(name));
  assertNoneMisplaced(options, names, place);
}

function given(options: SystemQueryOptions, names: readonly OptionName[]): readonly OptionName[] {
  return names.filter((name) => options[name] !== undefined);
}

/** Whether a path anywhere within starts at `root`. */
export function readsFrom(root: NonNullable<PathExpression['root']>, node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return false;
  if ('root' in node && node.root === root) return true;
  const within = node instanceof Map ? [...node.values()] : Object.values(node);
  return within.some((each) => readsFrom(root, each));
}

/** The steps of a query, compiled. What is undefined does nothing. */
interface Steps {
  /** `$search` and `$filter`. */
  readonly accept: Predicate | undefined;
  readonly count: boolean;
  readonly order: RowOrder | undefined;
  readonly page: Page;
  /** When others should go first. */
  readonly pace: Pace;
}

interface Pipeline extends Steps {
  /** `$apply`, which comes before all other steps. */
  readonly apply: Run | undefined;
  /** The input set bound to `$these` in the following steps. */
  readonly these: InputSet;
  /** Adds what `$compute` made, and leaves out what the answer does not show. */
  readonly extend: ((row: Row) => Row) | undefined;
}

/** The rows of an answer, and how many there are on all pages where `$count` asks for it. */
export interface QueryResult {
  readonly rows: readonly Row[];
  readonly count: number | undefined;
}

/**
 * Runs the steps in the standard's order (Part 1, 11.2.1): apply, search, filter, count, orderby, skip, top.
 *
 * Computed properties are evaluated where they are used, and for the rows of the answer at the end.
 */
export function* runPipeline(pipeline: Pipeline, rows: Rows): Work<QueryResult> {
  const { apply, these, pace } = pipeline;
  const applied = apply === undefined ? rows : yield* apply(rows);
  if (!these.isAskedFor) return yield* behindApply(pipeline, applied);
  const input = yield* rowsAtOnce(applied, pace);
  return yield* withValue(these, input, () => behindApply(pipeline, input));
}

/** Steps after `$apply` see its results, and may need all of them. */
function* behindApply(pipeline: Pipeline, rows: Rows): Work<QueryResult> {
  const { extend, pace } = pipeline;
  const { rows: found, count } = yield* runSteps(pipeline, rows);
  return { rows: extend === undefined ? found : yield* mapped(found, pace, extend), count };
}

/** The steps alone, as for a collection within a row. */
export function* runSteps(steps: Steps, rows: Rows): Work<QueryResult> {
  const { rows: found, count } =
    steps.order === undefined ? yield* inGivenOrder(steps, rows) : yield* ordered(steps, steps.order, rows);
  return { rows: found, count: steps.count ? count : undefined };
}

/** Without `$count`, the search for rows ends with the page. */
function* inGivenOrder({ accept, count, page, pace }: Steps, rows: Rows) {
  if (accept === undefined) {
    return { rows: yield* takePage(rows, page, pace), count: rows.length };
  }
  const end = rowsUpTo(page);
  if (!count) return { rows: cutPage(yield* filterRows(rows, accept, pace, end), page), count: undefined };
  const found: Row[] = [];
  const accepted = yield* forEachAccepted(rows, accept, pace, (row) => {
    if (found.length < end) found.push(row);
  });
  return { rows: cutPage(found, page), count: accepted };
}

export function* filterRows(
  rows: Rows,
  accept: Predicate,
  pace: Pace,
  limit = Number.POSITIVE_INFINITY,
): Work<readonly Row[]> {
  const found: Row[] = [];
  for (const row of rows) {
    if (found.length >= limit) return found;
    if (accept(row)) found.push(row);
    if (pace.isDue()) yield;
  }
  return Array.isArray(rows) && found.length === rows.length ? rows : found;
}

function* ordered({ accept, page, pace }: Steps, order: RowOrder, rows: Rows) {
  if (page.top === Number.POSITIVE_INFINITY) {
    const found =
      accept === undefined ? yield* rowsAtOnce(rows, pace) : yield* filterRows(rows, accept, pace);
    const sorted = yield* sortRows(found, [order.first, ...order.rest], pace);
    return { rows: cutPage(sorted, page), count: found.length };
  }
  const sorter = createSorter(order, rowsUpTo(page));
  const count = yield* forEachAccepted(rows, accept, pace, sorter.offer);
  return { rows: cutPage(yield* sorter.take(pace), page), count };
}

function* forEachAccepted(
  rows: Rows,
  accept: Predicate | undefined,
  pace: Pace,
  visit: (row: Row) => void,
): Work<number> {
  let count = 0;
  for (const row of rows) {
    if (accept === undefined || accept(row)) {
      count += 1;
      visit(row);
    }
    if (pace.isDue()) yield;
  }
  return count;
}

/** `$skip` and `$top` (Part 1, 11.2.6.3 and 11.2.6.4). */
interface Page {
  readonly skip: number;
  /** Infinity where there is no `$top`. */
  readonly top: number;
}

export function pageOf({ skip = 0, top = Number.POSITIVE_INFINITY }: SystemQueryOptions): Page {
  return { skip, top };
}

/** The number of matching rows that fill the page. */
function rowsUpTo({ skip, top }: Page): number {
  return top === 0 ? 0 : skip + top;
}

/** The page's part of rows; the same array where that is all of them. */
function cutPage<Item>(rows: readonly Item[], { skip, top }: Page): readonly Item[] {
  return skip === 0 && rows.length <= top ? rows : rows.slice(skip, skip + top);
}

/** Takes the page's part of rows of which those behind the page need not be made. */
export function* takePage(rows: Rows, page: Page, pace: Pace): Work<readonly Row[]> {
  const end = rowsUpTo(page);
  if (Array.isArray(rows) || end >= rows.length) return cutPage(yield* rowsAtOnce(rows, pace), page);
  const found = yield* mapped(Iterator.from(rows).take(end), pace, (row) => row);
  return found.slice(page.skip);
}

/** `$search` and `$filter`, both of which a row, or an item of a collection in it, must pass. */
export function compileAccept(
  { filter, search }: Pick<SystemQueryOptions, 'filter' | 'search'>,
  scope: Scope,
): Predicate | undefined {
  const found = search && compileSearch(search, searchedTexts(searchedType(scope)));
  const accepted = filter && compileTrue(bindCondition(filter, scope));
  return found === undefined || accepted === undefined
    ? (found ?? accepted)
    : (row) => accepted(row) && found(row);
}

/**
 * The conditions for calling a function on a row: `$search` and the parts of `$filter` without calls. Rows
 * that fail them are excluded anyway.
 */
export function compileBeforeCalls(
  { filter, search }: Pick<SystemQueryOptions, 'filter' | 'search'>,
  outer: Scope,
): Predicate {
  const scope = { ...outer, nodes: { limit: Number.POSITIVE_INFINITY, used: 0 } };
  const { calls = new Map() } = scope;
  const bound = (filter === undefined ? [] : conjuncts(filter)).map((each) => bindCondition(each, scope));
  const free = bound.filter((condition) => !readsCall(condition, calls)).map(compileTrue);
  const found = search && compileSearch(search, searchedTexts(searchedType(scope)));
  return (row) => free.every((accepts) => accepts(row)) && found?.(row) !== false;
}

/** Records the properties that `$search` reads from the fetched row. */
function searchedType({ instance, row, reads, related }: Scope): SingleType {
  const type = structuredOf(instance.type);
  if (type !== undefined && instance === row) noteSearched(type, { properties: reads, related });
  return itemType(instance.type);
}

/** The conditions that are joined by `and`: all of them must be true. */
export function conjuncts(expression: Expression): readonly Expression[] {
  if (expression.kind !== 'binary' || expression.operator !== 'and') return [expression];
  return [...conjuncts(expression.left), ...conjuncts(expression.right)];
}
