import { compileCount } from '../../../engine/compile/compile-query.ts';
import type { Expression, SearchExpression } from '../../../engine/tree/expression-tree.ts';
import type { QueryOptions } from '../../../engine/tree/options-tree.ts';
import { beginRun } from '../../../engine/values/current-run.ts';
import { demandCollection } from '../change/demand-owner.ts';
import { prepareCalls } from '../load/attach-calls.ts';
import { prepareRoots } from '../load/load-roots.ts';
import { wantedFor } from '../load/wanted.ts';
import { fixedBy, isAboutRowsOnly, withRelated } from '../prepare-query.ts';
import type { CollectionResource, CountResource } from '../resource/resource.ts';
import { success } from '../response.ts';
import type { Operation, Service } from '../service.ts';

/** Reads how many entities match, as bare text whatever Accept says (Part 1, 11.2.10). */
export function readCount(
  service: Service,
  collection: CollectionResource,
  options: QueryOptions,
): Operation {
  const type = collection.cast ?? collection.entityType;
  const query = compileCount(service.model, type, options, service.limits.query);
  const reader = { model: service.model, aliases: options.aliases };
  const wanted = { ...wantedFor(service.model, type, query), fixed: fixedBy(reader, collection, options) };
  const loadRoots = prepareRoots(service.model, query.roots);
  const attachCalls = prepareCalls(service.model, collection, query.calls);
  return async (request, version) => {
    const loading = { service, context: request };
    const snapshot = await demandCollection(loading, collection, wanted);
    const kept = isAboutRowsOnly(query) ? snapshot.version : undefined;
    return service.answers.answer(kept, `${version} ${request.target}`, async () => {
      const { budget } = request;
      const run = beginRun(budget);
      const roots = await loadRoots(loading);
      const rows = await withRelated(loading, collection, snapshot.data, query);
      const called = await attachCalls(loading, rows, (all) => query.needingCalls(run, all, roots));
      const count = await budget.run(query.run(run, called, roots));
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
