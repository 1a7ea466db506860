import type {
  Arguments,
  CallableCall,
  CollectionRead,
  CollectionSnapshot,
  EntitySnapshot,
  EntitySource,
  JointLists,
  ListPart,
  Snapshot,
} from '../../contract/entity-source.ts';
import type { CallContext } from '../../contract/exchange.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import { picked, type Row, rowsBetween, TYPE, type Value } from '../../contract/row.ts';
import { CONCURRENT_CALLS, groupedBy, mapConcurrently, mapped } from '../../core/work.ts';
import {
  type CallableParameter,
  type EntityType,
  etagProperty,
  isA,
  type NavigationProperty,
  typeNamed,
  withDerivedTypes,
} from '../../model/edm.ts';
import { type ReferentialConstraints, referentialConstraints } from '../../model/link-change.ts';
import type { ListOperation, Operation, PagedListOperation } from '../../model/operation.ts';
import { relatedResourceName } from '../../model/resource-grants.ts';
import type { Projection } from '../pipeline/compile-query.ts';
import type { FixedArguments, LoadContext, LoadRequest } from '../resource/load-context.ts';
import { collectionOf, entityByKey, relatedResource } from '../resource/navigation-source.ts';
import type { CollectionResource, EntityResource, Invocation } from '../resource/resource.ts';
import { isRootCall, type RelatedReads } from '../scope/scope.ts';
import { argumentsAlong, fixedByKey, jointLists } from './push-down.ts';

/**
 * All entities of a collection, before any query option, but for those that are not of the type it is cast
 * to. One whose owner is not there is NotFound.
 */
export async function loadCollection(
  loading: LoadContext,
  collection: CollectionResource,
  wanted: LoadRequest,
): Promise<CollectionSnapshot> {
  assertViews(loading, wanted);
  const snapshot = await loadUncast(loading, collection, wanted);
  if (!collection.isCast) return snapshot;
  const rows = await loading.context.budget.rows(snapshot.data);
  return { ...snapshot, data: rows.filter((row) => isOfCast(collection, row)) };
}

async function loadUncast(
  loading: LoadContext,
  collection: CollectionResource,
  wanted: LoadRequest,
): Promise<CollectionSnapshot> {
  const { origin } = collection;
  switch (origin.kind) {
    case 'operations': {
      const { list, page } = origin.operations;
      const operation = list ?? page;
      const args = operation && (await operationArguments(loading, operation, origin.owner));
      if (operation === undefined) throw notOffered(collection.url);
      if (args === undefined) return EMPTY;
      const lists =
        operation.fixed && (await jointLists(loading, collection, operation, wanted, loadCollection));
      if (lists?.each.length === 0) return EMPTY;
      return loadListed(loading, collection, { list: operation, page }, { args, lists }, wanted);
    }
    case 'embedded': {
      const { data, version } = await embeddedIn(loading, origin.owner, origin);
      return { data: (data ?? []) as readonly Row[], version };
    }
    case 'filtered':
      return origin.load(loading, wanted);
    case 'call': {
      const { data, version } = await callOperation(loading, origin.call, undefined, wanted.properties);
      return { data: (data ?? []) as readonly Row[], version };
    }
  }
}

/** What the key of an entity says of the list that it is in. */
function fixedFor({ origin }: CollectionResource, key: Row): FixedArguments {
  const list = origin.kind === 'operations' ? origin.operations.list : undefined;
  return list && fixedByKey(list, key);
}

/** What a foreign key that is null leads to. */
const EMPTY: Snapshot<readonly Row[]> = { data: [], version: undefined };

/** One entity; undefined where there is none, or none of the type it is cast to. */
export async function loadEntity(
  loading: LoadContext,
  entity: EntityResource,
  wanted: LoadRequest,
): Promise<EntitySnapshot | undefined> {
  assertViews(loading, wanted);
  const found = await loadUncastEntity(loading, entity, wanted);
  return found === undefined || isOfCast(entity, found.data) ? found : undefined;
}

function isOfCast({ type, isCast, entityType }: CollectionResource | EntityResource, row: Row): boolean {
  return !isCast || isRowOf(entityType, row, type);
}

