export type Json = string | number | boolean | readonly Json[] | JsonObject;

/** An object of a CSDL JSON document, without undefined members. */
export interface JsonObject {
  readonly [name: string]: Json | undefined;
}

export function schemasOf(document: JsonObject): readonly (readonly [string, JsonObject])[] {
  return Object.entries(document).flatMap(([name, value]) => (isSchema(name, value) ? [[name, value]] : []));
}

function isSchema(name: string, value: Json | undefined): value is JsonObject {
  return !name.startsWith('$') && isObject(value);
}

/** A type by its full name, or a collection of it. */
export interface TypeUse {
  readonly type: string;
  readonly collection: boolean;
}

/** The default type is a string (CSDL JSON 4.01, 7.1). */
export function typeUse(element: JsonObject): TypeUse {
  return { type: textAt(element, '$Type') ?? 'Edm.String', collection: element['$Collection'] === true };
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && !Array.isArray(value);
}

/** The value of the member, if it is an object. */
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

/** The members that represent model elements or properties, without control information and annotations. */
export function namedMembers(object: JsonObject): readonly (readonly [string, Json])[] {
  return Object.entries(object).flatMap(([name, value]) =>
    value === undefined || /[$@]/.test(name) ? [] : [[name, value] as const],
  );
}
