import type { Row } from '../../contract/entity-source.ts';
import { arrayOf, type Rows } from '../../contract/rows.ts';
import type { Run } from './apply/step.ts';
import type { Predicate } from './compile/evaluator.ts';
import type { RowOrder } from './order.ts';
import { cutPage, type Page, rowsUpTo, takePage } from './page.ts';
import { createSorter, sortRows } from './sort.ts';

/** The steps of a query, compiled. What is undefined does nothing. */
interface Steps {
  /** `$search` and `$filter`. */
  readonly accept: Predicate | undefined;
  readonly count: boolean;
  readonly order: RowOrder | undefined;
  readonly page: Page;
}

interface Pipeline extends Steps {
  /** `$apply`, before all other steps. */
  readonly apply?: Run | undefined;
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
export function runPipeline(pipeline: Pipeline, rows: Rows): QueryResult {
  const { rows: found, count } = runSteps(pipeline, applied(pipeline, rows));
  return { rows: pipeline.extend === undefined ? found : found.map(pipeline.extend), count };
}

function applied({ apply }: Pick<Pipeline, 'apply'>, rows: Rows): Rows {
  return apply === undefined ? rows : apply(rows);
}

/** The steps alone, as for a collection within a row. */
export function runSteps(steps: Steps, rows: Rows): QueryResult {
  const { rows: found, count } =
    steps.order === undefined ? inGivenOrder(steps, rows) : ordered(steps, steps.order, rows);
  return { rows: found, count: steps.count ? count : undefined };
}

/** Counts the rows that `$apply` leaves and that `$search` and `$filter` accept. */
export function countRows({ apply, accept }: Pick<Pipeline, 'apply' | 'accept'>, fetched: Rows): number {
  const rows = applied({ apply }, fetched);
  return accept === undefined ? rows.length : forEachAccepted(rows, accept, () => undefined);
}

/** Where nothing asks for all of the rows, the search for them ends with the page. */
function inGivenOrder({ accept, count, page }: Steps, rows: Rows) {
  if (accept === undefined) {
    return { rows: takePage(rows, page), count: rows.length };
  }
  const found = filterRows(rows, accept, count ? Number.POSITIVE_INFINITY : rowsUpTo(page));
  return { rows: cutPage(found, page), count: found.length };
}

export function filterRows(rows: Rows, accept: Predicate, limit: number): readonly Row[] {
  const found: Row[] = [];
  for (const row of rows) {
    if (found.length >= limit) {
      return found;
    }
    if (accept(row)) {
      found.push(row);
    }
  }
  return Array.isArray(rows) && found.length === rows.length ? rows : found;
}

function ordered({ accept, page }: Steps, order: RowOrder, rows: Rows) {
  if (page.top === Number.POSITIVE_INFINITY) {
    const found = accept === undefined ? arrayOf(rows) : filterRows(rows, accept, rows.length);
    return { rows: cutPage(sortRows(found, [order.first, ...order.rest]), page), count: found.length };
  }
  const sorter = createSorter(order, rowsUpTo(page));
  const count = forEachAccepted(rows, accept, sorter.offer);
  return { rows: cutPage(sorter.take(), page), count };
}

function forEachAccepted(rows: Rows, accept: Predicate | undefined, visit: (row: Row) => void): number {
  let count = 0;
  for (const row of rows) {
    if (accept === undefined || accept(row)) {
      count += 1;
      visit(row);
    }
  }
  return count;
}
