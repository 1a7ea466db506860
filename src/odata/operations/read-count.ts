import { demandPlainText } from '../payload/format.ts';
import { compileCount } from '../query/compile-query.ts';
import type { QueryOptions } from '../url/tree.ts';
import { loadCollection } from './load.ts';
import type { CollectionResource } from './resource.ts';
import { success } from './response.ts';
import type { Operation, Service } from './service.ts';

/** Reads how many entities match (Part 1, 11.2.10), as bare text. */
export function readCount(
  service: Service,
  collection: CollectionResource,
  options: QueryOptions,
): Operation {
  const query = compileCount(service.model, collection.cast ?? collection.entityType, options);
  const wanted = { properties: query.properties, dynamic: query.dynamic };
  return async (request, version) => {
    demandPlainText(options.format, request.headers['accept']);
    const snapshot = await loadCollection({ service, context: request }, collection, wanted);
    return service.answers.answer(query.repeatable ? snapshot.version : undefined, request.target, () =>
      success(version, 'text/plain', String(query.run(snapshot.data))),
    );
  };
}
