/** The parts by their names. */
export function byName<Part extends { readonly name: string }>(
  parts: readonly Part[],
): ReadonlyMap<string, Part> {
  return new Map(parts.map((part) => [part.name, part]));
}

/** The map with what `change` makes of each value. */
export function mapValues<Value, Changed>(
  values: ReadonlyMap<string, Value>,
  change: (value: Value) => Changed,
): ReadonlyMap<string, Changed> {
  return new Map([...values].map(([name, value]) => [name, change(value)]));
}

/** Where things are kept that were made: a map, or a memory that forgets some. */
interface Kept<Key, Made> {
  get(key: Key): Made | undefined;
  set(key: Key, made: Made): unknown;
}

/** What is kept under a key; made when it is first asked for. */
export function madeOnce<Key, Made>(kept: Kept<Key, NoInfer<Made>>, key: Key, make: () => Made): Made {
  const known = kept.get(key);
  if (known !== undefined) return known;
  const made = make();
  kept.set(key, made);
  return made;
}
