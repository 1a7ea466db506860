import type { ExecutionResult } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Arguments, CollectionRead, EntitySource, Row, Snapshot } from '../contract/entity-source.ts';
import type { CallContext } from '../contract/exchange.ts';
import { GatewayError } from '../contract/gateway-error.ts';
import type { InsertOperation, Model } from '../model/edm.ts';
import {
  argumentVariables,
  buildEntityQuery,
  buildInsertQuery,
  type EntityQuery,
  type EntityQueryOptions,
} from './entity-query.ts';
import { logFailure } from './failure-log.ts';
import { insertBody } from './insert-body.ts';
import type { GatewayMesh } from './mesh.ts';
import { FIELD_CALL, type FieldCall } from './mesh-context.ts';
import { badResponse, upstreamFailure } from './upstream-failure.ts';

interface EntitySourceOptions {
  readonly mesh: GatewayMesh;
  readonly model: Model;
}

/** Each holds compiled code. */
const QUERIES_KEPT = 256;

type Build = (options: EntityQueryOptions) => EntityQuery;

/**
 * Reads and creates entities by one execution on the mesh each, asking for just the properties that
 * are needed. Where the upstream's data has not changed, the rows that were made of it are given again.
 */
export function createEntitySource({ mesh, model }: EntitySourceOptions): EntitySource {
  const queries = new LRUCache<string, EntityQuery>({ max: QUERIES_KEPT });

  function queryFor(build: Build, wanted: Wanted): EntityQuery {
    const { operation, entityType, properties } = wanted;
    // One operation may be called with other parameters elsewhere: for a foreign key, say.
    const parameters = operation.parameters.map(({ name }) => name);
    const key = [operation.source, operation.id, parameters, entityType.name, properties].join(' ');
    const known = queries.get(key);
    if (known !== undefined) return known;
    const query = build({ schema: mesh.schema, model, entityType, operation, properties });
    mesh.compile(query.document);
    queries.set(key, query);
    return query;
  }

  return {
    async readCollection(read, call) {
      const query = queryFor(buildEntityQuery, read);
      const request = requestOf(query, read.arguments);
      if (request === undefined) return NOTHING;
      return run(mesh, query, request, call, (answer) => snapshotOf(mesh, query, answer, toRows));
    },
    async readEntity(read, call) {
      const query = queryFor(buildEntityQuery, read);
      const request = requestOf(query, read.arguments);
      if (request === undefined) return undefined;
      try {
        return await run(mesh, query, request, call, (answer) => snapshotOf(mesh, query, answer, toRow));
      } catch (error) {
        if (error instanceof GatewayError && error.code === 'NotFound') return undefined;
        throw error;
      }
    },
    async insert(insert, call) {
      const query = queryFor(buildInsertQuery, insert);
      const body = insertBody(model, insert.entityType, insert.operation, insert.body);
      try {
        const request = { variables: {}, body };
        return await run(mesh, query, request, call, (answer) => createdRow(query, answer));
      } catch (error) {
        throw insertFailure(insert.operation, error);
      }
    },
    update: notImplemented,
    delete: notImplemented,
    call: notImplemented,
  };
}

type Wanted = Pick<CollectionRead, 'operation' | 'entityType' | 'properties'>;

async function notImplemented(): Promise<never> {
  throw new GatewayError('NotImplemented', 'This is not implemented yet.');
}

/** No entity is found by what cannot be a value of the upstream's. */
const NOTHING: Snapshot<readonly Row[]> = { data: [], version: undefined };

function requestOf(query: EntityQuery, args: Arguments): EntityRequest | undefined {
  const variables = argumentVariables(query, args);
  return variables && { variables, body: undefined };
}

interface EntityRequest {
  readonly variables: Readonly<Record<string, unknown>>;
  readonly body: Uint8Array | undefined;
}

interface Answer {
  readonly fieldCall: FieldCall;
  readonly result: ExecutionResult;
}

