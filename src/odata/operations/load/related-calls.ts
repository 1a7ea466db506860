import type { Row } from '../../../contract/entity-source.ts';
import type { NavigationProperty } from '../../../model/structured-type.ts';
import type { FunctionCall } from '../../query/bind/function-calls.ts';
import { relatedResource } from '../resource/related-resource.ts';
import type { EntityResource } from '../resource/resource.ts';
import { callFor } from './attach-calls.ts';
import type { Loading } from './loading.ts';
import { entityOf, type Related } from './related-rows.ts';

/** The related entities of each owner with what functions return for those of them that need it. */
export async function attachRelatedCalls(
  loading: Loading,
  owners: readonly EntityResource[],
  navigation: NavigationProperty,
  found: readonly Related[],
  calls: readonly FunctionCall[],
  needing: (rows: Related, index: number) => Related = (rows) => rows,
): Promise<readonly Related[]> {
  if (calls.length === 0) return found;
  const entities = new Map<Row, EntityResource>();
  for (const [index, owner] of owners.entries()) {
    const rows = needing(found[index] ?? [], index);
    if (rows.length === 0) continue;
    const resource = relatedResource(loading.service.model, owner, navigation);
    for (const row of rows) entities.set(row, entityOf(resource, row));
  }
  const called = await callFor(loading, entities, calls);
  return found.map((rows) => rows.map((row) => called.get(row) ?? row));
}
