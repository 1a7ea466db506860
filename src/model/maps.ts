export function byName<Part extends { readonly name: string }>(
  parts: readonly Part[],
): ReadonlyMap<string, Part> {
  return new Map(parts.map((part) => [part.name, part]));
}

export function mapValues<Value, Changed>(
  values: ReadonlyMap<string, Value>,
  change: (value: Value) => Changed,
): ReadonlyMap<string, Changed> {
  return new Map([...values].map(([name, value]) => [name, change(value)]));
}

/** A map or an LRU cache. */
interface Kept<Key, Made> {
  get(key: Key): Made | undefined;
  set(key: Key, made: Made): unknown;
}

/** Returns the cached value of a key, computed on first use. */
export function madeOnce<Key, Made>(kept: Kept<Key, NoInfer<Made>>, key: Key, make: () => Made): Made {
  const known = kept.get(key);
  if (known !== undefined) return known;
  const made = make();
  kept.set(key, made);
  return made;
}
