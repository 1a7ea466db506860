import type { Operation as UpstreamOperation } from '../../model/operation.ts';
import { missingEntity, operationArguments } from './load.ts';
import type { EntityResource } from './resource.ts';
import { noContent } from './response.ts';
import type { Operation, Service } from './service.ts';

/** Deletes an entity (Part 1, 11.4.6). */
export function deleteEntity(
  service: Service,
  entity: EntityResource,
  operation: UpstreamOperation,
): Operation {
  return async (request, version) => {
    const args = await operationArguments({ service, context: request }, operation, entity);
    if (args === undefined) throw missingEntity(entity);
    await service.source.delete({ resource: entity.resource, operation, arguments: args }, request);
    return noContent(version);
  };
}
