import type { Row } from '../../contract/row.ts';
import { mapped, type Pace, type Work } from '../../core/work.ts';
import { bindExpression } from '../bind/bind-expression.ts';
import { bindKeyPart, isStream } from '../bind/bind-path.ts';
import {
  compareKeys,
  compileValue,
  type Key,
  type KeyReader,
  keyReader,
  type Ordering,
  orderingOf,
} from '../compile/compile.ts';
import { memberNumber } from '../operators/bind-operator.ts';
import { type BoundExpression, badRequest, type Scope } from '../scope/scope.ts';
import type { Expression, OrderByItem } from '../tree/query-tree.ts';
import {
  type ExpressionType,
  enumerationOf,
  isCollection,
  isGeography,
  isPlainNumber,
  isStructured,
  structuredOf,
  typeName,
} from '../typing/expression-type.ts';

/** The sort key of a row; null if the expression is null. */
type SortKey = Key | null;

/** One term of `$orderby`: what it reads, and which of two keys comes first. */
interface OrderTerm {
  readonly read: KeyReader;
  readonly compare: (left: SortKey, right: SortKey) => number;
}

/** An order of rows: the first term, which usually decides, and the others. */
export interface RowOrder {
  readonly first: OrderTerm;
  readonly rest: readonly OrderTerm[];
}

/**
 * Compiles `$orderby` (Part 1, 11.2.6.2): null is least, false is less than true, strings go by code unit.
 *
 * The properties of the key are the last terms, so that pages of equal rows do not overlap (11.2.6.3).
 */
export function compileOrder(
  items: readonly OrderByItem[],
  key: readonly string[],
  scope: Scope,
): RowOrder | undefined {
  const named = items.map((item) => compileItem(item, scope));
  const [first, ...rest] = [
    ...named,
    ...key.map((name) => term(sortable(bindKeyPart(name, scope), scope), false)),
  ];
  return items.length === 0 || first === undefined ? undefined : { first, rest };
}

function compileItem({ expression, descending }: OrderByItem, scope: Scope): OrderTerm {
  assertNoStream(expression, scope);
  return term(sortable(bindExpression(expression, scope), scope), descending);
}

/** Streams have no order (11.2.6.2), whatever else expressions may do with them. */
function assertNoStream(expression: Expression, scope: Scope): void {
  const type = structuredOf(scope.instance.type);
  if (type === undefined || expression.kind !== 'path' || expression.root !== undefined) return;
  const [first, ...more] = expression.segments;
  if (first?.kind === 'name' && more.length === 0 && isStream(type, first.name)) {
    throw unsortable(expression.position, 'Edm.Stream', scope);
  }
}

function unsortable(position: number, found: ExpressionType, scope: Scope): Error {
  return badRequest(
    scope,
    position,
    `expected a single primitive value to sort by, found ${typeName(found)}`,
  );
}

/** Enumerations go by their numbers. Collections, structured values and shapes have no order. */
function sortable(bound: BoundExpression, scope: Scope): BoundExpression {
  const { type, position } = bound;
  const enumeration = enumerationOf(type);
  if (enumeration !== undefined) return memberNumber(bound, enumeration);
  if (isCollection(type) || isStructured(type) || isGeography(type)) throw unsortable(position, type, scope);
  return bound;
}

function term(expression: BoundExpression, descending: boolean): OrderTerm {
  const ordering = orderingOf(expression.type);
  const compare = ascending(ordering, expression.type);
  return {
    read: keyReader(compileValue(expression), ordering),
    compare: descending ? (left, right) => compare(right, left) : compare,
  };
}

/** Null is least. Texts and numbers have functions of their own: each then meets one type only. */
function ascending({ compare }: Ordering, type: ExpressionType): OrderTerm['compare'] {
  if (compare !== compareKeys) {
    return nullsFirst(compare);
  }
  return type === 'Edm.String'
    ? compareTexts
    : isPlainNumber(type)
      ? compareNumbers
      : nullsFirst(compareKeys);
}

