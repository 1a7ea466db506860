/** The options of an LRU cache of so many entries. With `max`, the cache would allocate the slots of all of them at once. */
export function entryLimit(entries: number): {
  readonly maxSize: number;
  readonly sizeCalculation: () => number;
} {
  return { maxSize: entries, sizeCalculation: () => 1 };
}