async function run<Result>(
  mesh: GatewayMesh,
  query: EntityQuery,
  { variables, body }: EntityRequest,
  call: CallContext,
  make: (answer: Answer) => Result,
): Promise<Result> {
  const fieldCall: FieldCall = {
    body,
    purpose: query,
    direct: query.direct !== undefined,
    loaded: undefined,
    made: undefined,
    failure: undefined,
  };
  const result = await mesh.execute(query.document, variables, { call, [FIELD_CALL]: fieldCall });
  if (fieldCall.failure !== undefined) throw fieldCall.failure;
  try {
    return make({ fieldCall, result });
  } catch (error) {
    logFailure(mesh.log, query.path.join('.'), call, error);
    throw error;
  }
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
  if (loaded === undefined) throw keyRefused(result);
  if (query.direct === undefined && result.errors !== undefined) throw executionFailure(result);
  const entities = query.direct ? entitiesOf(loaded.data, query) : entitiesIn(result.data, query);
  const data = reading(entities, query);
  const snapshot: Snapshot<Data> = { data, version: loaded.state?.version };
  if (loaded.state !== undefined) memory.derive(loaded.state, query, snapshot, weigh(data, query));
  return snapshot;
}

type Executed = Record<string, unknown>;

function entitiesIn(result: ExecutionResult['data'], { path }: EntityQuery): unknown {
  let found: unknown = result;
  for (const name of path) found = (found as Executed | null | undefined)?.[name];
  if (found === null || found === undefined) throw badResponse(`${path.join('.')}: expected a value`);
  return found;
}

/** The same in the upstream's answer. */
function entitiesOf(data: unknown, { direct }: EntityQuery): unknown {
  const found = direct?.wrappedIn === undefined ? data : (data as Executed)[direct.wrappedIn];
  if (found === null || found === undefined) throw badResponse(`${direct?.wrappedIn}: expected a value`);
  return found;
}

/** The objects are this execution's own, so that they become the rows. */
function toRows(executed: unknown, { toRow, direct }: EntityQuery): readonly Row[] {
  if (direct !== undefined) return (executed as readonly Executed[]).map(direct.toRow);
  const objects = executed as (Executed | Row | null)[];
  for (let index = 0; index < objects.length; index += 1) {
    const object = objects[index];
    if (object === null) throw badResponse(`[${index}]: expected an object, found null`);
    objects[index] = toRow(object as Executed, index);
  }
  return objects as Row[];
}

function toRow(executed: unknown, query: EntityQuery): Row {
  return (query.direct ?? query).toRow(executed as Executed, undefined);
}

const ROW_WEIGHT = 40;
const VALUE_WEIGHT = 16;
/** Values within values are rows of their own. */
const DIRECT_ROW_WEIGHT = 1_024;

/** Roughly, in bytes: most values are shared with the data. */
function weigh(data: Row | readonly Row[], { columns, direct }: EntityQuery): number {
  const ofRow = direct === undefined ? ROW_WEIGHT + columns.length * VALUE_WEIGHT : DIRECT_ROW_WEIGHT;
  return (Array.isArray(data) ? data.length : 1) * ofRow;
}

/** Nothing was called: the key is no value of the argument's type, so that nothing can have it. */
function keyRefused({ errors = [] }: ExecutionResult): GatewayError {
  return upstreamFailure('NotFound', errors[0]);
}

/** A GraphQL result may be partial: that is never taken for the data. */
function executionFailure({ errors = [] }: ExecutionResult): GatewayError {
  return badResponse(`the query failed: ${errors.map(({ message }) => message).join('; ')}`);
}

function createdRow(query: EntityQuery, { fieldCall: { loaded }, result }: Answer): Row {
  if (loaded === undefined) throw executionFailure(result);
  if (query.direct !== undefined) return query.direct.toRow(loaded.data as Executed, undefined);
  if (result.errors !== undefined) throw executionFailure(result);
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
