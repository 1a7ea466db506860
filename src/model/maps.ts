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
