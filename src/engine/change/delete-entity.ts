import type { Operation } from '../../model/operation.ts';
import { missingEntity, operationArguments } from '../load/load.ts';
import type { EntityResource } from '../resource/resource.ts';
import { demandMember, demandPresence } from './change-entity.ts';
import type { Changing } from './compensation.ts';
import { demandPrecondition } from './precondition.ts';
import { prepareRemoval } from './removed-entity.ts';

/** Deletes an entity (Part 1, 11.4.5), which has to be in the state that the conditions name. */
export async function deleteEntity(
  site: Changing,
  entity: EntityResource,
  operation: Operation,
): Promise<void> {
  await demandMember(site, entity);
  const conditions = await demandPrecondition(site, entity, operation);
  const args = await operationArguments(site, operation, entity);
  if (args === undefined) throw missingEntity(entity);
  await demandPresence(site, entity);
  const removal = site.done && (await prepareRemoval(site, entity));
  const { resource } = entity;
  await site.service.source.delete({ resource, operation, arguments: args, conditions }, site.context);
  if (removal !== undefined) site.done?.push(removal);
}
