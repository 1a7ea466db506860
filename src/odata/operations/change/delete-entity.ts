import { missingEntity, operationArguments } from '../../../engine/load/load.ts';
import { refuseAllBut } from '../../../engine/query/options.ts';
import type { EntityResource } from '../../../engine/resource/resource.ts';
import type { QueryOptions } from '../../../engine/tree/options-tree.ts';
import type { Operation as UpstreamOperation } from '../../../model/operation.ts';
import { demandPrecondition } from '../entity-tag.ts';
import { noContent } from '../response.ts';
import type { Operation, Service } from '../service.ts';
import { demandMember } from './change-entity.ts';

/** Deletes an entity (Part 1, 11.4.6). */
export function deleteEntity(
  service: Service,
  entity: EntityResource,
  operation: UpstreamOperation,
  options: QueryOptions,
): Operation {
  refuseAllBut(options, ['schemaVersion'], 'a delete');
  return async (request, version) => {
    const loading = { service, context: request };
    await demandMember(loading, entity);
    const conditions = await demandPrecondition(loading, entity, request, operation);
    const args = await operationArguments(loading, operation, entity);
    if (args === undefined) throw missingEntity(entity);
    const { resource } = entity;
    await service.source.delete({ resource, operation, arguments: args, conditions }, request);
    return noContent(version);
  };
}
