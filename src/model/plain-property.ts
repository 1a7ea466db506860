import type { EntityType, NavigationProperty } from './edm.ts';

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
