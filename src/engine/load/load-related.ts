import type { Row } from '../../contract/row.ts';
import { picked } from '../../contract/row.ts';
import { CONCURRENT_CALLS, groupedBy, mapConcurrently, mapped } from '../../core/work.ts';
import { isLacking, type NavigationProperty } from '../../model/edm.ts';
import type { ReferentialConstraints } from '../../model/link-change.ts';
import type { ListOperation, Operation, PagedListOperation } from '../../model/operation.ts';
import { NEEDS_WHOLE, needsOfValues } from '../plan/needs-of-query.ts';
import { type PlannedRead, wholePlan } from '../plan/read-plan.ts';
import { joinedProperties } from '../plan/related-conditions.ts';
import type { LoadContext, LoadRequest } from '../resource/load-context.ts';
import { collectionOf, entityByKey, relatedResource } from '../resource/navigation-source.ts';
import type { AcceptRows, ReadNeeds } from '../resource/read-needs.ts';
import type { CollectionResource, EntityResource } from '../resource/resource.ts';
import { keyValues, loadCollection, loadEntity, operationArguments } from './load.ts';
import { plannedRead } from './planned-calls.ts';

/** The related entities of one entity: none, one or many. */
export type Related = readonly Row[];

/**
 * The related entities of each owner: by a call for each different foreign key, or by calls of the entity set for all of
 * them if that takes fewer.
 */
export async function loadRelated(
  loading: LoadContext,
  owners: readonly EntityResource[],
  navigation: NavigationProperty,
  wanted: LoadRequest,
  deciding?: AcceptRows,
): Promise<readonly Related[]> {
  const { model } = loading.service;
  const { budget } = loading.context;
  const resources = await budget.run(
    mapped(owners, budget, (owner) => relatedResource(model, owner, navigation)),
  );
  const calls = await mapConcurrently(resources, CONCURRENT_CALLS, (resource) => callKey(loading, resource));
  const { seen } = loading;
  // Entities that have decided are not all of an owner's: they are not kept for other parts of the query.
  if (seen === undefined)
    return loadDistinct(loading, { owners, resources, calls }, navigation, wanted, deciding);
  const nameOf = (call: string): string =>
    JSON.stringify([owners[0]?.entityType.name, navigation.name, wanted.properties, call]);
  const isKnown = (call: string | undefined) => call !== undefined && seen.found.has(nameOf(call));
  const open = [...owners.keys()].filter((index) => !isKnown(calls[index]));
  const fresh = {
    owners: open.flatMap((index) => owners[index] ?? []),
    resources: open.flatMap((index) => resources[index] ?? []),
    calls: open.map((index) => calls[index]),
  };
  const loaded = await loadDistinct(loading, fresh, navigation, wanted);
  const found = new Map(open.map((index, at) => [index, loaded[at] ?? []]));
  for (const [index, rows] of found) {
    const call = calls[index];
    if (call !== undefined) seen.found.set(nameOf(call), rows);
  }
  return owners.map((_, index) => found.get(index) ?? seen.found.get(nameOf(calls[index] ?? '')) ?? []);
}

interface RelatedCalls {
  readonly owners: readonly EntityResource[];
  readonly resources: readonly (CollectionResource | EntityResource)[];
  /** Identifies the call for each owner; undefined if it may differ from all others. */
  readonly calls: readonly (string | undefined)[];
}

async function loadDistinct(
  loading: LoadContext,
  { owners, resources, calls }: RelatedCalls,
  navigation: NavigationProperty,
  wanted: LoadRequest,
  deciding?: AcceptRows,
): Promise<readonly Related[]> {
  const { budget } = loading.context;
  const distinct = new Map<string, CollectionResource | EntityResource>();
  const note = (resource: CollectionResource | EntityResource, index: number): void => {
    distinct.set(calls[index] ?? String(index), resource);
  };
  await budget.run(mapped(resources, budget, note));
  distinct.delete(NO_CALL);
  const join =
    distinct.size > 1 || loading.seen !== undefined
      ? await joinOf(loading, resources, owners, navigation, wanted)
      : undefined;
  const planned =
    join && (isSeen(loading, join, wanted) ? NO_CALLS : cheaperRead(loading, join, distinct.size));
  const related =
    join === undefined || planned === undefined
      ? []
      : await joined(loading, owners, join, wanted, planned, deciding);
  // A list may lack entities that a read by key has; other plans have asked for each key.
  const isMissing = ([call, resource]: readonly [string, CollectionResource | EntityResource]) =>
    planned?.plan.kind === 'list' &&
    join?.operations.read !== undefined &&
    resource.kind === 'entity' &&
    calls.some((other, index) => (other ?? String(index)) === call && related[index]?.length === 0);
  const entries = planned === undefined ? [...distinct] : [...distinct].filter(isMissing);
  if (loading.seen !== undefined) loading.seen.calls += entries.length + (planned?.calls ?? 0);
  const loaded = await mapConcurrently(entries, CONCURRENT_CALLS, ([, resource]) =>
    loadAll(loading, resource, deciding === undefined ? wanted : { ...wanted, deciding }),
  );
  const found = new Map(entries.map(([call], index) => [call, loaded[index] ?? []]));
  const foundBy = (call: string | undefined, index: number) =>
    found.get(call ?? String(index)) ?? related[index] ?? [];
  return budget.run(mapped(calls, budget, foundBy));
}

