/**
 * The options of an LRU cache with at most `entries` entries. With `max`, the cache would allocate the slots
 * of all entries at once.
 */
export function entryLimit(entries: number): {
  readonly maxSize: number;
  readonly sizeCalculation: () => number;
} {
  return { maxSize: entries, sizeCalculation: () => 1 };
}
