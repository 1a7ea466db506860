import type { Row } from '../../contract/row.ts';
import { mapped, type Pace, type Work } from '../../contract/work.ts';
import { mergeSorted } from './merge-sort.ts';
import type { OrderTerm, RowOrder, SortKey } from './order.ts';

/** Sorts rows by one term, then those that tie by the next; rows that tie on all keep their order. */
export function* sortRows(
  rows: readonly Row[],
  terms: readonly OrderTerm[],
  pace: Pace,
): Work<readonly Row[]> {
  const [term, ...rest] = terms;
  if (term === undefined || rows.length < 2) {
    return rows;
  }
  const { compare, read } = term;
  const keyed = yield* mapped(rows, pace, (row) => ({ row, key: read(row) }));
  const sorted = yield* mergeSorted(keyed, (left, right) => compare(left.key, right.key));
  return rest.length === 0
    ? yield* mapped(sorted, pace, ({ row }) => row)
    : yield* sortTies(sorted, compare, rest, pace);
}

interface Keyed {
  readonly row: Row;
  readonly key: SortKey;
}

function* sortTies(
  keyed: readonly Keyed[],
  compare: OrderTerm['compare'],
  rest: readonly OrderTerm[],
  pace: Pace,
): Work<readonly Row[]> {
  const sorted: Row[] = [];
  let ties: Row[] = [];
  let last: SortKey | undefined;
  for (const { row, key } of keyed) {
    if (last !== undefined && compare(last, key) !== 0) {
      append(sorted, ties.length > 1 ? yield* sortRows(ties, rest, pace) : ties);
      ties = [];
    }
    ties.push(row);
    last = key;
    if (pace.isDue()) yield;
  }
  append(sorted, yield* sortRows(ties, rest, pace));
  return sorted;
}

function append(to: Row[], rows: readonly Row[]): void {
  for (const row of rows) {
    to.push(row);
  }
}

/** A row among those that are kept. The keys behind the first are read when two rows tie on it. */
interface Entry extends Keyed {
  /** The row's place among the rows that came: equal rows stay in their order. */
  readonly place: number;
}

/** Takes rows in, and gives the first of them in the order. */
interface Sorter {
  readonly offer: (row: Row) => void;
  readonly take: (pace: Pace) => Work<readonly Row[]>;
}

/**
 * Finds the first `size` rows of an order, keeping no more than those.
 *
 * Until it is full it only collects; then it is a heap whose root is the last of the rows it keeps, and
 * most rows are turned away by one comparison.
 */
export function createSorter(order: RowOrder, size: number): Sorter {
  const { first, rest } = order;
  const entries: Entry[] = [];
  const compare = entryComparer(order);
  let places = 0;
  const offer = (row: Row): void => {
    const key = first.read(row);
    const place = places++;
    const root = entries[0];
    if (entries.length < size) {
      entries.push({ row, key, place });
      if (entries.length === size) {
        heapify(entries, compare);
      }
    } else if (root !== undefined && first.compare(key, root.key) <= 0) {
      replaceRoot(entries, { row, key, place }, compare);
    }
  };
  return { offer, take: (pace) => sortRows(rowsInPlace(entries), [first, ...rest], pace) };
}

function rowsInPlace(entries: readonly Entry[]): readonly Row[] {
  return entries.toSorted((left, right) => left.place - right.place).map(({ row }) => row);
}

type CompareEntries = (left: Entry, right: Entry) => number;

function entryComparer({ first, rest }: RowOrder): CompareEntries {
  return (left, right) =>
    first.compare(left.key, right.key) || compareRest(left.row, right.row, rest) || left.place - right.place;
}

function compareRest(left: Row, right: Row, terms: readonly OrderTerm[]): number {
  for (const { read, compare } of terms) {
    const outcome = compare(read(left), read(right));
    if (outcome !== 0) {
      return outcome;
    }
  }
  return 0;
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