/** The row as an entity that a path may lead on from. */
export function entityOf(owners: CollectionResource | EntityResource, row: Row): EntityResource {
  if (owners.kind === 'entity') return { ...owners, known: { ...owners.known, ...row } };
  const { type } = owners;
  return { ...entityByKey(owners, picked(row, type.key)), known: row };
}

/** The call of a foreign key that is null. */
const NO_CALL = 'no call';

/** Identifies a call; undefined if it is not certain what is called, so that each may differ. */
async function callKey(
  loading: LoadContext,
  { origin, ...resource }: CollectionResource | EntityResource,
): Promise<string | undefined> {
  const called =
    origin.kind === 'operations'
      ? { operation: origin.operations.list, from: origin.owner }
      : origin.kind === 'operation' && 'parent' in resource
        ? { operation: origin.operation, from: resource.parent }
        : undefined;
  if (origin.kind === 'referring') {
    const value = origin.owner.known[origin.foreignKey.referencedProperty];
    const keys = value === undefined ? undefined : keyValues(value);
    return keys?.length === 0 ? NO_CALL : keys && JSON.stringify(keys.map(String));
  }
  if (called?.operation === undefined) return undefined;
  const args = await operationArguments(loading, called.operation, called.from);
  return args === undefined ? NO_CALL : JSON.stringify(Object.values(args).map(String));
}

/** The entities of a place as a list: of a single one, itself or none. */
export async function loadAll(
  loading: LoadContext,
  resource: CollectionResource | EntityResource,
  wanted: LoadRequest,
): Promise<Related> {
  if (resource.kind === 'collection') {
    return loading.context.budget.rows((await loadCollection(loading, resource, wanted)).data);
  }
  const found = await loadEntity(loading, resource, wanted);
  return found === undefined ? [] : [found.data];
}

/** The set that the related entities of all owners are read from, and how its rows belong to owners. */
interface Join {
  readonly target: CollectionResource;
  readonly operations: JoinOperations;
  readonly pairs: readonly ReferentialConstraints[];
  readonly needs: ReadNeeds;
  /** The related entities refer to their owner, which has no list of them. */
  readonly isReferring: boolean;
}

interface JoinOperations {
  readonly list: ListOperation;
  readonly page: PagedListOperation | undefined;
  readonly read: Operation | undefined;
}

/** Undefined if no referential constraint relates the entities of a set, or its list has less of them than is wanted. */
async function joinOf(
  { context: { budget } }: LoadContext,
  resources: readonly (CollectionResource | EntityResource)[],
  owners: readonly EntityResource[],
  navigation: NavigationProperty,
  { properties }: LoadRequest,
): Promise<Join | undefined> {
  const { target, origin } = navigation;
  const [owner] = owners;
  const { list, page, read } = target ?? {};
  if (target === undefined || list === undefined || owner === undefined) return undefined;
  if (origin.kind === 'embedded' || resources.some(({ resource }) => resource !== target.name))
    return undefined;
  if (list.fixed !== undefined && list.over === undefined) return undefined;
  if (properties.some((name) => isLacking(list, target.entityType, name))) return undefined;
  const pairs = joinedProperties(owner.entityType, navigation);
  const [pair, ...others] = pairs;
  if (pair === undefined) return undefined;
  const collection = collectionOf(target);
  const values = (
    await budget.run(mapped(owners, budget, ({ known }) => keyValues(known[pair.own] ?? null)))
  ).flat();
  const needs =
    others.length === 0 ? needsOfValues(collection, pair.related, values, properties) : NEEDS_WHOLE;
  const isReferring = origin.kind === 'referring';
  return { target: collection, operations: { list, page, read }, pairs, needs, isReferring };
}

