import { type EntityType, etagProperty, type NavigationProperty } from '../../model/edm.ts';
import type { Operation } from '../../model/operation.ts';
import { relatedResourceName } from '../../model/resource-grants.ts';
import type { Projection } from '../pipeline/compile-query.ts';
import type { LoadRequest } from '../resource/load-context.ts';
import { isRootCall, type RelatedReads } from '../scope/scope.ts';

/**
 * The properties of an entity that its related entities are found by; in front of those that stand in its
 * own JSON, the navigation property itself.
 */
export function propertiesBehind({ key }: EntityType, navigation: NavigationProperty): readonly string[] {
  const { origin, name } = navigation;
  switch (origin.kind) {
    case 'embedded':
      return [...key, name];
    case 'link':
      return [...key, ...origin.operation.parameters.map(({ property }) => property)];
    case 'referring':
      return [...new Set([...key, origin.foreignKey.referencedProperty])];
    case 'path':
      return [...new Set([...key, ...origin.places.flatMap(({ list }) => ownProperties(list))])];
  }
}

/** The owner's properties that fill parameters of the list of its related entities. */
function ownProperties(list: Operation | undefined): readonly string[] {
  const own = list?.parameters.filter(({ up = 0 }) => up === 0) ?? [];
  return own.map(({ property }) => property);
}

/** The properties that the related entities are found by. */
export function propertiesFor(type: EntityType, related: Projection['related']): readonly string[] {
  return [...related.values()].flatMap(({ navigation }) => propertiesBehind(type, navigation));
}

type Reading = Pick<Projection, 'properties' | 'dynamic' | 'related'> & Partial<Pick<Projection, 'roots'>>;

/** The needs of expanding, of the entities that are expanded. */
interface ExpandedReads {
  readonly properties: readonly string[];
  readonly resources: readonly string[];
  readonly dynamic?: boolean;
}

/** The properties to load: for options, to find related entities by, and for the ETag. */
export function wantedFor(type: EntityType, query: Reading, expander?: ExpandedReads): LoadRequest {
  const { properties, dynamic, related, roots = [] } = query;
  const etag = etagProperty(type);
  if (expander === undefined && related.size === 0 && roots.length === 0 && etag === undefined)
    return { properties, dynamic };
  const behind = [
    ...propertiesFor(type, related),
    ...(expander?.properties ?? []),
    ...(etag === undefined ? [] : [etag]),
  ];
  const resources = [...relatedResources(query), ...(expander?.resources ?? [])];
  return {
    properties: [...new Set([...properties, ...behind])],
    dynamic: dynamic || expander?.dynamic === true,
    related: [...new Set(resources)],
  };
}

/** The resources of the entities that options read beside those that they are about. */
export function relatedResources({
  related,
  roots = [],
}: Pick<Projection, 'related'> & Partial<Pick<Projection, 'roots'>>): readonly string[] {
  return [
    ...[...related.values()].flatMap(resourcesOf),
    // Functions ask for a permission of their own when they are called.
    ...roots.flatMap((root) => (isRootCall(root) ? [] : [root.segment.name, ...relatedResources(root)])),
  ];
}

function resourcesOf({ navigation, related }: RelatedReads): readonly string[] {
  return [relatedResourceName(navigation) ?? [], ...relatedResources({ related })].flat();
}
