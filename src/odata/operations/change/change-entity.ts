import type { Row } from '../../../contract/entity-source.ts';
import type { BudgetedRequest } from '../../../contract/exchange.ts';
import { NOTHING } from '../../../engine/load/demand-owner.ts';
import { demandEntity, missingEntity, operationArguments } from '../../../engine/load/load.ts';
import type { Loading, Wanted } from '../../../engine/resource/loading.ts';
import type { EntityResource } from '../../../engine/resource/resource.ts';
import type { EntityType } from '../../../model/edm.ts';
import type { UpdateOperation } from '../../../model/operation.ts';
import { demandPrecondition } from '../entity-tag.ts';
import type { Service } from '../service.ts';
import { type Change, changedValues } from './changed-body.ts';

/** Has the upstream change an entity; the entity as it is then, where the upstream says so. */
export async function changeEntity(
  service: Service,
  request: BudgetedRequest,
  entity: EntityResource,
  operation: UpdateOperation,
  change: Change,
  wanted: Wanted,
): Promise<Row | undefined> {
  const loading: Loading = { service, context: request };
  await demandMember(loading, entity);
  const conditions = await demandPrecondition(loading, entity, request, operation);
  const args = await operationArguments(loading, operation, entity);
  if (args === undefined) throw missingEntity(entity);
  const { resource } = entity;
  const entityType = entity.cast ?? entity.entityType;
  const values = await changedValues(loading, entity, operation, change);
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
  const changed = await service.source.update(update, request);
  return changed && hasKey(entityType, changed) ? changed : undefined;
}

/** Sends nothing where there is nothing to change: what the request expects of the entity has to be so all the same. */
export async function leaveEntity(
  loading: Loading,
  entity: EntityResource,
  operation: UpdateOperation,
  request: BudgetedRequest,
): Promise<undefined> {
  await demandMember(loading, entity);
  await demandPrecondition(loading, entity, request, operation);
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
  if (entity.origin.kind !== 'member' && entity.cast === undefined) return;
  await demandEntity(loading, entity, NOTHING);
}
