import { TYPE } from '../../../contract/entity-source.ts';
import type { EntityType, Model } from '../../../model/edm.ts';
import type { NavigationProperty } from '../../../model/structured-type.ts';
import type { RootValues } from '../../query/bind/root-reads.ts';
import type { QueryResult } from '../../query/pipeline.ts';
import { isDerived } from '../resource/place.ts';
import { relatedResource } from '../resource/related-resource.ts';
import type { EntityResource } from '../resource/resource.ts';
import { attachDeeper } from './attach-related.ts';
import type { BoundExpand } from './bind-expand.ts';
import type { CompiledRelated, Expander } from './expander.ts';
import type { Loading } from './load.ts';
import { entityOf, loadRelated, type Related } from './related-rows.ts';

/** What the options of the item make of the entities that are related to each of the owners. */
export async function runRelated(
  loading: Loading,
  owners: readonly EntityResource[],
  { navigation, target, cast }: BoundExpand,
  { query, wanted, loadRoots }: CompiledRelated,
): Promise<readonly QueryResult[]> {
  const { model } = loading.service;
  const loaded = await loadRelated(loading, owners, navigation, wanted);
  const related = cast === undefined ? loaded : loaded.map((rows) => rowsOfType(model, rows, target, cast));
  return runForEach(loading, owners, navigation, related, query, await loadRoots(loading));
}

/** Entities of other types than the one that has the property have nothing there. */
export function isOfType(model: Model, { known, entityType }: EntityResource, owner: EntityType): boolean {
  const type = known[TYPE] === undefined ? entityType : model.entityTypes.get(known[TYPE]);
  return type !== undefined && isDerived(model, type, owner);
}

function rowsOfType(model: Model, rows: Related, declared: EntityType, cast: EntityType): Related {
  return rows.filter((row) => {
    const type = row[TYPE] === undefined ? declared : model.entityTypes.get(row[TYPE]);
    return type !== undefined && isDerived(model, type, cast);
  });
}

/** Options that read what is related to the related entities need that first. */
async function runForEach(
  loading: Loading,
  owners: readonly EntityResource[],
  navigation: NavigationProperty,
  related: readonly Related[],
  query: CompiledRelated['query'],
  roots: RootValues,
): Promise<readonly QueryResult[]> {
  if (query.related.size === 0) return related.map((rows) => query.run(rows, roots));
  const whole = await attachDeeper(loading, owners, related, { navigation, related: query.related });
  return whole.map((rows) => query.run(rows, roots));
}

/** What is within the related entities of all owners is loaded together. */
export async function expandResults(
  loading: Loading,
  owners: readonly EntityResource[],
  navigation: NavigationProperty,
  results: readonly QueryResult[],
  nested: Expander | undefined,
): Promise<readonly Related[]> {
  if (nested === undefined) return results.map(({ rows }) => [...rows]);
  const { model } = loading.service;
  const entities = results.flatMap(({ rows }, index) => {
    const owner = owners[index];
    if (owner === undefined || rows.length === 0) return [];
    const resource = relatedResource(model, owner, navigation);
    return rows.map((row) => entityOf(resource, row));
  });
  const expanded = (await nested.expand(loading, entities)).values();
  return results.map(({ rows }) => rows.map((row) => expanded.next().value ?? row));
}