async function loadUncastEntity(
  loading: LoadContext,
  entity: EntityResource,
  wanted: LoadRequest,
): Promise<EntitySnapshot | undefined> {
  const { origin, resource, entityType } = entity;
  switch (origin.kind) {
    case 'operation': {
      const { operation, from } = origin;
      const args = await operationArguments(loading, operation, from === 'itself' ? entity : entity.parent);
      if (args === undefined) return undefined;
      const read = { resource, entityType, operation, arguments: args, ...wanted };
      return loading.service.source.readEntity(read, loading.context);
    }
    case 'member': {
      const properties = [...new Set([...wanted.properties, ...Object.keys(entity.known)])];
      const fixed = fixedFor(origin.collection, entity.known);
      const all = { ...wanted, properties, fixed };
      const { data, version } = await loadCollection(loading, origin.collection, all);
      const rows = await loading.context.budget.rows(data);
      const [found, another] = rows.filter((row) => hasKey(row, entity.known));
      if (another !== undefined) throw ambiguousKey(entity);
      return found && { data: found, version };
    }
    case 'only':
      return loadOnly(loading, entity, origin.collection, wanted);
    case 'embedded': {
      if (entity.parent === undefined) return undefined;
      const { data, version } = await embeddedIn(loading, entity.parent, origin);
      return data === null ? undefined : { data: data as Row, version };
    }
    case 'call': {
      const { data, version } = await callOperation(loading, origin.call, undefined, wanted.properties);
      return data === null ? undefined : { data: data as Row, version };
    }
  }
}

function ambiguousKey({ url }: EntityResource): GatewayError {
  const message = `There is more than one ${decodeURIComponent(url)}: the API gives several entities this key.`;
  return new GatewayError('UpstreamBadResponse', message);
}

/** The only entity of a collection. */
async function loadOnly(
  loading: LoadContext,
  entity: EntityResource,
  collection: CollectionResource,
  wanted: LoadRequest,
): Promise<Snapshot<Row> | undefined> {
  const { data, version } = await loadCollection(loading, collection, wanted);
  const [only, another] = data;
  if (another === undefined) return only && { data: only, version };
  throw ambiguousKey(entity);
}

async function embeddedIn(
  loading: LoadContext,
  owner: EntityResource,
  { property, within = [] }: Pick<EmbeddedOrigin, 'property' | 'within'>,
): Promise<Snapshot<Value>> {
  const [first = property, ...steps] = [...within, property];
  const known = owner.known[first];
  if (known !== undefined) return { data: valueAt(known, steps), version: undefined };
  const { data, version } = await requireEntity(loading, owner, only(first));
  return { data: valueAt(data[first] ?? null, steps), version };
}

type EmbeddedOrigin = Extract<EntityResource['origin'], { kind: 'embedded' }>;

/** What complex values lead to; in a collection, a step is a place, from the end where it is negative (Part 2, 4.10). */
function valueAt(value: Value, steps: readonly string[]): Value {
  return steps.reduce<Value>((found, step) => {
    if (Array.isArray(found)) return (found.at(Number(step)) as Value | undefined) ?? null;
    return typeof found === 'object' && found !== null ? ((found as Row)[step] ?? null) : null;
  }, value);
}

function only(property: string): LoadRequest {
  return { properties: [property], dynamic: false };
}

function hasKey(row: Row, key: Row): boolean {
  return Object.entries(key).every(([name, value]) => {
    const own = row[name] ?? null;
    // No entity has the key `null`: the text of that name is another one.
    return own !== null && String(own) === String(value);
  });
}

/** The entity, which must be there: something else is asked of it. */
export async function requireEntity(
  loading: LoadContext,
  entity: EntityResource,
  wanted: LoadRequest,
): Promise<EntitySnapshot> {
  const found = await loadEntity(loading, entity, wanted);
  if (found === undefined) throw missingEntity(entity);
  return found;
}

export function missingEntity({ url }: EntityResource): GatewayError {
  return new GatewayError('NotFound', `There is no ${decodeURIComponent(url)}.`);
}

const NO_ARGUMENTS = Promise.resolve<Arguments>({});

/** The values of an operation's parameters; what the URL does not say of the entities along it is read. */
export function operationArguments(
  loading: LoadContext,
  operation: Operation,
  last: EntityResource | undefined,
): Promise<Arguments | undefined> {
  if (operation.parameters.length === 0) return NO_ARGUMENTS;
  return argumentsAlong(operation, last, async (entity, properties) => {
    const { data } = await requireEntity(loading, entity, { properties, dynamic: false });
    return data;
  });
}

/** The arguments of an operation on an entity, which is not there where it has none. */
export async function requireArguments(
  loading: LoadContext,
  operation: Operation,
  entity: EntityResource,
): Promise<Arguments> {
  const args = await operationArguments(loading, operation, entity);
  if (args === undefined) throw missingEntity(entity);
  return args;
}

function notOffered(url: string): GatewayError {
  const target = url.slice(url.lastIndexOf('/') + 1);
  return new GatewayError('NotImplemented', `The upstream has no operation that lists ${url}.`, { target });
}

/**
 * Calls a function, or an action with the parameters of its request's body. Entities come with all of their
 * structural properties, and with those of the wanted ones that are entities themselves.
 */
