import type { EntityType } from './edm.ts';
import type { StructuralProperty } from './structured-type.ts';

/** A property as reads have it: of any type, one value or a collection. */
export type ReadableProperty = Pick<StructuralProperty, 'name' | 'upstreamName' | 'type' | 'collection'>;

/** The properties of an entity type that reads have, in the model's order. */
export function readableProperties(type: EntityType): ReadonlyMap<string, ReadableProperty> {
  const structural = [...(type.structuralProperties?.values() ?? [])].filter(isReadable);
  const found = new Map<string, ReadableProperty>(structural.map((property) => [property.name, property]));
  for (const { name, upstreamName, type: primitive } of type.properties.values()) {
    if (found.has(name)) continue;
    found.set(name, { name, upstreamName, type: { kind: 'primitive', name: primitive }, collection: false });
  }
  return found;
}

/** Write-only properties are never read; streams and entities are read elsewhere. */
export function isReadable({ type, writeOnly }: StructuralProperty): boolean {
  return !writeOnly && type.kind !== 'entity' && type.name !== 'Edm.Stream';
}
