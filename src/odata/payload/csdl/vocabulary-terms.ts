import { type JsonObject, objectAt, schemasOf, type TypeUse, textAt, typeUse } from './csdl-members.ts';

/** The terms and types of vocabularies, by full name. */
export interface Terms {
  /** The type of the term's values; undefined for a term of another vocabulary. */
  typeOfTerm(name: string): TypeUse | undefined;
  /** The type of a complex type's property, own or inherited. */
  typeOfProperty(type: string, property: string): TypeUse | undefined;
  /** The underlying type of a type definition, else the type itself. */
  underlying(type: string): string;
  isEnumeration(type: string): boolean;
  /** Replaces the alias in a name by the namespace. */
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
