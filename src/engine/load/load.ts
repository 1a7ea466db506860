import type {
  Arguments,
  CallableCall,
  EntitySnapshot,
  EntitySource,
  Snapshot,
} from '../../contract/entity-source.ts';
import type { CallContext } from '../../contract/exchange.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import { type Row, TYPE, type Value } from '../../contract/row.ts';
import {
  type CallableParameter,
  type EntityType,
  isA,
  typeNamed,
  withDerivedTypes,
} from '../../model/edm.ts';
import type { Operation } from '../../model/operation.ts';
import { chosenLists } from '../plan/chosen-arguments.ts';
import { fixedByKey } from '../plan/fixed-arguments.ts';
import { NEEDS_WHOLE, needsOfValues } from '../plan/needs-of-query.ts';
import type { LoadContext, LoadedCollection, LoadRequest } from '../resource/load-context.ts';
import type { AcceptRows, FixedArguments } from '../resource/read-needs.ts';
import type { CollectionResource, EntityResource, Invocation } from '../resource/resource.ts';
import { jointLists } from './joint-lists.ts';
import { loadPlanned } from './load-planned.ts';
import { argumentsAlong } from './operation-arguments.ts';

/**
 * All entities of a collection, before any query option, but for those that are not of the type it is cast
 * to. One whose owner is not there is NotFound.
 */
export async function loadCollection(
  loading: LoadContext,
  collection: CollectionResource,
  wanted: LoadRequest,
): Promise<LoadedCollection> {
  assertViews(loading, wanted);
  if (!collection.isCast) return loadUncast(loading, collection, wanted);
  const snapshot = await loadUncast(loading, collection, { ...wanted, deciding: undefined });
  const rows = await loading.context.budget.rows(snapshot.data);
  return { ...snapshot, data: rows.filter((row) => isOfCast(collection, row)) };
}

async function loadUncast(
  loading: LoadContext,
  collection: CollectionResource,
  wanted: LoadRequest,
): Promise<LoadedCollection> {
  const { origin } = collection;
  switch (origin.kind) {
    case 'operations': {
      const { list, page, read } = origin.operations;
      const operation = list ?? page;
      const args = operation && (await operationArguments(loading, operation, origin.owner));
      if (operation === undefined) throw notOffered(collection.url);
      if (args === undefined) return EMPTY;
      const fixed = wanted.fixed ?? wanted.needs?.fixed;
      const [chosen, ...others] = wanted.needs?.chosen ?? [];
      const joint =
        operation.fixed && (await jointLists(loading, collection, operation, fixed, loadCollection));
      const lists = others.length > 0 ? chosenLists(joint, wanted.needs?.chosen) : joint;
      if (lists?.each.length === 0) return EMPTY;
      const given = others.length > 0 ? args : { ...args, ...chosen };
      const called = { list: operation, page, read, args: given, lists };
      const { deciding } = wanted;
      const needs =
        deciding === undefined ? wanted.needs : { ...NEEDS_WHOLE, accept: deciding, enough: ONE_IS_ENOUGH };
      return loadPlanned(loading, collection, called, { ...wanted, needs }, loadEntity);
    }
    case 'embedded': {
      const { data, version } = await embeddedIn(loading, origin.owner, origin);
      return { data: (data ?? []) as readonly Row[], version };
    }
    case 'filtered':
      return origin.load(loading, wanted);
    case 'referring':
      return loadReferring(loading, origin, wanted);
    case 'call': {
      const { data, version } = await callOperation(loading, origin.call, undefined, wanted.properties);
      return { data: (data ?? []) as readonly Row[], version };
    }
  }
}

const ONE_IS_ENOUGH = () => (rows: readonly Row[]) => rows.length > 0;

type ReferringOrigin = Extract<CollectionResource['origin'], { kind: 'referring' }>;

/** The entities that refer to one: their set is read by the value of the foreign key, and they are found among its rows. */
async function loadReferring(
  loading: LoadContext,
  { owner, from, foreignKey: { property, referencedProperty } }: ReferringOrigin,
  { part: _, ...wanted }: LoadRequest,
): Promise<LoadedCollection> {
  assertViews(loading, { related: [from.resource] });
  const known = owner.known[referencedProperty];
  const { data: own } =
    known === undefined
      ? await requireEntity(loading, owner, only(referencedProperty))
      : { data: owner.known };
  const values = keyValues(own[referencedProperty] ?? null);
  if (values.length === 0) return EMPTY;
  const properties = [...new Set([...wanted.properties, property])];
  const needs = needsOfValues(from, property, values, properties);
  const keys = new Set(values.map(String));
  const refers = (row: Row) => keyValues(row[property] ?? null).some((value) => keys.has(String(value)));
  const { deciding, ...others } = wanted;
  const accept: AcceptRows | undefined =
    deciding && (async (budget, rows) => (await deciding(budget, rows)).filter(refers));
  const { data } = await loadCollection(loading, from, {
    ...others,
    properties,
    needs: accept === undefined ? needs : { ...needs, accept, enough: ONE_IS_ENOUGH },
  });
  const rows = await loading.context.budget.rows(data);
  return { data: rows.filter(refers), version: undefined };
}

