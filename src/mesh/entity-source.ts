import type { ExecutionResult } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { CollectionRead, EntitySource, Row, Snapshot } from '../contract/entity-source.ts';
import type { CallContext } from '../contract/exchange.ts';
import { GatewayError } from '../contract/gateway-error.ts';
import type { EntitySet, InsertOperation, Model } from '../model/edm.ts';
import { buildEntityQuery, buildInsertQuery, type EntityQuery, keyVariables } from './entity-query.ts';
import { insertBody } from './insert-body.ts';
import type { GatewayMesh } from './mesh.ts';
import { FIELD_CALL, type FieldCall } from './mesh-context.ts';
import { badResponse } from './upstream-failure.ts';

export interface EntitySourceOptions {
  readonly mesh: GatewayMesh;
  readonly model: Model;
}

type QueryKind = 'list' | 'read' | 'insert';

const QUERIES_KEPT = 1_000;

/**
 * Reads and creates entities by one execution on the mesh each, asking for just the properties that
 * are needed. Where the upstream's data has not changed, the rows that were made of it are given again.
 */
export function createEntitySource({ mesh, model }: EntitySourceOptions): EntitySource {
  const queries = new LRUCache<string, EntityQuery>({ max: QUERIES_KEPT });

  function queryFor(kind: QueryKind, { entitySet, properties }: CollectionRead): EntityQuery {
    const key = `${kind} ${entitySet} ${properties.join(' ')}`;
    const known = queries.get(key);
    if (known !== undefined) return known;
    const query = buildQuery(mesh, entitySetOf(model, entitySet), kind, properties);
    mesh.compile(query.document);
    queries.set(key, query);
    return query;
  }

  return {
    async readCollection(read, call) {
      const query = queryFor('list', read);
      return snapshotOf(mesh, query, await run(mesh, query, {}, undefined, call), toRows);
    },
    async readEntity(read, call) {
      const query = queryFor('read', read);
      const variables = keyVariables(query, read.key);
      if (variables === undefined) return undefined;
      try {
        return snapshotOf(mesh, query, await run(mesh, query, variables, undefined, call), toRow);
      } catch (error) {
        if (error instanceof GatewayError && error.code === 'NotFound') return undefined;
        throw error;
      }
    },
    async insert(insert, call) {
      const entitySet = entitySetOf(model, insert.entitySet);
      const operation = entitySet.insert ?? notOffered(entitySet, 'insert');
      const query = queryFor('insert', insert);
      const body = insertBody(entitySet.entityType, operation, insert.body);
      try {
        return createdRow(query, await run(mesh, query, {}, body, call));
      } catch (error) {
        throw insertFailure(operation, error);
      }
    },
  };
}

function entitySetOf(model: Model, name: string): EntitySet {
  const entitySet = model.entitySets.get(name);
  if (entitySet === undefined) throw new GatewayError('NotFound', `There is no entity set "${name}".`);
  return entitySet;
}

function notOffered({ name }: EntitySet, kind: QueryKind): never {
  throw new GatewayError(
    'NotImplemented',
    `The upstream of "${name}" offers no operation to ${kind} entities.`,
  );
}

function buildQuery(
  { schema }: GatewayMesh,
  entitySet: EntitySet,
  kind: QueryKind,
  properties: readonly string[],
): EntityQuery {
  const operation = entitySet[kind] ?? notOffered(entitySet, kind);
  const options = { schema, entityType: entitySet.entityType, operation, properties };
  return kind === 'insert' ? buildInsertQuery(options) : buildEntityQuery(options);
}

interface Answer {
  readonly fieldCall: FieldCall;
  readonly result: ExecutionResult;
}

async function run(
  mesh: GatewayMesh,
  query: EntityQuery,
  variables: Readonly<Record<string, unknown>>,
  body: Uint8Array | undefined,
  call: CallContext,
): Promise<Answer> {
  const fieldCall: FieldCall = {
    body,
    purpose: query,
    loaded: undefined,
    made: undefined,
    failure: undefined,
  };
  const result = await mesh.execute(query.document, variables, { call, [FIELD_CALL]: fieldCall });
  if (fieldCall.failure !== undefined) throw fieldCall.failure;
  return { fieldCall, result };
}

/** Makes rows of what was executed, and keeps them with the data they were made of. */
type Reading<Data> = (executed: unknown, query: EntityQuery) => Data;

function snapshotOf<Data extends Row | readonly Row[]>(
  { memory }: GatewayMesh,
  query: EntityQuery,
  { fieldCall: { loaded, made }, result }: Answer,
  reading: Reading<Data>,
): Snapshot<Data> {
  // Only this function makes anything for the purpose of this query.
  if (made !== undefined) return made as Snapshot<Data>;
  if (result.errors !== undefined || loaded === undefined) throw executionFailure(result);
  const data = reading(result.data?.[query.field], query);
  const snapshot: Snapshot<Data> = { data, version: loaded.state?.version };
  if (loaded.state !== undefined) memory.derive(loaded.state, query, snapshot, weigh(data, query));
  return snapshot;
}

type Executed = Record<string, unknown>;

/** The objects are this execution's own, so that they become the rows. */
function toRows(executed: unknown, { toRow }: EntityQuery): readonly Row[] {
  const objects = executed as Executed[];
  const rows: Row[] = objects as Row[];
  for (let index = 0; index < rows.length; index += 1) {
    const object = objects[index];
    if (object !== undefined) rows[index] = toRow(object, index);
  }
  return rows;
}

function toRow(executed: unknown, query: EntityQuery): Row {
  return query.toRow(executed as Executed, undefined);
}

const ROW_WEIGHT = 40;
const VALUE_WEIGHT = 16;

/** Roughly, in bytes: most values are shared with the data. */
function weigh(data: Row | readonly Row[], { columns }: EntityQuery): number {
  return (Array.isArray(data) ? data.length : 1) * (ROW_WEIGHT + columns.length * VALUE_WEIGHT);
}

/** A GraphQL result may be partial: that is never taken for the data. */
function executionFailure({ errors = [] }: ExecutionResult): GatewayError {
  return badResponse(`the query failed: ${errors.map(({ message }) => message).join('; ')}`);
}

function createdRow(query: EntityQuery, { fieldCall: { loaded }, result }: Answer): Row {
  if (result.errors !== undefined || loaded === undefined) throw executionFailure(result);
  return query.toRow(pick(loaded.data as Executed, query), undefined);
}

function pick(object: Executed, { columns }: EntityQuery): Executed {
  return Object.fromEntries(columns.map(({ alias, property }) => [alias, object[property] ?? null]));
}

/** Whatever the upstream does wrong, the client is told one thing; the cause is for the log. */
function insertFailure({ failure }: InsertOperation, error: unknown): unknown {
  if (!(error instanceof GatewayError) || OWN_FAULTS.has(error.code)) return error;
  return new GatewayError('InsertFailed', failure, { cause: error });
}

const OWN_FAULTS: ReadonlySet<string> = new Set(['ClientClosedRequest', 'InternalError', 'NotImplemented']);
