import type { EntitySet, EntityType, Model } from '../../src/model/edm.ts';
import type { StructuralProperty } from '../../src/model/structured-type.ts';
import type { PrimitiveTypeName } from '../../src/model/type-use.ts';

/** A property of one primitive value, which may be null. */
export function primitiveProperty(
  name: string,
  type: PrimitiveTypeName,
  upstreamName: string = name,
): StructuralProperty {
  return {
    name,
    upstreamName,
    type: { kind: 'primitive', name: type },
    collection: false,
    nullable: true,
    facets: {},
    description: undefined,
    defaultValue: undefined,
    computed: false,
    writeOnly: false,
    immutable: false,
    deprecated: false,
    searchable: undefined,
    mediaType: undefined,
  };
}

/** An entity type with the key `Id`. */
export function entityTypeOf(
  namespace: string,
  name: string,
  properties: readonly StructuralProperty[],
): EntityType {
  return {
    namespace,
    name,
    description: undefined,
    key: ['Id'],
    structuralProperties: new Map(properties.map((property) => [property.name, property])),
    navigationProperties: new Map(),
    baseType: undefined,
    abstract: false,
    open: false,
    discriminator: undefined,
  };
}

/** A model of entity sets and their types, and of nothing else. */
export function modelOf(namespace: string, entitySets: readonly EntitySet[]): Model {
  return {
    namespace,
    container: 'Container',
    entityTypes: new Map(entitySets.map(({ entityType }) => [entityType.name, entityType])),
    entitySets: new Map(entitySets.map((set) => [set.name, set])),
    complexTypes: new Map(),
    enumerationTypes: new Map(),
    singletons: new Map(),
    callables: [],
    imports: new Map(),
  };
}
