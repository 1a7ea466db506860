import type { PageSieve } from '../../contract/entity-source.ts';
import type { Row, Value } from '../../contract/row.ts';
import type { ListPlan } from '../plan/read-plan.ts';
import type { LoadContext } from '../resource/load-context.ts';
import type { FirstOrder, ReadNeeds } from '../resource/read-needs.ts';

/** An answer is not in the order that its list was asked for. */
export class OutOfOrder extends Error {}

/**
 * Takes the rows that meet the conditions, until there are as many as the plan needs; of a sorted list, also those that
 * have the same value as the last of them. Undefined if the plan needs all rows.
 */
export function sieveFor(
  { context: { budget } }: Pick<LoadContext, 'context'>,
  { accept, order }: ReadNeeds,
  { end, sorting }: ListPlan,
): PageSieve | undefined {
  if (end === undefined || accept === undefined) return undefined;
  const sorted = sorting === undefined ? undefined : order;
  let have = 0;
  let last: Value | undefined;
  let atEnd: Value | undefined;
  return {
    async take(given) {
      const rows = await budget.rows(given);
      if (sorted !== undefined) last = assertSorted(rows, sorted, last);
      const accepted = await accept(budget, rows);
      if (sorted !== undefined && have < end) atEnd = accepted[end - have - 1]?.[sorted.property];
      have += accepted.length;
      const isTied = sorted !== undefined && (atEnd === undefined || rankOf(last) === rankOf(atEnd));
      return { rows: accepted, isEnough: have >= end && !isTied };
    },
    restart() {
      have = 0;
      last = undefined;
      atEnd = undefined;
    },
  };
}

/** The last value, behind rows that are in order. */
function assertSorted(
  rows: readonly Row[],
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
