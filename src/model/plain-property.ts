import type { EntityType, NavigationProperty, StructuralProperty, StructuredType } from './edm.ts';
import { isComparable, type PrimitiveTypeName } from './type-use.ts';

/** A property that may be null and of which nothing is known but its type. */
export function plainProperty<Type>(
  name: string,
  { type, collection }: { readonly type: Type; readonly collection: boolean },
) {
  return {
    name,
    upstreamName: name,
    upstreamTypes: [],
    type,
    collection,
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

/** A property that leads to entities which stand in the JSON of the one that has it. */
export function embeddedNavigation<Type extends string | EntityType>(
  name: string,
  entityType: Type,
  collection: boolean,
): EmbeddedNavigation<Type> {
  return {
    name,
    description: undefined,
    entityType,
    collection,
    nullable: true,
    containsTarget: false,
    target: undefined,
    partner: undefined,
    constraints: [],
    origin: { kind: 'embedded', upstreamName: name },
    addReference: undefined,
    removeReference: undefined,
  };
}

interface EmbeddedNavigation<Type> extends Omit<NavigationProperty, 'entityType' | 'target' | 'partner'> {
  readonly entityType: Type;
  readonly target: undefined;
  readonly partner: undefined;
}

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
