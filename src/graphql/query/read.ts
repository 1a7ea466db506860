import { type GraphQLNamedType, type GraphQLResolveInfo, getNamedType } from 'graphql';
import type { CollectionSnapshot, EntitySnapshot } from '../../contract/entity-source.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import { type Row, TAG } from '../../contract/row.ts';
import { REQUEST_LIMITS } from '../../core/request-limits.ts';
import { CONCURRENT_CALLS, mapConcurrently } from '../../core/work.ts';
import { loadCollection, loadEntity, missingEntity } from '../../engine/load/load.ts';
import {
  type PreparedCollection,
  type PreparedEntity,
  prepareCollection,
  prepareEntity,
} from '../../engine/read/prepare-query.ts';
import type { LoadContext } from '../../engine/resource/load-context.ts';
import { collectionOf, entityByKey } from '../../engine/resource/navigation-source.ts';
import type { CollectionResource, EntityResource } from '../../engine/resource/resource.ts';
import type {
  ComputeItem,
  ExpandItem,
  QueryOptions,
  SelectItem,
  SystemQueryOptions,
} from '../../engine/tree/query-tree.ts';
import {
  type EntitySet,
  type EntityType,
  etagProperty,
  expressionPath,
  keyProperties,
  typeNamed,
} from '../../model/edm.ts';
import {
  type GraphQLContext,
  type Input,
  isGiven,
  type QueryService,
  type SelectionDependencies,
} from '../context/graphql-context.ts';
import { type Member, memberOf, type RelatedMember, type StreamMember } from '../context/members.ts';
import {
  type Connection,
  connectionOf,
  connectionOrder,
  connectionParts,
  PAGE,
  relationKey,
} from './connection-options.ts';
import { binary, list, literal, nameSegment, path } from './expressions.ts';
import { ENTITY_SET, setsWithNodes } from './node-id.ts';
import { orderBy, orderItems } from './order.ts';
import { type RequestedField, requestedFields, typeOfField } from './selection.ts';
import { amount, conditionOptions } from './where.ts';

/** The selected fields below a field. */
export interface Selection {
  readonly dependencies: SelectionDependencies;
  readonly fields: readonly RequestedField[];
}

export function selectionOf(context: GraphQLContext, info: GraphQLResolveInfo): Selection {
  return selectionOn(context, info, getNamedType(info.returnType));
}

/** The selected fields of values of the type, which the field may return. */
export function selectionOn(
  { dependencies }: GraphQLContext,
  info: GraphQLResolveInfo,
  type: GraphQLNamedType,
): Selection {
  const about = dependencies(info);
  return { dependencies: about, fields: requestedFields(about.requested, type, info.fieldNodes) };
}

/** Reads a list by one query of the engine, with related entities expanded. */
export function readList(
  context: GraphQLContext,
  collection: CollectionResource,
  args: Input,
  { dependencies, fields }: Selection,
): Promise<readonly Row[]> {
  const within = { ...dependencies, set: collection.entitySet };
  const options = listOptions(within, collection.entityType, args, fields);
  return runList(context, collection, prepareList(context.service, collection, options));
}

/**
 * Reads a connection by one query per part. All read the same list at once, and nothing if one of them is
 * rejected.
 */
export async function readConnection(
  context: GraphQLContext,
  collection: CollectionResource,
  args: Input,
  { dependencies, fields }: Selection,
): Promise<Connection> {
  const type = collection.entityType;
  const within = { ...dependencies, set: collection.entitySet };
  const parts = connectionParts(within, type, args, fields, shownOptions);
  const prepared = parts.map(({ options }) => prepareList(context.service, collection, options));
  const answers = await allOrNone(context, (cancellable) =>
    prepared.map((each) => runList(cancellable, collection, each)),
  );
  const found = new Map(parts.map(({ key }, index) => [key, answers[index] ?? []]));
  const answer = (part: string) => found.get(part) ?? [];
  return connectionOf(connectionOrder(dependencies, type, args), args, answer(PAGE), answer);
}

