import { requireCollection } from '../load/load.ts';
import type { CallSite } from '../resource/bind-callable.ts';
import type { CollectionResource } from '../resource/resource.ts';
import type { Expression } from '../tree/query-tree.ts';
import { answerVersion, prepareCollection } from './prepare-query.ts';

/** The entities of a collection that a `/$filter` segment accepts (Part 2, 4.12); nothing is created there. */
export function filteredBy(
  { model, aliases, limits }: Pick<CallSite, 'model' | 'aliases' | 'limits'>,
  collection: CollectionResource,
  filter: Expression,
): CollectionResource {
  const prepared = prepareCollection({ model, limits }, collection, { filter, aliases });
  return {
    ...collection,
    origin: {
      kind: 'filtered',
      from: collection,
      async load(loading, { properties, dynamic }) {
        const snapshot = await requireCollection(loading, collection, {
          properties: [...new Set([...properties, ...prepared.wanted.properties])],
          dynamic: dynamic || prepared.wanted.dynamic,
          pushed: prepared.wanted.pushed,
          fixed: prepared.wanted.fixed,
        });
        const { rows } = await prepared.run(loading, snapshot);
        return { data: rows, version: answerVersion(prepared, snapshot) };
      },
    },
  };
}
