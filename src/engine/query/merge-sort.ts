import type { Work } from '../../contract/work.ts';

type Compare<Item> = (left: Item, right: Item) => number;

/** As many items are sorted, or merged, in a millisecond or two. */
const STRETCH = 4096;

/**
 * The items in order; those that are equal keep theirs. Long lists are sorted in parts, which are merged two by two:
 * others can go first in between.
 */
export function* mergeSorted<Item extends object>(
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

/** Of items that are equal those on the left come first. */
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
  /** What of both is merged already. */
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