/** Returns all results; if one fails, the others are cancelled. */
async function allOrNone<Result>(
  context: GraphQLContext,
  begin: (within: GraphQLContext) => readonly Promise<Result>[],
): Promise<readonly Result[]> {
  const failed = new AbortController();
  const signal = AbortSignal.any([context.call.signal, failed.signal]);
  try {
    return await Promise.all(begin({ ...context, call: { ...context.call, signal } }));
  } catch (error) {
    failed.abort();
    throw error;
  }
}

/** Compiles a query of a list for repeated use. */
export function prepareList(
  service: QueryService,
  collection: CollectionResource,
  options: SystemQueryOptions,
): PreparedCollection {
  return prepareCollection(service, collection, { ...options, aliases: NO_ALIASES });
}

export async function runList(
  { service, call, failed }: GraphQLContext,
  collection: CollectionResource,
  prepared: PreparedCollection,
): Promise<readonly Row[]> {
  if (failed !== undefined) throw failed;
  const loading = { service, context: call };
  return rowsOf(loading, prepared, await loadCollection(loading, collection, prepared.wanted));
}

/** The results of the query on loaded entities. */
export async function rowsOf(
  loading: LoadContext,
  prepared: PreparedCollection,
  loaded: CollectionSnapshot,
): Promise<readonly Row[]> {
  const { rows } = await prepared.run(loading, loaded);
  return prepared.expand(loading, rows);
}

/** Reads one entity; throws if it does not exist. */
export async function readOne(
  context: GraphQLContext,
  entity: EntityResource,
  below: Selection,
): Promise<Row> {
  const found = await readOneOrNone(context, entity, below);
  if (found === null) throw missingEntity(entity);
  return found;
}

/** Reads one entity, or null. */
export async function readOneOrNone(
  context: GraphQLContext,
  entity: EntityResource,
  below: Selection,
): Promise<Row | null> {
  if (context.failed !== undefined) throw context.failed;
  const within = { ...below.dependencies, set: entity.entitySet };
  const options = shownOptions(within, entity.entityType, below.fields);
  const { service, call } = context;
  const prepared = prepareOne(service, entity, options);
  const loading = { service, context: call };
  const found = await loadEntity(loading, entity, prepared.wanted);
  return found === undefined ? null : withTag(await prepared.run(loading, found.data), found);
}

/** Keeps the tag that the API gave the entity. */
function withTag(row: Row, { etag, digest }: EntitySnapshot): Row {
  const tag = etag ?? digest;
  return tag === undefined ? row : { ...row, [TAG]: tag };
}

/** Reads the entities of a set that have these keys, in any order, by as few calls as the API allows. */
export async function readByKeys(
  context: GraphQLContext,
  set: EntitySet,
  keys: readonly Row[],
  { dependencies, fields }: Selection,
): Promise<readonly Row[]> {
  if (context.failed !== undefined) throw context.failed;
  const { service, call } = context;
  const loading = { service, context: call };
  const collection = collectionOf(set);
  const { entityType } = set;
  const options = withKey(entityType, shownOptions({ ...dependencies, set }, entityType, fields));
  const [property, ...others] = keyProperties(entityType);
  const isListed = set.list !== undefined || set.page !== undefined;
  if (keys.length > 1 && isListed && property !== undefined && others.length === 0) {
    const type = property.type.kind === 'enumeration' ? 'Edm.String' : property.type.name;
    const values = keys.map((key) => literal(type, key[property.name] ?? null));
    const filter = binary('in', path(expressionPath(property).map(nameSegment)), list(values));
    return runList(context, collection, prepareList(service, collection, { ...options, filter }));
  }
  const read = async (key: Row): Promise<Row | undefined> => {
    const entity = entityByKey(collection, key);
    const prepared = prepareOne(service, entity, options);
    const found = await loadEntity(loading, entity, prepared.wanted);
    return found && withTag(await prepared.run(loading, found.data), found);
  };
  const rows = await mapConcurrently(keys, CONCURRENT_CALLS, read);
  return rows.filter((row) => row !== undefined);
}

