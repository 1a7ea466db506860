import { demandCollection } from '../../../../engine/load/assert-parent-exists.ts';
import { prepareCount } from '../../../../engine/read/prepare-count.ts';
import type { CollectionResource } from '../../../../engine/resource/resource.ts';
import type { Expression, SearchExpression } from '../../../../engine/tree/expression-tree.ts';
import type { QueryOptions } from '../../../../engine/tree/options-tree.ts';
import type { CountResource } from '../../bind/resource.ts';
import { success } from '../../protocol/response.ts';
import type { RequestHandler, Service } from '../../service/service.ts';

/** Reads how many entities match, as bare text whatever Accept says (Part 1, 11.2.10). */
export function readCount(
  service: Service,
  collection: CollectionResource,
  options: QueryOptions,
): RequestHandler {
  const prepared = prepareCount(service, collection, options);
  return async (request, version) => {
    const loading = { service, context: request };
    const snapshot = await demandCollection(loading, collection, prepared.wanted);
    const kept = prepared.aboutRowsOnly ? snapshot.version : undefined;
    return service.answers.answer(kept, `${version} ${request.target}`, async () => {
      const count = await prepared.run(loading, snapshot);
      return success(version, 'text/plain', String(count));
    });
  };
}

/** The options with what the segment itself says: both must be true of what is counted. */
export function countOptions({ conditions }: CountResource, options: QueryOptions): QueryOptions {
  const { filter, search } = conditions;
  return {
    ...options,
    ...(filter && { filter: bothFilters(filter, options.filter) }),
    ...(search && { search: bothSearches(search, options.search) }),
  };
}

function bothFilters(left: Expression, right: Expression | undefined): Expression {
  if (right === undefined) return left;
  return { kind: 'binary', operator: 'and', position: left.position, left, right };
}

function bothSearches(left: SearchExpression, right: SearchExpression | undefined): SearchExpression {
  if (right === undefined) return left;
  return { kind: 'searchAnd', position: left.position, left, right };
}
