import type { Json, JsonObject } from '../csdl/csdl-json-annotation.ts';

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
