import type { Row } from '../../contract/row.ts';
import { groupedBy, mapConcurrently, mapped } from '../../contract/work.ts';
import type { EntityType, NavigationProperty } from '../../model/edm.ts';
import { type ReferentialConstraints, referentialConstraints } from '../../model/link-change.ts';
import type { Operation } from '../../model/operation.ts';
import type { Loading, Wanted } from '../resource/loading.ts';
import { collectionOf, entityByKey, relatedResource } from '../resource/navigation-source.ts';
import type { CollectionResource, EntityResource } from '../resource/resource.ts';

import { loadCollection, loadEntity, operationArguments } from './load.ts';

/** The related entities of one entity: none, one or many. */
export type Related = readonly Row[];

/** How many calls for the related entities of one answer are under way at a time. */
const CONCURRENT_CALLS = 8;

/** The number of different calls from which one call for the whole entity set costs less. */
const CALLS_BEFORE_JOIN = 8;

/**
 * The properties of an entity that its related entities are found by; in front of those that stand in its
 * own JSON, the navigation property itself.
 */
export function propertiesBehind({ key }: EntityType, navigation: NavigationProperty): readonly string[] {
  const { origin, name } = navigation;
  switch (origin.kind) {
    case 'embedded':
      return [...key, name];
    case 'link':
      return [...key, ...origin.operation.parameters.map(({ property }) => property)];
    case 'path':
      return [...new Set([...key, ...origin.places.flatMap(({ list }) => ownProperties(list))])];
  }
}

/** What the owner itself fills of the parameters that its related entities are listed by. */
function ownProperties(list: Operation | undefined): readonly string[] {
  const own = list?.parameters.filter(({ up = 0 }) => up === 0) ?? [];
  return own.map(({ property }) => property);
}

/**
 * The related entities of each owner, by one call for each different foreign key, or by one for the entity
 * set where there are many of them.
 */
export async function loadRelated(
  loading: Loading,
  owners: readonly EntityResource[],
  navigation: NavigationProperty,
  wanted: Wanted,
): Promise<readonly Related[]> {
  const { model } = loading.service;
  const { budget } = loading.context;
  const resources = await budget.run(
    mapped(owners, budget, (owner) => relatedResource(model, owner, navigation)),
  );
  const calls = await mapConcurrently(resources, CONCURRENT_CALLS, (resource) => callKey(loading, resource));
  const distinct = new Map<string, CollectionResource | EntityResource>();
  const note = (resource: CollectionResource | EntityResource, index: number): void => {
    distinct.set(calls[index] ?? String(index), resource);
  };
  await budget.run(mapped(resources, budget, note));
  distinct.delete(NO_CALL);
  const join = distinct.size > CALLS_BEFORE_JOIN ? joinOf(owners, navigation) : undefined;
  if (join !== undefined) return joined(loading, owners, join, wanted);
  const entries = [...distinct];
  const loaded = await mapConcurrently(entries, CONCURRENT_CALLS, ([, resource]) =>
    loadAll(loading, resource, wanted),
  );
  const found = new Map(entries.map(([call], index) => [call, loaded[index] ?? []]));
  const foundBy = (call: string | undefined, index: number) => found.get(call ?? String(index)) ?? [];
  return budget.run(mapped(calls, budget, foundBy));
}

/** The row as an entity that a path may lead on from. */
export function entityOf(owners: CollectionResource | EntityResource, row: Row): EntityResource {
  if (owners.kind === 'entity') return { ...owners, known: { ...owners.known, ...row } };
  const { type } = owners;
  const key = Object.fromEntries(type.key.map((name) => [name, row[name] ?? null]));
  return { ...entityByKey(owners, key), known: row };
}

/** What a foreign key that is null calls. */
const NO_CALL = 'no call';

/** Tells calls apart; undefined where nothing is called for certain, so that each may differ. */
async function callKey(
  loading: Loading,
  { origin, ...resource }: CollectionResource | EntityResource,
): Promise<string | undefined> {
  const called =
    origin.kind === 'operations'
      ? { operation: origin.operations.list, from: origin.owner }
      : origin.kind === 'operation' && 'parent' in resource
        ? { operation: origin.operation, from: resource.parent }
        : undefined;
  if (called?.operation === undefined) return undefined;
  const args = await operationArguments(loading, called.operation, called.from);
  return args === undefined ? NO_CALL : JSON.stringify(Object.values(args).map(String));
}

/** The entities of a place as a list: of a single one, itself or none. */
export async function loadAll(
  loading: Loading,
  resource: CollectionResource | EntityResource,
  wanted: Wanted,
): Promise<Related> {
  if (resource.kind === 'collection') {
    return loading.context.budget.rows((await loadCollection(loading, resource, wanted)).data);
  }
  const found = await loadEntity(loading, resource, wanted);
  return found === undefined ? [] : [found.data];
}

/** How the rows of a whole entity set are told by a foreign key to belong to others. */
interface Join {
  readonly target: CollectionResource;
  readonly pairs: readonly ReferentialConstraints[];
}

/** How the entities of a set are related; undefined where no referential constraint says so. */
function joinOf([owner]: readonly EntityResource[], navigation: NavigationProperty): Join | undefined {
  const { target } = navigation;
  if (navigation.origin.kind !== 'link' || target?.list === undefined || owner === undefined)
    return undefined;
  const pairs = referentialConstraints(owner.entityType, navigation);
  return pairs.length === 0 ? undefined : { target: collectionOf(target), pairs };
}

async function joined(
  loading: Loading,
  owners: readonly EntityResource[],
  { target, pairs }: Join,
  wanted: Wanted,
): Promise<readonly Related[]> {
  const properties = [...new Set([...wanted.properties, ...pairs.map(({ related }) => related)])];
  const { data } = await loadCollection(loading, target, { ...wanted, properties });
  const related = pairs.map((pair) => pair.related);
  const own = pairs.map((pair) => pair.own);
  const { budget } = loading.context;
  const found = await budget.run(groupedBy(data, budget, (row) => keyOf(row, related)));
  const relatedTo = ({ known }: EntityResource): Related => {
    const key = keyOf(known, own);
    return key === undefined ? [] : (found.get(key) ?? []);
  };
  return budget.run(mapped(owners, budget, relatedTo));
}

/** The key of a row; undefined for null, which is nobody's key. */
function keyOf(row: Row, names: readonly string[]): string | undefined {
  const values = names.map((name) => row[name] ?? null);
  return values.includes(null) ? undefined : JSON.stringify(values.map(String));
}
