import { compileCount } from '../query/compile-query.ts';
import type { QueryOptions } from '../url/tree.ts';
import { demandCollection } from './demand-owner.ts';
import { prepareRoots } from './load-roots.ts';
import { isAboutRowsOnly, withRelated } from './prepare-query.ts';
import type { CollectionResource } from './resource.ts';
import { success } from './response.ts';
import type { Operation, Service } from './service.ts';
import { wantedFor } from './wanted.ts';

/** Reads how many entities match, as bare text whatever Accept says (Part 1, 11.2.10). */
export function readCount(
  service: Service,
  collection: CollectionResource,
  options: QueryOptions,
): Operation {
  const type = collection.cast ?? collection.entityType;
  const query = compileCount(service.model, type, options, service.limits.query);
  const wanted = wantedFor(service.model, type, query);
  const loadRoots = prepareRoots(service.model, query.roots);
  return async (request, version) => {
    const loading = { service, context: request };
    const snapshot = await demandCollection(loading, collection, wanted);
    const kept = isAboutRowsOnly(query) ? snapshot.version : undefined;
    return service.answers.answer(kept, `${version} ${request.target}`, async () => {
      const rows = await withRelated(loading, collection, snapshot.data, query);
      return success(version, 'text/plain', String(query.run(rows, await loadRoots(loading))));
    });
  };
}
