import { type GraphQLResolveInfo, getNamedType } from 'graphql';
import type { CollectionSnapshot } from '../../contract/entity-source.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { Row } from '../../contract/row.ts';
import { REQUEST_LIMITS } from '../../core/request-limits.ts';
import { loadCollection, loadEntity, missingEntity } from '../../engine/load/load.ts';
import {
  type PreparedCollection,
  type PreparedEntity,
  prepareCollection,
  prepareEntity,
} from '../../engine/read/prepare-query.ts';
import type { LoadContext } from '../../engine/resource/load-context.ts';
import type { CollectionResource, EntityResource } from '../../engine/resource/resource.ts';
import type {
  ExpandItem,
  QueryOptions,
  SelectItem,
  SystemQueryOptions,
} from '../../engine/tree/query-tree.ts';
import { type EntityType, expressionPath, keyProperties } from '../../model/edm.ts';
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
import { orderBy, orderItems } from './order.ts';
import { type AskedField, askedFields, typeOfField } from './selection.ts';
import { amount, conditionOptions } from './where.ts';

/** What is asked for below a field. */
export interface Selection {
  readonly dependencies: SelectionDependencies;
  readonly fields: readonly AskedField[];
}

export function selectionOf({ dependencies }: GraphQLContext, info: GraphQLResolveInfo): Selection {
  const about = dependencies(info);
  return {
    dependencies: about,
    fields: askedFields(about.asked, getNamedType(info.returnType), info.fieldNodes),
  };
}

/** The entities of a list: one query of the engine, in which what they are related to is expanded. */
export function readList(
  context: GraphQLContext,
  collection: CollectionResource,
  args: Input,
  { dependencies, fields }: Selection,
): Promise<readonly Row[]> {
  const options = listOptions(dependencies, collection.entityType, args, fields);
  return runList(context, collection, prepareList(context.service, collection, options));
}

/**
 * A connection: one query for each of what is asked of it. They read the same list at the same time, and nothing
 * where one of them is refused.
 */
export async function readConnection(
  context: GraphQLContext,
  collection: CollectionResource,
  args: Input,
  { dependencies, fields }: Selection,
): Promise<Connection> {
  const type = collection.entityType;
  const parts = connectionParts(dependencies, type, args, fields, shownOptions);
  const prepared = parts.map(({ options }) => prepareList(context.service, collection, options));
  const answers = await allOrNone(context, (within) =>
    prepared.map((each) => runList(within, collection, each)),
  );
  const found = new Map(parts.map(({ key }, index) => [key, answers[index] ?? []]));
  const answer = (part: string) => found.get(part) ?? [];
  return connectionOf(connectionOrder(dependencies, type, args), args, answer(PAGE), answer);
}

/** What all of them come to. Where one fails, the others are given up: what has not been asked for by then is not. */
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

/** Compiles a query of a list, once for any number of reads. */
export function prepareList(
  service: QueryService,
  collection: CollectionResource,
  options: SystemQueryOptions,
): PreparedCollection {
  return prepareCollection(service, collection, { ...options, aliases: NO_ALIASES });
}

async function runList(
  { service, call, failed }: GraphQLContext,
  collection: CollectionResource,
  prepared: PreparedCollection,
): Promise<readonly Row[]> {
  if (failed !== undefined) throw failed;
  const loading = { service, context: call };
  return rowsOf(loading, prepared, await loadCollection(loading, collection, prepared.wanted));
}

/** What the query makes of the entities that were loaded for it. */
export async function rowsOf(
  loading: LoadContext,
  prepared: PreparedCollection,
  loaded: CollectionSnapshot,
): Promise<readonly Row[]> {
  const { rows } = await prepared.run(loading, loaded);
  return prepared.expand(loading, rows);
}

/** One entity, which must be there. */
export async function readOne(
  context: GraphQLContext,
  entity: EntityResource,
  below: Selection,
): Promise<Row> {
  const found = await readOneOrNone(context, entity, below);
  if (found === null) throw missingEntity(entity);
  return found;
}

/** One entity, or null where there is none. */
export async function readOneOrNone(
  context: GraphQLContext,
  entity: EntityResource,
  below: Selection,
): Promise<Row | null> {
  if (context.failed !== undefined) throw context.failed;
  const options = shownOptions(below.dependencies, entity.entityType, below.fields);
  const { service, call } = context;
  const prepared = prepareOne(service, entity, options);
  const loading = { service, context: call };
  const found = await loadEntity(loading, entity, prepared.wanted);
  return found === undefined ? null : prepared.run(loading, found.data);
}

export function prepareOne(
  service: QueryService,
  entity: EntityResource,
  options: SystemQueryOptions,
): PreparedEntity {
  return prepareEntity(service, entity, { ...options, aliases: NO_ALIASES });
}

const NO_ALIASES: QueryOptions['aliases'] = new Map();

/** What is shown of entities: their properties, and what they are related to. */
export type Shown = Pick<SystemQueryOptions, 'select' | 'expand'>;

