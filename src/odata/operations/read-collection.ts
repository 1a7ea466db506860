import type { EntitySet } from '../../model/edm.ts';
import type { ListOperation } from '../../model/operation.ts';
import { jsonContentType, negotiateJson } from '../payload/format.ts';
import { writeCollection } from '../payload/json.ts';
import { compileQuery } from '../query/compile-query.ts';
import type { QueryOptions } from '../url/tree.ts';
import { success } from './response.ts';
import type { Operation, Service } from './service.ts';
import { shapeOf } from './shape.ts';

/** Reads the entities of a set (Part 1, 11.2.6): all of the upstream's, then the query options. */
export function readCollection(
  service: Service,
  entitySet: EntitySet,
  operation: ListOperation,
  options: QueryOptions,
): Operation {
  const query = compileQuery(service.model, entitySet.entityType, options);
  const { name: resource, entityType } = entitySet;
  const read = { resource, entityType, operation, arguments: {}, properties: query.properties };
  const shape = shapeOf(service, entitySet, options, query, false);
  return async (request, version) => {
    const format = negotiateJson(options.format, request.headers['accept']);
    const contentType = jsonContentType(format, version);
    const snapshot = await service.source.readCollection(read, request);
    return service.answers.answer(
      query.repeatable ? snapshot.version : undefined,
      `${request.target} ${contentType}`,
      () => {
        const { rows, count } = query.run(snapshot.data);
        return success(
          version,
          contentType,
          writeCollection({ ...shape, format, version }, rows, { count, nextLink: undefined }),
        );
      },
    );
  };
}
