import type { NavigationProperty, StructuralProperty, TypeUse } from './edm.ts';

/** A property that may be null and of which nothing is known but its type. */
export function plainProperty(
  name: string,
  { type, collection }: Pick<TypeUse, 'type' | 'collection'>,
): StructuralProperty {
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
export function embeddedNavigation(
  name: string,
  entityType: string,
  collection: boolean,
): NavigationProperty {
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
