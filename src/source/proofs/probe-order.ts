import type { CollectionSnapshot } from '../../contract/entity-source.ts';
import type { Value } from '../../contract/row.ts';
import type { SortingArguments } from '../../model/operation.ts';
import { type Outcome, type Probe, readLastPage, readPage, refuted, rowName, undecided } from './probe.ts';
import { compare } from './probe-narrowing.ts';

/**
 * Tries out both directions of an order: each page is sorted and without null, their ends meet, and the pages are not
 * the same rows, which an API would show that sorts within its pages. Null comes first in an ascending order, where an API
 * may have it last: the last page is without null, too, unless the document promises a value.
 */
export async function probeOrder(
  probe: Probe,
  { property, descending, required, arguments: sent }: SortingArguments,
): Promise<Outcome> {
  const { list } = probe;
  const opposite = list.operation.sorting?.find(
    (each) => each.property === property && each.descending !== descending,
  );
  if (opposite === undefined) return undecided('the list has one direction only');
  const [own, other] = await Promise.all([readPage(probe, sent), readPage(probe, opposite.arguments)]);
  const [up, down] = descending ? [other, own] : [own, other];
  const [rising, falling] = [valuesOf(up, property), valuesOf(down, property)];
  if (rising === undefined || falling === undefined) return refuted('the property is null in some rows');
  const [least, most] = [rising[0], falling[0]];
  if (least === undefined || most === undefined || compare(least, most) === 0) {
    return undecided('all rows are alike');
  }
  if (!isSorted(rising) || !isSorted(falling.toReversed())) return refuted('a page is not sorted');
  const isSpanned = [...rising, ...falling].every(
    (value) => compare(least, value) <= 0 && compare(value, most) <= 0,
  );
  if (!isSpanned) return refuted('a page begins in the middle');
  const names = new Set(Array.from(up.data, (row) => rowName(list, row)));
  const isSamePage = up.next !== undefined && [...down.data].every((row) => names.has(rowName(list, row)));
  if (isSamePage) return refuted('only the rows of a page are sorted');
  const isNullable =
    list.entityType.structuralProperties.get(property)?.nullable !== false && required !== true;
  if (!descending && isNullable && up.next !== undefined) {
    const last = await readLastPage(probe, sent, up);
    if (last === undefined) return undecided('nothing shows where rows without a value are');
    if (valuesOf(last, property) === undefined) return refuted('the property is null in some rows');
  }
  return { kind: 'proved', values: [] };
}

/** Undefined if one is null. */
function valuesOf({ data }: CollectionSnapshot, property: string): readonly Value[] | undefined {
  const values = Array.from(data, (row) => row[property] ?? null);
  return values.includes(null) ? undefined : values;
}

function isSorted(values: readonly Value[]): boolean {
  return values.every((value, index) => {
    const before = values[index - 1];
    return before === undefined || compare(before, value) <= 0;
  });
}
