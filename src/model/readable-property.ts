import type { StructuralProperty, StructuredType } from './edm.ts';
import { isComparable, type PrimitiveTypeName } from './type-use.ts';

/** The properties that reads have, in the model's order: of any type, one value or a collection. */
export function readableProperties(type: StructuredType): ReadonlyMap<string, StructuralProperty> {
  return new Map([...type.structuralProperties].filter(([, property]) => isReadable(property)));
}

/** Write-only properties are never read; streams and entities are read elsewhere; an alias is for keys alone. */
export function isReadable({ type, writeOnly, aliasOf }: StructuralProperty): boolean {
  return !writeOnly && aliasOf === undefined && type.kind !== 'entity' && type.name !== 'Edm.Stream';
}

/** The type of a property that holds one primitive value which query options can compare, else undefined. */
export function comparableType(property: StructuralProperty | undefined): PrimitiveTypeName | undefined {
  if (property === undefined || property.collection || !isReadable(property)) return undefined;
  const { type } = property;
  return type.kind === 'primitive' && isComparable(type.name) ? type.name : undefined;
}