/** Adds the key to the selected properties. */
function withKey(type: EntityType, shown: Shown): Shown {
  const key = keyPaths(type).map((each) => ({ path: each, options: undefined, position: 0 }));
  return { ...shown, select: [...(shown.select ?? []), ...key] };
}

export function prepareOne(
  service: QueryService,
  entity: EntityResource,
  options: SystemQueryOptions,
): PreparedEntity {
  return prepareEntity(service, entity, { ...options, aliases: NO_ALIASES });
}

const NO_ALIASES: QueryOptions['aliases'] = new Map();

/** The selected properties and relations of entities. */
export type Shown = Pick<SystemQueryOptions, 'select' | 'expand' | 'compute'>;

/** The options of a list: filter, order, and selection. */
export function listOptions(
  dependencies: SelectionDependencies,
  type: EntityType,
  args: Input,
  fields: readonly RequestedField[],
): SystemQueryOptions {
  return { ...listedOptions(dependencies, type, args), ...shownOptions(dependencies, type, fields) };
}

function listedOptions(
  dependencies: SelectionDependencies,
  type: EntityType,
  args: Input,
): SystemQueryOptions {
  const { shown, limits } = dependencies;
  const { take, skip } = args;
  const order = orderItems(shown, type, args['order'], limits.url.orderByItems);
  return {
    ...conditionOptions(dependencies, type, args),
    ...(order.length > 0 && { orderBy: orderBy(order) }),
    ...(isGiven(skip) && { skip: amount('skip', skip) }),
    ...(isGiven(take) && { top: amount('take', take) }),
  };
}

/** The options for the selected fields; equal relations with equal arguments are merged. */
export function shownOptions(
  dependencies: SelectionDependencies,
  type: EntityType,
  fields: readonly RequestedField[],
): Shown {
  const selected = new Map<string, SelectItem>();
  const related = new Map<string, RequestedRelation>();
  let isOfSet = false;
  const select = (path: readonly string[]): void => {
    selected.set(path.join('/'), { path, options: undefined, position: 0 });
  };
  for (const requested of fields) {
    const member = memberOf(requested.field);
    if (member === undefined) continue;
    if (member.kind === 'property') {
      const within = [...castTo(type, member.declaredIn), member.property.name];
      select(within);
      for (const [key, each] of relationsWithin(dependencies, member, requested, within)) {
        related.set(key, { ...each, requested: [...(related.get(key)?.requested ?? []), ...each.requested] });
      }
    } else if (member.kind === 'dynamic') select([...castTo(type, member.declaredIn), '*']);
    else if (member.kind === 'stream') {
      for (const path of streamPaths(type, member)) select([...castTo(type, member.declaredIn), ...path]);
    } else if (member.kind === 'etag') {
      const property = etagProperty(typeNamed(type, member.declaredIn) ?? type);
      if (property !== undefined) select([...castTo(type, member.declaredIn), property]);
    } else if (member.kind === 'function' || member.kind === 'nodeId') {
      for (const path of keyPaths(type)) select(path);
      if (member.kind === 'nodeId' && setsWithNodes(dependencies.shown.model, type).length > 1)
        isOfSet = true;
    } else {
      const key = relationKey(member, requested.args);
      const known = related.get(key);
      const path = [...castTo(type, member.declaredIn), member.navigation.name];
      related.set(key, { member, path, requested: [...(known?.requested ?? []), requested] });
    }
  }
  // A selection of only relations or type names needs no property; the key is selected instead.
  if (selected.size === 0) {
    for (const path of keyPaths(type)) select(path);
  }
  const expand = [...related.values()].flatMap((each) => expandItems(dependencies, each));
  const compute = isOfSet ? setNameOf(dependencies) : [];
  for (const { alias } of compute) select([alias]);
  return {
    select: [...selected.values()],
    ...(expand.length > 0 && { expand }),
    ...(compute.length > 0 && { compute }),
  };
}

