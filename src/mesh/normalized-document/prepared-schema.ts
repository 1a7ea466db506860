/** A JSON schema as Mesh is given it. */
export type PreparedSchema = Readonly<Record<string, unknown>>;

/** Values of any type: a JSON scalar. A new one each time, because Mesh writes into what it is given. */
export function anySchema(): PreparedSchema {
  return { title: 'Any' };
}

export function isAny(schema: PreparedSchema): boolean {
  return schema['title'] === 'Any';
}
