import type { Row } from '../../contract/row.ts';
import type { EntityType } from '../../model/edm.ts';
import type { UpdateOperation } from '../../model/operation.ts';
import { NOTHING } from '../load/assert-parent-exists.ts';
import { demandEntity, missingEntity, operationArguments } from '../load/load.ts';
import type { Loading, Wanted } from '../resource/loading.ts';
import type { EntityResource } from '../resource/resource.ts';
import { type Change, changedValues } from './changed-values.ts';
import type { Changing } from './compensation.ts';
import { demandPrecondition } from './precondition.ts';
import { readable } from './readable.ts';

/** Has the upstream change an entity; the entity as it is then, where the upstream says so. */
export async function changeEntity(
  site: Changing,
  entity: EntityResource,
  operation: UpdateOperation,
  change: Change,
  wanted: Wanted,
): Promise<Row | undefined> {
  await demandMember(site, entity);
  const conditions = await demandPrecondition(site, entity, operation);
  await demandPresence(site, entity);
  const args = await operationArguments(site, operation, entity);
  if (args === undefined) throw missingEntity(entity);
  const { resource } = entity;
  const { type: entityType } = entity;
  const values = await changedValues(site, entity, operation, change);
  const properties = [...new Set([...wanted.properties, ...entityType.key])];
  const update = {
    resource,
    entityType,
    operation,
    arguments: args,
    ...wanted,
    properties,
    values,
    conditions,
  };
  const changed = await site.service.source.update(update, site.context);
  return changed && hasKey(entityType, changed) ? changed : undefined;
}

/** Sends nothing where there is nothing to change: what the conditions say of the entity has to be so all the same. */
export async function leaveEntity(
  site: Changing,
  entity: EntityResource,
  operation: UpdateOperation,
): Promise<undefined> {
  await demandMember(site, entity);
  await demandPrecondition(site, entity, operation);
}

/** What is answered with may be anything: without its key it is not the entity. */
export function hasKey({ key }: EntityType, row: Row): boolean {
  return key.every((name) => row[name] !== null && row[name] !== undefined);
}

/**
 * An entity that the path has found among others, or as one of a derived type, must be there: its key alone
 * would lead the upstream to one that the path does not.
 */
export async function demandMember(loading: Loading, entity: EntityResource): Promise<void> {
  if (entity.origin.kind !== 'member' && !entity.isCast) return;
  await demandEntity(loading, entity, NOTHING);
}

/** Where a change is only rehearsed, what it is made to has to be there, as far as whoever makes it may see that. */
export async function demandPresence(site: Changing, entity: EntityResource): Promise<void> {
  if (site.demandsPresence === true) await readable(() => demandEntity(site, entity, NOTHING));
}