function compareTexts(left: SortKey, right: SortKey): number {
  if (left === right) {
    return 0;
  }
  if (left === null || right === null) {
    return left === null ? -1 : 1;
  }
  return left < right ? -1 : 1;
}

function compareNumbers(left: SortKey, right: SortKey): number {
  if (left === right) {
    return 0;
  }
  if (left === null || right === null) {
    return left === null ? -1 : 1;
  }
  return left < right ? -1 : left > right ? 1 : compareNaN(left, right);
}

function nullsFirst(compare: Ordering['compare']): OrderTerm['compare'] {
  return (left, right) => {
    if (left === null || right === null) {
      return Number(left !== null) - Number(right !== null);
    }
    const outcome = compare(left, right);
    return Number.isNaN(outcome)
      ? KINDS.indexOf(kindOf(left)) - KINDS.indexOf(kindOf(right)) || compareNaN(left, right)
      : outcome;
  };
}

const KINDS = ['boolean', 'number', 'string', 'object'];

function kindOf(key: Key): string {
  return typeof key === 'bigint' ? 'number' : typeof key;
}

/** NaN has no place in the order of numbers: it goes behind null and before them. */
function compareNaN(left: Key, right: Key): number {
  return Number(Number.isNaN(right)) - Number(Number.isNaN(left));
}

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
  return {
    offer,
    take: (pace) =>
      sortRows(
        entries.toSorted((left, right) => left.place - right.place).map(({ row }) => row),
        [first, ...rest],
        pace,
      ),
  };
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
    const left = entries[2 * hole + 1];
    const right = entries[2 * hole + 2];
    const child =
      left !== undefined && right !== undefined && compare(right, left) > 0 ? 2 * hole + 2 : 2 * hole + 1;
    const found = entries[child];
    if (found === undefined || compare(found, entry) <= 0) {
      break;
    }
    entries[hole] = found;
    hole = child;
  }
  entries[hole] = entry;
}

type Compare<Item> = (left: Item, right: Item) => number;

/** The items that are sorted, or merged, in a millisecond or two. */
const STRETCH = 4096;

/**
 * The items in order; those that are equal keep theirs. Long lists are sorted in parts, which are merged two by two:
 * others can go first in between.
 */
function* mergeSorted<Item extends object>(
  items: readonly Item[],
  compare: Compare<Item>,
): Work<readonly Item[]> {
  let parts: (readonly Item[])[] = [];
  for (let start = 0; start < items.length; start += STRETCH) {
    parts.push(items.slice(start, start + STRETCH).sort(compare));
    if (items.length > STRETCH) yield;
  }
  while (parts.length > 1) {
    const merged: (readonly Item[])[] = [];
    for (let index = 0; index < parts.length; index += 2) {
      merged.push(yield* merge(parts[index] ?? [], parts[index + 1] ?? [], compare));
    }
    parts = merged;
  }
  return parts[0] ?? [];
}

/** Merges two sorted lists; of equal items those on the left come first. */
function* merge<Item extends object>(
  left: readonly Item[],
  right: readonly Item[],
  compare: Compare<Item>,
): Work<readonly Item[]> {
  if (right.length === 0) return left;
  const merging: Merging<Item> = { left, right, first: 0, second: 0, merged: [] };
  const size = left.length + right.length;
  while (merging.merged.length < size) {
    mergeUpTo(Math.min(size, merging.merged.length + STRETCH), merging, compare);
    yield;
  }
  return merging.merged;
}

interface Merging<Item extends object> {
  readonly left: readonly Item[];
  readonly right: readonly Item[];
  /** The number of merged items of both lists. */
  first: number;
  second: number;
  readonly merged: Item[];
}

function mergeUpTo<Item extends object>(end: number, merging: Merging<Item>, compare: Compare<Item>): void {
  const { left, right, merged } = merging;
  let { first, second } = merging;
  while (merged.length < end) {
    const one = left[first];
    const other = right[second];
    if (one !== undefined && (other === undefined || compare(one, other) <= 0)) {
      merged.push(one);
      first += 1;
    } else if (other !== undefined) {
      merged.push(other);
      second += 1;
    }
  }
  merging.first = first;
  merging.second = second;
}
