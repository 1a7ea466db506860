import { jsonContentType, negotiateJson } from '../payload/format.ts';
import { writeEntity } from '../payload/json.ts';
import { compileEntityQuery } from '../query/compile-query.ts';
import type { QueryOptions } from '../url/tree.ts';
import { shapeOf } from './entity-shape.ts';
import { demandEntity, type Loading, loadEntity, missingEntity } from './load.ts';
import type { EntityResource } from './resource.ts';
import { noContent, success } from './response.ts';
import type { Operation, Service } from './service.ts';

/** Reads one entity (Part 1, 11.2.2); where a single-valued navigation leads to none, 204 (11.2.4). */
export function readEntity(service: Service, entity: EntityResource, options: QueryOptions): Operation {
  const query = compileEntityQuery(service.model, entity.cast ?? entity.entityType, options);
  const shape = shapeOf(service, entity, options, query);
  return async (request, version) => {
    const format = negotiateJson(options.format, request.headers['accept']);
    const contentType = jsonContentType(format, version);
    const loading = { service, context: request };
    const snapshot = await loadEntity(loading, entity, query);
    if (snapshot === undefined) {
      await demandOwner(loading, entity);
      return noContent(version);
    }
    return service.answers.answer(
      query.repeatable ? snapshot.version : undefined,
      `${request.target} ${contentType}`,
      () => success(version, contentType, writeEntity(shape(format, version), query.run(snapshot.data))),
    );
  };
}

/** Nothing is behind a navigation property that is null; anything else that is not there is NotFound. */
async function demandOwner(loading: Loading, entity: EntityResource): Promise<void> {
  const { parent, origin, cast } = entity;
  const isNavigation =
    origin.kind === 'embedded' || (origin.kind === 'operation' && origin.from === 'parent');
  if (parent === undefined || !isNavigation || cast !== undefined) throw missingEntity(entity);
  await demandEntity(loading, parent, { properties: [], dynamic: false });
}
