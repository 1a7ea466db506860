import type { Work } from '../../contract/work.ts';
import type { NavigationProperty } from '../../model/edm.ts';
import type { Loading } from '../resource/loading.ts';
import type { EntityResource } from '../resource/resource.ts';
import type { FunctionCall } from '../scope/reads.ts';
import { callFor } from './attach-calls.ts';
import { relatedEntities, replaced } from './related-entities.ts';
import type { Related } from './related-rows.ts';

/** The related entities of each owner with what functions return for those of them that need it. */
export async function attachRelatedCalls(
  loading: Loading,
  owners: readonly EntityResource[],
  navigation: NavigationProperty,
  found: readonly Related[],
  calls: readonly FunctionCall[],
  needing?: (rows: Related, index: number) => Work<Related>,
): Promise<readonly Related[]> {
  if (calls.length === 0) return found;
  const { budget } = loading.context;
  const needed = needing === undefined ? found : await budget.run(eachOf(found, needing));
  const entities = await relatedEntities(loading, owners, navigation, needed);
  const called = await callFor(loading, entities, calls);
  return budget.run(replaced(budget, found, called));
}

function* eachOf(
  found: readonly Related[],
  needing: (rows: Related, index: number) => Work<Related>,
): Work<readonly Related[]> {
  const needed: Related[] = [];
  for (const [index, rows] of found.entries()) needed.push(yield* needing(rows, index));
  return needed;
}
