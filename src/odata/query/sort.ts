import type { Row } from '../../contract/entity-source.ts';
import type { OrderTerm, RowOrder, SortKey } from './order.ts';

/** A row with its keys. Those behind the first are read when two rows tie on it. */
interface Entry {
  readonly row: Row;
  /** The row's place among the rows that came: equal rows stay in their order. */
  readonly place: number;
  readonly first: SortKey;
  rest: readonly SortKey[] | undefined;
}

/** Takes rows in, and gives the first of them in the order: all of them, or as many as it was made for. */
export interface Sorter {
  readonly offer: (row: Row) => void;
  readonly take: () => readonly Row[];
}

/**
 * Sorts rows, keeping no more than `size` of them.
 *
 * Until it is full it only collects; then it is a heap whose root is the last of the rows it keeps, and
 * most rows are turned away by one comparison.
 */
export function createSorter(order: RowOrder, size: number): Sorter {
  const entries: Entry[] = [];
  const compare = entryComparer(order);
  let places = 0;
  const offer = (row: Row): void => {
    const first = order.first.read(row);
    const place = places++;
    if (entries.length < size) {
      entries.push({ row, place, first, rest: undefined });
      if (entries.length === size) {
        heapify(entries, compare);
      }
    } else if (mayPrecede(entries[0], first, order.first)) {
      replaceRoot(entries, { row, place, first, rest: undefined }, compare);
    }
  };
  return { offer, take: () => entries.sort(compare).map(({ row }) => row) };
}

type CompareEntries = (left: Entry, right: Entry) => number;

function entryComparer({ first, rest }: RowOrder): CompareEntries {
  return (left, right) =>
    first.compare(left.first, right.first) || compareRest(left, right, rest) || left.place - right.place;
}

function compareRest(left: Entry, right: Entry, terms: readonly OrderTerm[]): number {
  const leftKeys = restOf(left, terms);
  const rightKeys = restOf(right, terms);
  for (const [index, { compare }] of terms.entries()) {
    const outcome = compare(leftKeys[index] ?? null, rightKeys[index] ?? null);
    if (outcome !== 0) {
      return outcome;
    }
  }
  return 0;
}

function restOf(entry: Entry, terms: readonly OrderTerm[]): readonly SortKey[] {
  entry.rest ??= terms.map(({ read }) => read(entry.row));
  return entry.rest;
}

function mayPrecede(last: Entry | undefined, first: SortKey, term: OrderTerm): boolean {
  return last !== undefined && term.compare(first, last.first) <= 0;
}

function heapify(entries: Entry[], compare: CompareEntries): void {
  for (let parent = (entries.length >> 1) - 1; parent >= 0; parent--) {
    const entry = entries[parent];
    if (entry !== undefined) {
      siftDown(entries, parent, entry, compare);
    }
  }
}

function replaceRoot(entries: Entry[], entry: Entry, compare: CompareEntries): void {
  const [root] = entries;
  if (root !== undefined && compare(entry, root) < 0) {
    siftDown(entries, 0, entry, compare);
  }
}

/** Puts an entry where all below it precede it, starting at a place that is free. */
function siftDown(entries: Entry[], from: number, entry: Entry, compare: CompareEntries): void {
  let hole = from;
  for (;;) {
    const child = laterChild(entries, hole, compare);
    const found = entries[child];
    if (found === undefined || compare(found, entry) <= 0) {
      break;
    }
    entries[hole] = found;
    hole = child;
  }
  entries[hole] = entry;
}

function laterChild(entries: readonly Entry[], parent: number, compare: CompareEntries): number {
  const left = entries[2 * parent + 1];
  const right = entries[2 * parent + 2];
  return left !== undefined && right !== undefined && compare(right, left) > 0
    ? 2 * parent + 2
    : 2 * parent + 1;
}
