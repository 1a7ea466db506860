import type { CollectionSnapshot } from '../../contract/entity-source.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { Loading, Wanted } from '../resource/loading.ts';
import type { CollectionResource, EntityResource } from '../resource/resource.ts';
import { demandEntity, loadCollection, missingEntity } from './load.ts';

/**
 * All entities of a collection that the URL addresses. Where there are none, its owner must be there all the
 * same.
 */
export async function demandCollection(
  loading: Loading,
  collection: CollectionResource,
  wanted: Wanted,
): Promise<CollectionSnapshot> {
  const snapshot = await loadCollection(loading, collection, wanted);
  const { origin } = collection;
  const owner = origin.kind === 'operations' ? origin.owner : undefined;
  const isEmpty = snapshot.data.length === 0 && (snapshot.total ?? 0) === 0;
  if (isEmpty && owner !== undefined) await assertParentExists(loading, owner);
  return snapshot;
}

/** The owner of what is asked for must be there; whoever may not see it is not told. */
export async function assertParentExists(loading: Loading, owner: EntityResource): Promise<void> {
  await demandEntity(loading, owner, NOTHING).catch((error: unknown) => {
    if (!(error instanceof GatewayError) || error.code !== 'Forbidden') throw error;
  });
}

/** Of an entity that is only to be there. */
export const NOTHING: Wanted = { properties: [], dynamic: false };

/** Nothing is behind a navigation property that is null; anything else that is not there is NotFound. */
export async function demandNavigation(loading: Loading, entity: EntityResource): Promise<void> {
  const { parent, origin, isCast } = entity;
  const isNavigation =
    origin.kind === 'embedded' || (origin.kind === 'operation' && origin.from === 'parent');
  if (parent === undefined || !isNavigation || isCast) throw missingEntity(entity);
  // What stands in its JSON was looked for there.
  if (origin.kind !== 'embedded') await demandEntity(loading, parent, NOTHING);
}
