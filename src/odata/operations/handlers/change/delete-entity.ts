import { deleteEntity as deleteFrom } from '../../../../engine/change/delete-entity.ts';
import { assertOnlyOptions } from '../../../../engine/query/pipeline.ts';
import type { EntityResource } from '../../../../engine/resource/resource.ts';
import type { QueryOptions } from '../../../../engine/tree/query-tree.ts';
import type { Operation as UpstreamOperation } from '../../../../model/operation.ts';
import { noContent } from '../../protocol/response.ts';
import type { RequestHandler, Service } from '../../service/service.ts';
import { changing } from './change-context.ts';

/** Deletes an entity (Part 1, 11.4.6). */
export function deleteEntity(
  service: Service,
  entity: EntityResource,
  operation: UpstreamOperation,
  options: QueryOptions,
): RequestHandler {
  assertOnlyOptions(options, ['schemaVersion'], 'a delete');
  return async (request, version) => {
    await deleteFrom(changing(service, request), entity, operation);
    return noContent(version);
  };
}
