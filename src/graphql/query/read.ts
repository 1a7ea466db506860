import { type GraphQLResolveInfo, getNamedType } from 'graphql';
import type { CollectionSnapshot } from '../../contract/entity-source.ts';
import type { Row } from '../../contract/row.ts';
import { loadCollection, loadEntity, missingEntity } from '../../engine/load/load.ts';
import {
  type PreparedCollection,
  type PreparedEntity,
  prepareCollection,
  prepareEntity,
} from '../../engine/read/prepare-query.ts';
import type { Loading } from '../../engine/resource/loading.ts';
import type { CollectionResource, EntityResource } from '../../engine/resource/resource.ts';
import type { QueryOptions, SystemQueryOptions } from '../../engine/tree/options-tree.ts';
import type { GraphQLContext, QueryService } from '../context/graphql-context.ts';
import type { Input, Questions } from '../context/questions.ts';
import { type Connection, connectionOf } from './connection.ts';
import { connectionOrder, connectionParts, PAGE } from './connection-options.ts';
import { listOptions, shownOptions } from './entity-options.ts';
import { type AskedField, askedFields } from './selection.ts';

/** What is asked for below a field. */
export interface Below {
  readonly questions: Questions;
  readonly fields: readonly AskedField[];
}

export function askedBelow({ questions }: GraphQLContext, info: GraphQLResolveInfo): Below {
  const about = questions(info);
  return {
    questions: about,
    fields: askedFields(about.asked, getNamedType(info.returnType), info.fieldNodes),
  };
}

/** The entities of a list: one query of the engine, in which what they are related to is expanded. */
export function readList(
  context: GraphQLContext,
  collection: CollectionResource,
  args: Input,
  { questions, fields }: Below,
): Promise<readonly Row[]> {
  const options = listOptions(questions, collection.entityType, args, fields);
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
  { questions, fields }: Below,
): Promise<Connection> {
  const type = collection.entityType;
  const parts = connectionParts(questions, type, args, fields, shownOptions);
  const prepared = parts.map(({ options }) => prepareList(context.service, collection, options));
  const answers = await allOrNone(context, (within) =>
    prepared.map((each) => runList(within, collection, each)),
  );
  const found = new Map(parts.map(({ key }, index) => [key, answers[index] ?? []]));
  const answer = (part: string) => found.get(part) ?? [];
  return connectionOf(connectionOrder(questions, type, args), args, answer(PAGE), answer);
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
  loading: Loading,
  prepared: PreparedCollection,
  loaded: CollectionSnapshot,
): Promise<readonly Row[]> {
  const { rows } = await prepared.run(loading, loaded);
  return prepared.expand(loading, rows);
}

/** One entity, which must be there. */
export async function readOne(context: GraphQLContext, entity: EntityResource, below: Below): Promise<Row> {
  const found = await readOneOrNone(context, entity, below);
  if (found === null) throw missingEntity(entity);
  return found;
}

/** One entity, or null where there is none. */
export async function readOneOrNone(
  context: GraphQLContext,
  entity: EntityResource,
  below: Below,
): Promise<Row | null> {
  if (context.failed !== undefined) throw context.failed;
  const options = shownOptions(below.questions, entity.entityType, below.fields);
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
