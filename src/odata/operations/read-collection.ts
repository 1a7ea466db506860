import { jsonContentType, negotiateJson } from '../payload/format.ts';
import { writeCollection } from '../payload/json.ts';
import type { QueryOptions } from '../url/tree.ts';
import { shapeOf } from './entity-shape.ts';
import { loadCollection } from './load.ts';
import { answerVersion, prepareCollection } from './prepare-query.ts';
import type { CollectionResource } from './resource.ts';
import { success } from './response.ts';
import type { Operation, Service } from './service.ts';

/** Reads entities (Part 1, 11.2.6): all that the upstream has at the place, then the query options. */
export function readCollection(
  service: Service,
  collection: CollectionResource,
  options: QueryOptions,
): Operation {
  const prepared = prepareCollection(service, collection, options);
  const shape = shapeOf(service, collection, options, prepared);
  return async (request, version) => {
    const format = negotiateJson(options.format, request.headers['accept']);
    const contentType = jsonContentType(format, version);
    const loading = { service, context: request };
    const snapshot = await loadCollection(loading, collection, prepared.wanted);
    const kept = answerVersion(prepared, snapshot);
    return service.answers.answer(kept, `${request.target} ${contentType}`, async () => {
      const { rows, count } = await prepared.run(loading, snapshot.data);
      return success(version, contentType, writeCollection(shape(format, version), rows, { count }));
    });
  };
}