/** The name of the entities' set in each row. */
function setNameOf({ set }: SelectionDependencies): readonly ComputeItem[] {
  if (set === undefined) return [];
  return [{ expression: literal('Edm.String', set.name), alias: ENTITY_SET, position: 0 }];
}

/** A relation with its arguments, wherever it is selected. */
interface RequestedRelation {
  readonly member: RelatedMember;
  /** The path from the entities to the navigation property. */
  readonly path: readonly string[];
  readonly requested: readonly RequestedField[];
}

/** The selected relations of complex values, by path and arguments. */
function relationsWithin(
  dependencies: SelectionDependencies,
  { property }: Extract<Member, { kind: 'property' }>,
  requested: RequestedField,
  within: readonly string[],
): readonly (readonly [string, RequestedRelation])[] {
  const { type } = property;
  if (type.kind !== 'complex') return [];
  return requestedFields(dependencies.requested, typeOfField(requested), [requested.node]).flatMap(
    (inner) => {
      const member = memberOf(inner.field);
      if (member?.kind === 'property') {
        return relationsWithin(dependencies, member, inner, [...within, member.property.name]);
      }
      if (member?.kind !== 'related' && member?.kind !== 'connection') return [];
      // A path cannot lead through a derived complex type.
      if (!type.navigationProperties.has(member.navigation.name)) return [];
      const path = [...within, member.navigation.name];
      const relation: RequestedRelation = { member, path, requested: [inner] };
      return [[`${within.join('/')} ${relationKey(member, inner.args)}`, relation] as const];
    },
  );
}

/** The properties that determine a stream's URL and type. */
function streamPaths(type: EntityType, member: StreamMember): readonly (readonly string[])[] {
  const owner = type.derived.find(({ name }) => name === member.declaredIn) ?? type;
  const { contentType, etag } = member.operations;
  return [...keyPaths(owner), ...[contentType, etag].flatMap((name) => (name === undefined ? [] : [[name]]))];
}

function keyPaths(type: EntityType): readonly (readonly string[])[] {
  return keyProperties(type).map(expressionPath);
}

/** The type cast for members of a derived type (Part 2, 5.1.3). */
function castTo(type: EntityType, declaredIn: string): readonly string[] {
  const cast = type.derived.find(({ name }) => name === declaredIn);
  return cast === undefined ? [] : [`${cast.namespace}.${cast.name}`];
}

function expandItems(
  dependencies: SelectionDependencies,
  { member, path, requested }: RequestedRelation,
): readonly ExpandItem[] {
  const target = member.navigation.entityType;
  const [first] = requested;
  if (first === undefined) return [];
  const within = { ...deeper(dependencies), set: member.navigation.target };
  const { args } = first;
  const fields = requestedFields(
    dependencies.requested,
    typeOfField(first),
    requested.map(({ node }) => node),
  );
  const item = (part: string | undefined, options: SystemQueryOptions): ExpandItem => ({
    path,
    form: 'entities',
    levels: undefined,
    options,
    alias: relationKey(member, args, part),
    position: 0,
  });
  if (member.kind === 'connection') {
    return connectionParts(within, target, args, fields, shownOptions).map(({ key, options }) =>
      item(key, options),
    );
  }
  if (!member.navigation.collection) return [item(undefined, shownOptions(within, target, fields))];
  return [item(undefined, listOptions(within, target, args, fields))];
}

/** The context one level of `$expand` deeper. */
function deeper(dependencies: SelectionDependencies): SelectionDependencies {
  const { expandDepth } = dependencies.limits.url;
  if (dependencies.depth < expandDepth) return { ...dependencies, depth: dependencies.depth + 1 };
  const { variable } = REQUEST_LIMITS.url.expandDepth;
  const message = `Expected at most ${expandDepth} relations inside each other (${variable}), found more.`;
  throw new GatewayError('BadRequest', message, { limit: variable });
}