/** The options of a list: which entities, in which order, and what of them. */
export function listOptions(
  dependencies: SelectionDependencies,
  type: EntityType,
  args: Input,
  fields: readonly AskedField[],
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

/** What the fields of a selection come to: equal relations with equal arguments are one. */
export function shownOptions(
  dependencies: SelectionDependencies,
  type: EntityType,
  fields: readonly AskedField[],
): Shown {
  const selected = new Map<string, SelectItem>();
  const related = new Map<string, AskedRelation>();
  const select = (path: readonly string[]): void => {
    selected.set(path.join('/'), { path, options: undefined, position: 0 });
  };
  for (const asked of fields) {
    const member = memberOf(asked.field);
    if (member === undefined) continue;
    if (member.kind === 'property') {
      const within = [...castTo(type, member.declaredIn), member.property.name];
      select(within);
      for (const [key, each] of relationsWithin(dependencies, member, asked, within)) {
        related.set(key, { ...each, asked: [...(related.get(key)?.asked ?? []), ...each.asked] });
      }
    } else if (member.kind === 'dynamic') select([...castTo(type, member.declaredIn), '*']);
    else if (member.kind === 'stream') {
      for (const path of streamPaths(type, member)) select([...castTo(type, member.declaredIn), ...path]);
    } else if (member.kind === 'function') {
      for (const path of keyPaths(type)) select(path);
    } else {
      const key = relationKey(member, asked.args);
      const known = related.get(key);
      const path = [...castTo(type, member.declaredIn), member.navigation.name];
      related.set(key, { member, path, asked: [...(known?.asked ?? []), asked] });
    }
  }
  // A selection of nothing but related entities, or of type names alone, shows no property: the key does no harm.
  if (selected.size === 0) {
    for (const path of keyPaths(type)) select(path);
  }
  const expand = [...related.values()].flatMap((each) => expandItems(dependencies, each));
  return { select: [...selected.values()], ...(expand.length > 0 && { expand }) };
}

/** A relation with the same arguments, wherever a selection asks for it. */
interface AskedRelation {
  readonly member: RelatedMember;
  /** The path from the entities to the navigation property. */
  readonly path: readonly string[];
  readonly asked: readonly AskedField[];
}

/** What is asked for of the entities that complex values lead to, by the path to it and its arguments. */
function relationsWithin(
  dependencies: SelectionDependencies,
  { property }: Extract<Member, { kind: 'property' }>,
  asked: AskedField,
  within: readonly string[],
): readonly (readonly [string, AskedRelation])[] {
  const { type } = property;
  if (type.kind !== 'complex') return [];
  return askedFields(dependencies.asked, typeOfField(asked), [asked.node]).flatMap((inner) => {
    const member = memberOf(inner.field);
    if (member?.kind === 'property') {
      return relationsWithin(dependencies, member, inner, [...within, member.property.name]);
    }
    if (member?.kind !== 'related' && member?.kind !== 'connection') return [];
    // What only a derived type has is not reached by a path.
    if (!type.navigationProperties.has(member.navigation.name)) return [];
    const path = [...within, member.navigation.name];
    const relation: AskedRelation = { member, path, asked: [inner] };
    return [[`${within.join('/')} ${relationKey(member, inner.args)}`, relation] as const];
  });
}

/** What tells where a stream is, and of which kind. */
function streamPaths(type: EntityType, member: StreamMember): readonly (readonly string[])[] {
  const owner = type.derived.find(({ name }) => name === member.declaredIn) ?? type;
  const { contentType, etag } = member.operations;
  return [...keyPaths(owner), ...[contentType, etag].flatMap((name) => (name === undefined ? [] : [[name]]))];
}

function keyPaths(type: EntityType): readonly (readonly string[])[] {
  return keyProperties(type).map(expressionPath);
}

/** The type cast before what only a derived type declares (Part 2, 5.1.3). */
function castTo(type: EntityType, declaredIn: string): readonly string[] {
  const cast = type.derived.find(({ name }) => name === declaredIn);
  return cast === undefined ? [] : [`${cast.namespace}.${cast.name}`];
}

function expandItems(
  dependencies: SelectionDependencies,
  { member, path, asked }: AskedRelation,
): readonly ExpandItem[] {
  const target = member.navigation.entityType;
  const [first] = asked;
  if (first === undefined) return [];
  const within = deeper(dependencies);
  const { args } = first;
  const fields = askedFields(
    dependencies.asked,
    typeOfField(first),
    asked.map(({ node }) => node),
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

/** One level of `$expand` further in. */
function deeper(dependencies: SelectionDependencies): SelectionDependencies {
  const { expandDepth } = dependencies.limits.url;
  if (dependencies.depth < expandDepth) return { ...dependencies, depth: dependencies.depth + 1 };
  const { variable } = REQUEST_LIMITS.url.expandDepth;
  const message = `Expected at most ${expandDepth} relations inside each other (${variable}), found more.`;
  throw new GatewayError('BadRequest', message, { limit: variable });
}