export async function callOperation(
  loading: LoadContext,
  bound: Invocation,
  parameters: Arguments = bound.parameters,
  wanted: readonly string[] = [],
): Promise<Snapshot<Value>> {
  const { kind, returns, wrappedIn, paging } = bound.callable;
  const call = await sentCall(loading, bound, parameters);
  const type = returns?.type;
  const names = type?.kind === 'entity' ? embeddedNames(type) : new Set<string>();
  const embedded = wanted.filter((name) => names.has(name));
  return loading.service.source.call(
    { kind, ...call, returns, embedded, wrappedIn, paging },
    loading.context,
  );
}

function embeddedNames(type: EntityType): ReadonlySet<string> {
  const navigation = withDerivedTypes(type).flatMap((each) => [...each.navigationProperties.values()]);
  return new Set(navigation.flatMap(({ name, origin }) => (origin.kind === 'embedded' ? [name] : [])));
}

/** What is sent for a call of a function or an action. */
export async function sentCall(
  loading: LoadContext,
  bound: Invocation,
  parameters: Arguments,
): Promise<SentCall> {
  const key = await operationArguments(loading, bound.operation, bound.bound);
  if (key === undefined) throw new GatewayError('NotFound', `There is no ${decodeURIComponent(bound.url)}.`);
  return withParameters(bound, key, parameters);
}

/**
 * All entities of a collection that the URL addresses. Where there are none, its owner must be there all the
 * same.
 */
export async function requireCollection(
  loading: LoadContext,
  collection: CollectionResource,
  wanted: LoadRequest,
): Promise<CollectionSnapshot> {
  const snapshot = await loadCollection(loading, collection, wanted);
  const { origin } = collection;
  const owner = origin.kind === 'operations' ? origin.owner : undefined;
  const isEmpty = snapshot.data.length === 0 && (snapshot.total ?? 0) === 0;
  if (isEmpty && owner !== undefined) await assertParentExists(loading, owner);
  return snapshot;
}

/** The owner of what is asked for must be there; whoever may not see it is not told. */
export async function assertParentExists(loading: LoadContext, owner: EntityResource): Promise<void> {
  await requireEntity(loading, owner, NOTHING).catch((error: unknown) => {
    if (!(error instanceof GatewayError) || error.code !== 'Forbidden') throw error;
  });
}

/** What is wanted of an entity that only has to be there. */
export const NOTHING: LoadRequest = { properties: [], dynamic: false };

/** Nothing is behind a navigation property that is null; anything else that is not there is NotFound. */
export async function assertNavigation(loading: LoadContext, entity: EntityResource): Promise<void> {
  const { parent, origin, isCast } = entity;
  const isNavigation =
    origin.kind === 'embedded' || (origin.kind === 'operation' && origin.from === 'parent');
  if (parent === undefined || !isNavigation || isCast) throw missingEntity(entity);
  // What stands in its JSON was looked for there.
  if (origin.kind !== 'embedded') await requireEntity(loading, parent, NOTHING);
}

/** What is sent for a call of a function or an action. */
type SentCall = Pick<CallableCall, 'resource' | 'operation' | 'arguments' | 'body'>;

/** The key of what it is bound to, and the parameters, each where the upstream takes it. */
function withParameters(
  { callable, operation, resource }: Invocation,
  key: Arguments,
  parameters: Arguments,
): SentCall {
  const inBody = callable.parameters.filter((parameter) => parameter.in === 'body');
  const others = callable.parameters.filter((parameter) => parameter.in !== 'body');
  return {
    resource,
    operation,
    arguments: { ...key, ...byUpstreamName(others, parameters) },
    body: inBody.length === 0 ? undefined : byUpstreamName(inBody, parameters),
  };
}

function byUpstreamName(wanted: readonly CallableParameter[], values: Arguments): Arguments {
  return Object.fromEntries(
    wanted.flatMap(({ name, upstreamName }) => {
      const value = values[name];
      return value === undefined ? [] : [[upstreamName, value] as const];
    }),
  );
}

interface ListOperations {
  readonly list: ListOperation;
  readonly page: PagedListOperation | undefined;
}

/** What a list is asked for by. */
interface ListArguments {
  readonly args: Arguments;
  readonly lists: JointLists | undefined;
}

