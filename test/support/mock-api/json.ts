export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object of that name, or an empty one. */
export function objectAt(node: JsonObject, name: string): JsonObject {
  const value = Object.hasOwn(node, name) ? node[name] : undefined;
  return isObject(value) ? value : {};
}

/** The text of that name, or an empty one. */
export function textAt(node: JsonObject, name: string): string {
  const value = node[name];
  return typeof value === 'string' ? value : '';
}
