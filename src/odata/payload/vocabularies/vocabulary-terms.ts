import type { Json, JsonObject } from '../csdl/csdl-json.ts';

/** What a value has to be: a type by its full name, or a list of it. */
export interface TypeUse {
  readonly type: string;
  readonly collection: boolean;
}

/** The terms and types of vocabularies, by full names. */
export interface Terms {
  /** What the term's values are; undefined for a term of another vocabulary. */
  typeOfTerm(name: string): TypeUse | undefined;
  /** What a complex type's property is, also one that it has from its base. */
  typeOfProperty(type: string, property: string): TypeUse | undefined;
  /** The type that a definition stands on; of any other the type itself. */
  underlying(type: string): string;
  isEnumeration(type: string): boolean;
  /** The name with the namespace in the place of its alias. */
  fullName(name: string): string;
}

export function termsOf(documents: Iterable<JsonObject>): Terms {
  const schemas = new Map([...documents].flatMap(schemasOf));
  const namespaces = new Map(
    [...schemas].map(([namespace, schema]) => [textAt(schema, '$Alias') ?? namespace, namespace]),
  );
  const elementNamed = (full: string): JsonObject | undefined => {
    const dot = full.lastIndexOf('.');
    return objectAt(schemas.get(full.slice(0, dot)) ?? {}, full.slice(dot + 1));
  };
  const typeOfProperty = (type: string, name: string): TypeUse | undefined => {
    const found = elementNamed(type);
    const property = objectAt(found ?? {}, name);
    if (property !== undefined) return typeUse(property);
    const base = textAt(found ?? {}, '$BaseType');
    return base === undefined ? undefined : typeOfProperty(base, name);
  };
  return {
    typeOfTerm(name) {
      const term = elementNamed(name);
      return term === undefined ? undefined : typeUse(term);
    },
    typeOfProperty,
    underlying: (type) => textAt(elementNamed(type) ?? {}, '$UnderlyingType') ?? type,
    isEnumeration: (type) => elementNamed(type)?.['$Kind'] === 'EnumType',
    fullName(name) {
      const dot = name.lastIndexOf('.');
      const namespace = namespaces.get(name.slice(0, dot));
      return namespace === undefined ? name : `${namespace}${name.slice(dot)}`;
    },
  };
}

/** The document's schemas by their namespaces. */
export function schemasOf(document: JsonObject): readonly (readonly [string, JsonObject])[] {
  return Object.entries(document).flatMap(([name, value]) => (isSchema(name, value) ? [[name, value]] : []));
}

function isSchema(name: string, value: Json | undefined): value is JsonObject {
  return !name.startsWith('$') && isObject(value);
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
