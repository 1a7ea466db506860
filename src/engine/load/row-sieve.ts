import type { PageSieve } from '../../contract/entity-source.ts';
import type { Row, Rows, Value } from '../../contract/row.ts';
import type { ListPlan } from '../plan/read-plan.ts';
import type { LoadContext, LoadSink } from '../resource/load-context.ts';
import { ALL_ROWS, type FirstOrder, type ReadNeeds } from '../resource/read-needs.ts';

/** An answer is not in the order that its list was asked for. */
export class OutOfOrder extends Error {}

interface RowSieve extends PageSieve {
  /** The sieve has been used: several lists that are read as one have none. */
  readonly isUsed: boolean;
}

/**
 * Takes the rows that meet the conditions, until there are as many as the plan needs; of a sorted list, also those that
 * have the same value as the last of them. `checkFirst` is given the first page before. Undefined if the plan needs all rows, and no sink takes those that are left.
 */
export function sieveFor(
  { context: { budget } }: Pick<LoadContext, 'context'>,
  { accept, order, enough }: ReadNeeds,
  { end, sorting }: Pick<ListPlan, 'end' | 'sorting'>,
  sink: LoadSink | undefined,
  checkFirst: (rows: Rows) => void = () => undefined,
): RowSieve | undefined {
  const isEndless = end === undefined && enough === undefined;
  let isDecided = enough?.();
  if (accept === undefined || (isEndless && (sink === undefined || accept === ALL_ROWS))) return undefined;
  const most = end ?? Number.POSITIVE_INFINITY;
  const sorted = sorting === undefined ? undefined : order;
  let have = 0;
  let last: Value | undefined;
  let atEnd: Value | undefined;
  let isUsed = false;
  let isFirst = true;
  return {
    isEndless,
    get isUsed() {
      return isUsed;
    },
    async take(given) {
      if (isFirst) checkFirst(given);
      isFirst = false;
      isUsed = true;
      if (sink !== undefined) {
        sink.isSieved = true;
        // The list is bounded by itself, and the budget bounds what is made of each page.
        budget.renew();
      }
      const rows = sorted === undefined ? given : await budget.rows(given);
      if (sorted !== undefined) last = assertSorted(rows, sorted, last);
      const accepted = await accept(budget, rows);
      if (sorted !== undefined && have < most) atEnd = accepted[most - have - 1]?.[sorted.property];
      have += accepted.length;
      const isTied = sorted !== undefined && (atEnd === undefined || rankOf(last) === rankOf(atEnd));
      return { rows: accepted, isEnough: isDecided?.(accepted) === true || (have >= most && !isTied) };
    },
    restart() {
      have = 0;
      isDecided = enough?.();
      last = undefined;
      atEnd = undefined;
    },
  };
}

/** The last value, behind rows that are in order. */
function assertSorted(
  rows: Iterable<Row>,
  { property, descending }: FirstOrder,
  before: Value | undefined,
): Value | undefined {
  let last = before;
  for (const row of rows) {
    const value = row[property] ?? null;
    const [low, high] = descending ? [value, last] : [last, value];
    if (last !== undefined && !(rankOf(low) <= rankOf(high))) throw new OutOfOrder();
    last = value;
  }
  return last;
}

/** Sorts numbers and points in time, null before all; NaN for other values. */
function rankOf(value: Value | undefined): number {
  if (value === null) return Number.NEGATIVE_INFINITY;
  return typeof value === 'string'
    ? timeOrNumber(value)
    : typeof value === 'boolean'
      ? Number.NaN
      : Number(value);
}

function timeOrNumber(text: string): number {
  const number = Number(text);
  return Number.isNaN(number) ? Date.parse(text) : number;
}