/** The read of the set if it takes fewer calls than one for each owner. */
function cheaperRead(
  loading: LoadContext,
  { target, operations, needs, isReferring }: Join,
  calls: number,
): PlannedRead | undefined {
  const planned = plannedRead(loading, target.entityType, operations, needs);
  // Each owner would have all of the set read.
  const { plan } = planned;
  const isWhole = plan.kind === 'list' && plan.each === undefined && Object.keys(plan.arguments).length === 0;
  if (isReferring && isWhole && planned.open.length === 0) return planned;
  // Reads by key are no more calls than those for each owner.
  const isByKey = planned.open.length > 0 && planned.plan.kind === 'keys';
  return planned.calls < calls || isByKey ? planned : undefined;
}

async function joined(
  loading: LoadContext,
  owners: readonly EntityResource[],
  { target, pairs, needs: needed }: Omit<Join, 'operations' | 'isReferring'>,
  wanted: LoadRequest,
  planned: PlannedRead,
  deciding: AcceptRows | undefined,
): Promise<readonly Related[]> {
  const ownKeys = (owner: EntityResource) =>
    keysOf(
      owner.known,
      pairs.map((pair) => pair.own),
    );
  const relatedKeys = (row: Row) =>
    keysOf(
      row,
      pairs.map((pair) => pair.related),
    );
  // The read ends when each owner has an entity that decides; an owner with several keys has one of any of them.
  const enough = () => {
    const open = new Set(owners.map((owner) => ownKeys(owner)).filter(({ length }) => length > 0));
    return (rows: readonly Row[]): boolean => {
      const came = new Set(rows.flatMap(relatedKeys));
      for (const keys of open) if (keys.some((key) => came.has(key))) open.delete(keys);
      return open.size === 0;
    };
  };
  const needs = deciding === undefined ? needed : { ...needed, accept: deciding, enough };
  const rows = await joinedRows(loading, { target, pairs, needs }, wanted, planned);
  const related = pairs.map((pair) => pair.related);
  const own = pairs.map((pair) => pair.own);
  const { budget } = loading.context;
  const keyed = rows.flatMap((row) => keysOf(row, related).map((key) => ({ key, row })));
  const found = await budget.run(groupedBy(keyed, budget, ({ key }) => key));
  const relatedTo = ({ known }: EntityResource): Related => {
    const [key, ...others] = keysOf(known, own);
    if (key === undefined) return [];
    const all = [key, ...others].flatMap((each) => found.get(each)?.map(({ row }) => row) ?? []);
    return others.length === 0 ? all : [...new Set(all)];
  };
  return budget.run(mapped(owners, budget, relatedTo));
}

/** A read of a set that has been loaded. */
const NO_CALLS: PlannedRead = wholePlan(0);

/** Names all entities of a set with the properties that are wanted of them. */
function nameOfSet({ target, pairs }: Pick<Join, 'target' | 'pairs'>, { properties }: LoadRequest): string {
  return JSON.stringify([target.resource, ...joinedNames(pairs, properties)]);
}

function joinedNames(pairs: Join['pairs'], properties: readonly string[]): readonly string[] {
  return [...new Set([...properties, ...pairs.map(({ related }) => related)])];
}

function isSeen({ seen }: LoadContext, join: Join, wanted: LoadRequest): boolean {
  return seen?.sets.has(nameOfSet(join, wanted)) === true;
}

/** The entities that are joined: of a list that would be read whole again, those of the first time. */
async function joinedRows(
  loading: LoadContext,
  join: Pick<Join, 'target' | 'pairs' | 'needs'>,
  wanted: LoadRequest,
  { plan, open }: PlannedRead,
): Promise<readonly Row[]> {
  const { seen, context } = loading;
  const name = nameOfSet(join, wanted);
  const known = seen?.sets.get(name);
  if (known !== undefined) return known;
  const properties = joinedNames(join.pairs, wanted.properties);
  const isNarrowed =
    plan.kind !== 'list' || plan.each !== undefined || Object.keys(plan.arguments).length > 0;
  const isWhole = seen !== undefined && !isNarrowed && open.length === 0;
  const needs = isWhole ? NEEDS_WHOLE : join.needs;
  const { data } = await loadCollection(loading, join.target, { ...wanted, properties, needs });
  const rows = await context.budget.rows(data);
  if (isWhole) seen.sets.set(name, rows);
  return rows;
}

/** The keys in a row: none if a part is null, several if the only part is a list. */
function keysOf(row: Row, names: readonly string[]): readonly string[] {
  const values = names.map((name) => keyValues(row[name] ?? null));
  if (values.some(({ length }) => length === 0)) return [];
  const [only, ...others] = values;
  if (only !== undefined && others.length === 0) {
    return [...new Set(only.map((value) => JSON.stringify([String(value)])))];
  }
  return [JSON.stringify(values.map((each) => each.map(String).join()))];
}
