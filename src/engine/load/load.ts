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
import { type Row, rowsBetween, TYPE, type Value } from '../../contract/row.ts';
import {
  type CallableParameter,
  type EntityType,
  isA,
  typeNamed,
  withDerivedTypes,
} from '../../model/edm.ts';
import type { ListOperation, Operation, PagedListOperation } from '../../model/operation.ts';
import { relatedResourceName } from '../../model/resource-grants.ts';
import type { Projection } from '../pipeline/compile-query.ts';
import type { FixedArguments, Loading, Wanted } from '../resource/loading.ts';
import type { BoundCall, CollectionResource, EntityResource } from '../resource/resource.ts';
import { isRootCall, type RelatedReads } from '../scope/scope.ts';
import { argumentsAlong, fixedByKey, jointLists } from './push-down.ts';

/**
 * All entities of a collection, before any query option, but for those that are not of the type it is cast
 * to. One whose owner is not there is NotFound.
 */
export async function loadCollection(
  loading: Loading,
  collection: CollectionResource,
  wanted: Wanted,
): Promise<CollectionSnapshot> {
  assertViews(loading, wanted);
  const snapshot = await loadUncast(loading, collection, wanted);
  if (!collection.isCast) return snapshot;
  const rows = await loading.context.budget.rows(snapshot.data);
  return { ...snapshot, data: rows.filter((row) => isOfCast(collection, row)) };
}

async function loadUncast(
  loading: Loading,
  collection: CollectionResource,
  wanted: Wanted,
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
  loading: Loading,
  entity: EntityResource,
  wanted: Wanted,
): Promise<EntitySnapshot | undefined> {
  assertViews(loading, wanted);
  const found = await loadUncastEntity(loading, entity, wanted);
  return found === undefined || isOfCast(entity, found.data) ? found : undefined;
}

function isOfCast({ type, isCast, entityType }: CollectionResource | EntityResource, row: Row): boolean {
  return !isCast || isRowOf(entityType, row, type);
}

async function loadUncastEntity(
  loading: Loading,
  entity: EntityResource,
  wanted: Wanted,
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
      const found = (await loading.context.budget.rows(data)).find((row) => hasKey(row, entity.known));
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

/** Where there are several, what the document says tells entities apart does not. */
async function loadOnly(
  loading: Loading,
  { url }: EntityResource,
  collection: CollectionResource,
  wanted: Wanted,
): Promise<Snapshot<Row> | undefined> {
  const { data, version } = await loadCollection(loading, collection, wanted);
  const [only, another] = data;
  if (another === undefined) return only && { data: only, version };
  throw new GatewayError('UpstreamBadResponse', `There is more than one ${decodeURIComponent(url)}.`);
}

async function embeddedIn(
  loading: Loading,
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

function only(property: string): Wanted {
  return { properties: [property], dynamic: false };
}

function hasKey(row: Row, key: Row): boolean {
  return Object.entries(key).every(([name, value]) => String(row[name]) === String(value));
}

/** The entity, which must be there: something else is asked of it. */
export async function requireEntity(
  loading: Loading,
  entity: EntityResource,
  wanted: Wanted,
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
  loading: Loading,
  operation: Operation,
  last: EntityResource | undefined,
): Promise<Arguments | undefined> {
  if (operation.parameters.length === 0) return NO_ARGUMENTS;
  return argumentsAlong(operation, last, async (entity, properties) => {
    const { data } = await requireEntity(loading, entity, { properties, dynamic: false });
    return data;
  });
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
  loading: Loading,
  bound: BoundCall,
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
export async function sentCall(loading: Loading, bound: BoundCall, parameters: Arguments): Promise<SentCall> {
  const key = await operationArguments(loading, bound.operation, bound.bound);
  if (key === undefined) throw new GatewayError('NotFound', `There is no ${decodeURIComponent(bound.url)}.`);
  return withParameters(bound, key, parameters);
}

/**
 * All entities of a collection that the URL addresses. Where there are none, its owner must be there all the
 * same.
 */
export async function requireCollection(
  loading: Loading,
  collection: CollectionResource,
  wanted: Wanted,
): Promise<CollectionSnapshot> {
  const snapshot = await loadCollection(loading, collection, wanted);
  const { origin } = collection;
  const owner = origin.kind === 'operations' ? origin.owner : undefined;
  const isEmpty = snapshot.data.length === 0 && (snapshot.total ?? 0) === 0;
  if (isEmpty && owner !== undefined) await assertParentExists(loading, owner);
  return snapshot;
}

/** The owner of what is asked for must be there; whoever may not see it is not told. */
export async function assertParentExists(loading: Loading, owner: EntityResource): Promise<void> {
  await requireEntity(loading, owner, NOTHING).catch((error: unknown) => {
    if (!(error instanceof GatewayError) || error.code !== 'Forbidden') throw error;
  });
}

/** What is wanted of an entity that only has to be there. */
export const NOTHING: Wanted = { properties: [], dynamic: false };

/** Nothing is behind a navigation property that is null; anything else that is not there is NotFound. */
export async function assertNavigation(loading: Loading, entity: EntityResource): Promise<void> {
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
  { callable, operation, resource }: BoundCall,
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
  loading: Loading,
  collection: CollectionResource,
  { list, page }: ListOperations,
  { args, lists }: ListArguments,
  { properties, dynamic, pushed, part = pushed?.part }: Wanted,
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

/** Whoever may not see all that an answer takes is told so before any of it is read. */
export function assertViews(
  { service: { source }, context }: Loading,
  { related = [] }: { readonly related?: readonly string[] | undefined },
): void {
  for (const resource of related) source.permit?.(resource, 'View', context);
}