/** All entities of a list, or the part of it that the query wants. */
async function loadListed(
  loading: LoadContext,
  collection: CollectionResource,
  { list, page }: ListOperations,
  { args, lists }: ListArguments,
  { properties, dynamic, pushed, part = pushed?.part }: LoadRequest,
): Promise<CollectionSnapshot> {
  const { resource, entityType } = collection;
  const filtered = pushed?.arguments ?? {};
  const isWhole = part === undefined && Object.keys(filtered).length === 0;
  const operation = page === undefined || (list.id !== page.id && isWhole) ? list : page;
  const read = (wanted: ListPart | undefined): Promise<CollectionSnapshot> => {
    const asked: CollectionRead = {
      resource,
      entityType,
      operation,
      arguments: { ...args, ...(operation === page && filtered) },
      lists,
      properties,
      dynamic,
      part: wanted,
    };
    return loading.service.source.readCollection(asked, loading.context);
  };
  const found = await read(part);
  const isCounted = pushed?.isCounted === true;
  if (part === undefined) return isCounted ? { ...found, total: found.data.length } : found;
  if (!isCounted || part.mayBeShort || found.total !== undefined) return found;
  // Its document says that the upstream tells how many there are, and it does not: all of them are counted.
  const whole = await read(undefined);
  return partOf({ ...whole, total: whole.data.length }, part);
}

function partOf(
  whole: CollectionSnapshot,
  { skip, top = Number.POSITIVE_INFINITY }: ListPart,
): CollectionSnapshot {
  return { ...whole, data: rowsBetween(whole.data, skip, skip + top) };
}

/** Whether a row of a declared type is of the wanted one, which its own may be derived from. */
export function isRowOf(declared: EntityType, row: Row, wanted: EntityType): boolean {
  const type = row[TYPE] === undefined ? declared : typeNamed(declared, row[TYPE]);
  return type !== undefined && isA(type, wanted);
}

/** Whether whoever asks may view the entities of the resource. */
export function mayView(source: EntitySource, resource: string, context: CallContext): boolean {
  try {
    source.permit?.(resource, 'View', context);
    return true;
  } catch (error) {
    if (error instanceof GatewayError) return false;
    throw error;
  }
}

/** Whoever may not see all that an answer takes is told so before any of it is read. */
export function assertViews(
  { service: { source }, context }: LoadContext,
  { related = [] }: { readonly related?: readonly string[] | undefined },
): void {
  for (const resource of related) source.permit?.(resource, 'View', context);
}

/** The related entities of one entity: none, one or many. */
export type Related = readonly Row[];

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
  loading: LoadContext,
  owners: readonly EntityResource[],
  navigation: NavigationProperty,
  wanted: LoadRequest,
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
  return { ...entityByKey(owners, picked(row, type.key)), known: row };
}

/** What a foreign key that is null calls. */
const NO_CALL = 'no call';

/** Tells calls apart; undefined where nothing is called for certain, so that each may differ. */
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
  loading: LoadContext,
  owners: readonly EntityResource[],
  { target, pairs }: Join,
  wanted: LoadRequest,
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

/** The properties that the related entities are found by. */
export function propertiesFor(type: EntityType, related: Projection['related']): readonly string[] {
  return [...related.values()].flatMap(({ navigation }) => propertiesBehind(type, navigation));
}

type Reading = Pick<Projection, 'properties' | 'dynamic' | 'related'> & Partial<Pick<Projection, 'roots'>>;

/** What expanding takes of the entities that are expanded. */
interface ExpandedReads {
  readonly properties: readonly string[];
  readonly resources: readonly string[];
  readonly dynamic?: boolean;
}

/** What is to be loaded for options, to find related entities by, and for the ETag. */
export function wantedFor(type: EntityType, query: Reading, expander?: ExpandedReads): LoadRequest {
  const { properties, dynamic, related, roots = [] } = query;
  const etag = etagProperty(type);
  if (expander === undefined && related.size === 0 && roots.length === 0 && etag === undefined)
    return { properties, dynamic };
  const behind = [
    ...propertiesFor(type, related),
    ...(expander?.properties ?? []),
    ...(etag === undefined ? [] : [etag]),
  ];
  const resources = [...relatedResources(query), ...(expander?.resources ?? [])];
  return {
    properties: [...new Set([...properties, ...behind])],
    dynamic: dynamic || expander?.dynamic === true,
    related: [...new Set(resources)],
  };
}

/** The resources of the entities that options read beside those that they are about. */
export function relatedResources({
  related,
  roots = [],
}: Pick<Projection, 'related'> & Partial<Pick<Projection, 'roots'>>): readonly string[] {
  return [
    ...[...related.values()].flatMap(resourcesOf),
    // Functions ask for a permission of their own when they are called.
    ...roots.flatMap((root) => (isRootCall(root) ? [] : [root.segment.name, ...relatedResources(root)])),
  ];
}

function resourcesOf({ navigation, related }: RelatedReads): readonly string[] {
  return [relatedResourceName(navigation) ?? [], ...relatedResources({ related })].flat();
}
