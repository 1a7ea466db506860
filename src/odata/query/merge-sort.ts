import type { Work } from '../../contract/work.ts';

type Compare<Item> = (left: Item, right: Item) => number;

/** As many items are sorted, or merged, in a millisecond or two. */
const STRETCH = 4096;

/**
 * The items in order; those that are equal keep theirs. Long lists are sorted in parts, which are merged two by two:
 * others can go first in between.
 */
export function* mergeSorted<Item>(items: readonly Item[], compare: Compare<Item>): Work<readonly Item[]> {
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
function* merge<Item>(
  left: readonly Item[],
  right: readonly Item[],
  compare: Compare<Item>,
): Work<readonly Item[]> {
  if (right.length === 0) return left;
  const merged: Item[] = [];
  const size = left.length + right.length;
  let [first, second] = [0, 0];
  while (merged.length < size) {
    const end = Math.min(size, merged.length + STRETCH);
    while (merged.length < end) {
      const [one, other] = [left[first], right[second]];
      const isLeft = other === undefined || (one !== undefined && compare(one, other) <= 0);
      merged.push((isLeft ? one : other) as Item);
      if (isLeft) first += 1;
      else second += 1;
    }
    yield;
  }
  return merged;
}
