import type { CollectionSnapshot } from '../../contract/entity-source.ts';
import { prepareCalls } from '../load/attach-calls.ts';
import { prepareRoots } from '../load/load-roots.ts';
import { wantedFor } from '../load/wanted.ts';
import { compileCount } from '../pipeline/compile-query.ts';
import type { Loading, Wanted } from '../resource/loading.ts';
import type { CollectionResource } from '../resource/resource.ts';
import type { QueryOptions } from '../tree/options-tree.ts';
import { beginRun } from '../values/current-run.ts';
import { fixedBy, isAboutRowsOnly, pushedCount, type QuerySite, withRelated } from './prepare-query.ts';

/** What counts the entities of a collection that match, compiled. */
export interface PreparedCount {
  /** What is to be loaded for it. */
  readonly wanted: Wanted;
  /** The count hangs on nothing but the entities themselves: it is the same for the same version of them. */
  readonly aboutRowsOnly: boolean;
  readonly run: (loading: Loading, loaded: Pick<CollectionSnapshot, 'data' | 'total'>) => Promise<number>;
}

/** Compiles the options of a collection of which only the number of matching entities is asked for (Part 1, 11.2.10). */
export function prepareCount(
  { model, limits }: QuerySite,
  collection: CollectionResource,
  options: QueryOptions,
): PreparedCount {
  const { type } = collection;
  const query = compileCount(model, type, options, limits.query);
  const reader = { model, aliases: options.aliases };
  const pushed = pushedCount(reader, collection, options);
  const loadRoots = prepareRoots(model, query.roots);
  const attachCalls = prepareCalls(model, collection, query.calls);
  return {
    wanted: { ...wantedFor(type, query), pushed, fixed: fixedBy(reader, collection, options) },
    aboutRowsOnly: isAboutRowsOnly(query),
    async run(loading, { data, total }) {
      if (pushed?.isCounted === true && total !== undefined) return total;
      const { budget } = loading.context;
      const run = beginRun(budget);
      const roots = await loadRoots(loading);
      const rows = await withRelated(loading, collection, data, query);
      const called = await attachCalls(loading, rows, (all) => query.needingCalls(run, all, roots));
      return budget.run(query.run(run, called, roots));
    },
  };
}