/** The keys that a value is: none if it is null, and each item of a list that is not null. */
export function keyValues(value: Value): readonly Value[] {
  return (Array.isArray(value) ? value : [value]).filter((each) => each !== null);
}

/** The arguments of the list that the entity's key determines. */
function fixedFor({ origin }: CollectionResource, key: Row): FixedArguments {
  const list = origin.kind === 'operations' ? origin.operations.list : undefined;
  return list && fixedByKey(list, key);
}

/** The result for a foreign key that is null. */
const EMPTY: Snapshot<readonly Row[]> = { data: [], version: undefined };

/** One entity; undefined if it does not exist or has another type than the cast. */
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
      // Its owner is not read for someone who may not see where the owner leads to.
      if (from === 'parent') assertViews(loading, { related: [resource] });
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

/**
 * The value at a path through complex values; in a collection, a step is an index, from the end if negative
 * (Part 2, 4.10).
 */
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
  const { kind, returns, wrappedIn, paging, envelope } = bound.callable;
  const call = await sentCall(loading, bound, parameters);
  const type = returns?.type;
  const names = type?.kind === 'entity' ? embeddedNames(type) : new Set<string>();
  const embedded = wanted.filter((name) => names.has(name));
  return loading.service.source.call(
    { kind, ...call, returns, embedded, wrappedIn, paging, envelope },
    loading.context,
  );
}

function embeddedNames(type: EntityType): ReadonlySet<string> {
  const navigation = withDerivedTypes(type).flatMap((each) => [...each.navigationProperties.values()]);
  return new Set(navigation.flatMap(({ name, origin }) => (origin.kind === 'embedded' ? [name] : [])));
}

/** The arguments of a function or action call. */
export async function sentCall(
  loading: LoadContext,
  bound: Invocation,
  parameters: Arguments,
): Promise<SentCall> {
  const key = await operationArguments(loading, bound.operation, bound.bound);
  if (key === undefined) throw new GatewayError('NotFound', `There is no ${decodeURIComponent(bound.url)}.`);
  return withParameters(bound, key, parameters);
}

/** All entities of a collection in a URL. If it is empty, its owner must exist. */
export async function requireCollection(
  loading: LoadContext,
  collection: CollectionResource,
  wanted: LoadRequest,
): Promise<LoadedCollection> {
  const snapshot = await loadCollection(loading, collection, wanted);
  const { origin } = collection;
  const owner = origin.kind === 'operations' || origin.kind === 'referring' ? origin.owner : undefined;
  const { data, total = 0, result } = snapshot;
  const isEmpty = data.length === 0 && total === 0 && result === undefined;
  if (isEmpty && owner !== undefined) await assertParentExists(loading, owner);
  return snapshot;
}

/** Throws NotFound if the owner does not exist; skipped without permission to view it. */
export async function assertParentExists(loading: LoadContext, owner: EntityResource): Promise<void> {
  await requireEntity(loading, owner, NOTHING).catch((error: unknown) => {
    if (!(error instanceof GatewayError) || error.code !== 'Forbidden') throw error;
  });
}

/** The load request for a check of existence. */
export const NOTHING: LoadRequest = { properties: [], dynamic: false };

/** Nothing is behind a navigation property that is null; anything else that is not there is NotFound. */
export async function assertNavigation(loading: LoadContext, entity: EntityResource): Promise<void> {
  const { parent, origin, isCast } = entity;
  const isReferred = origin.kind === 'only' && origin.collection.origin.kind === 'referring';
  const isNavigation =
    isReferred || origin.kind === 'embedded' || (origin.kind === 'operation' && origin.from === 'parent');
  if (parent === undefined || !isNavigation || isCast) throw missingEntity(entity);
  // What stands in its JSON was looked for there.
  if (origin.kind !== 'embedded') await requireEntity(loading, parent, NOTHING);
}

/** The parts of a call that depend on its arguments. */
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

/** Whether a row of a declared type is of the wanted one, which its own may be derived from. */
export function isRowOf(declared: EntityType, row: Row, wanted: EntityType): boolean {
  const type = row[TYPE] === undefined ? declared : typeNamed(declared, row[TYPE]);
  return type !== undefined && isA(type, wanted);
}

/** Whether the caller may view the entities of the resource. */
export function mayView(source: EntitySource, resource: string, context: CallContext): boolean {
  try {
    source.permit?.(resource, 'View', context);
    return true;
  } catch (error) {
    if (error instanceof GatewayError) return false;
    throw error;
  }
}

/** Throws Forbidden before any read if the caller may not view everything in the response. */
export function assertViews(
  { service: { source }, context }: LoadContext,
  { related = [] }: { readonly related?: readonly string[] | undefined },
): void {
  for (const resource of related) source.permit?.(resource, 'View', context);
}
