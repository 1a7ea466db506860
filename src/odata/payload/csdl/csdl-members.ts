/** What a member of a CSDL JSON document may hold. */
export type Json = string | number | boolean | readonly Json[] | JsonObject;

/** An object of a CSDL JSON document; members that are undefined are not there. */
export interface JsonObject {
  readonly [name: string]: Json | undefined;
}

/** The document's schemas by their namespaces. */
export function schemasOf(document: JsonObject): readonly (readonly [string, JsonObject])[] {
  return Object.entries(document).flatMap(([name, value]) => (isSchema(name, value) ? [[name, value]] : []));
}

function isSchema(name: string, value: Json | undefined): value is JsonObject {
  return !name.startsWith('$') && isObject(value);
}

/** What a value has to be: a type by its full name, or a list of it. */
export interface TypeUse {
  readonly type: string;
  readonly collection: boolean;
}

/** What has no type is a string (CSDL JSON 4.01, 7.1). */
export function typeUse(element: JsonObject): TypeUse {
  return { type: textAt(element, '$Type') ?? 'Edm.String', collection: element['$Collection'] === true };
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && !Array.isArray(value);
}

/** What the member holds, where it is an object. */
export function objectAt(object: JsonObject, name: string): JsonObject | undefined {
  const value = object[name];
  return isObject(value) ? value : undefined;
}

export function listAt(object: JsonObject, name: string): readonly Json[] {
  const value = object[name];
  return Array.isArray(value) ? value : [];
}

export function objectsAt(object: JsonObject, name: string): readonly JsonObject[] {
  return listAt(object, name).filter(isObject);
}

export function textAt(object: JsonObject, name: string): string | undefined {
  const value = object[name];
  return typeof value === 'string' ? value : undefined;
}

/** The members that stand for model elements or properties: neither control information nor annotations. */
export function namedMembers(object: JsonObject): readonly (readonly [string, Json])[] {
  return Object.entries(object).flatMap(([name, value]) =>
    value === undefined || /[$@]/.test(name) ? [] : [[name, value] as const],
  );
}
