import type { EntitySet } from '../../model/edm.ts';
import type { CollectionResource } from './resource.ts';

/** All entities of a set. */
export function collectionOf(entitySet: EntitySet): CollectionResource {
  const { name, entityType } = entitySet;
  return {
    kind: 'collection',
    path: name,
    url: name,
    home: name,
    resource: name,
    entityType,
    entitySet,
    type: entityType,
    isCast: false,
    known: {},
    origin: { kind: 'operations', operations: entitySet, owner: undefined },
  };
}
