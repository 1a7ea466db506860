import type {
  CollectionResource,
  EntityResource,
  PlaceOperations,
} from '../../../engine/resource/resource.ts';
import type { EntitySet, NavigationProperty } from '../../../model/edm.ts';
import type { EntityContent } from '../../payload/json/entity-content.ts';

/** What can be done with entities where their canonical URL leads to, wherever an answer shows them. */
export type UpdatableTarget = Pick<EntityContent, 'editable' | 'places'>;

type Changes = Pick<PlaceOperations, 'update' | 'delete'>;

export function placeOfSet(set: EntitySet): UpdatableTarget {
  return { editable: isChangeable(set), places: [set.name] };
}

export function placeOfResource(resource: CollectionResource | EntityResource): UpdatableTarget {
  if (resource.entitySet !== undefined) return placeOfSet(resource.entitySet);
  return { editable: isChangeable(changesOf(resource)), places: [resource.path] };
}

/** Where the entities behind a navigation property are. */
export function placeOfRelated({ target, origin }: NavigationProperty): UpdatableTarget {
  if (target !== undefined) return placeOfSet(target);
  const places = origin.kind === 'path' ? origin.places : [];
  return { editable: places.some(isChangeable), places: places.map(({ path }) => path) };
}

function changesOf(resource: CollectionResource | EntityResource): Changes {
  if (resource.kind === 'entity') return resource;
  return resource.origin.kind === 'operations' ? resource.origin.operations : NO_CHANGES;
}

const NO_CHANGES: Changes = { update: undefined, delete: undefined };

function isChangeable({ update, delete: remove }: Changes): boolean {
  return update !== undefined || remove !== undefined;
}
