import { jsonContentType, negotiateJson } from '../payload/format.ts';
import { writeCollection } from '../payload/json.ts';
import { compileQuery } from '../query/compile-query.ts';
import type { QueryOptions } from '../url/tree.ts';
import { shapeOf } from './entity-shape.ts';
import { loadCollection } from './load.ts';
import type { CollectionResource } from './resource.ts';
import { success } from './response.ts';
import type { Operation, Service } from './service.ts';

/** Reads entities (Part 1, 11.2.6): all that the upstream has at the place, then the query options. */
export function readCollection(
  service: Service,
  collection: CollectionResource,
  options: QueryOptions,
): Operation {
  const query = compileQuery(service.model, collection.cast ?? collection.entityType, options);
  const shape = shapeOf(service, collection, options, query);
  return async (request, version) => {
    const format = negotiateJson(options.format, request.headers['accept']);
    const contentType = jsonContentType(format, version);
    const snapshot = await loadCollection({ service, context: request }, collection, query);
    return service.answers.answer(
      query.repeatable ? snapshot.version : undefined,
      `${request.target} ${contentType}`,
      () => {
        const { rows, count } = query.run(snapshot.data);
        const body = writeCollection(shape(format, version), rows, { count, nextLink: undefined });
        return success(version, contentType, body);
      },
    );
  };
}
