import type { Row, Value } from '../../../contract/entity-source.ts';
import { GatewayError } from '../../../contract/gateway-error.ts';
import { arrayOf, type Rows } from '../../../contract/rows.ts';
import type { EntityType, Model } from '../../../model/edm.ts';
import type { FunctionCall } from '../../query/bind/function-calls.ts';
import { bindCall, findCallables } from '../resource/bind-callable.ts';
import { memberOf } from '../resource/place.ts';
import type { BoundCall, CollectionResource, EntityResource } from '../resource/resource.ts';
import { isOfType } from './is-of-type.ts';
import { callOperation, type Loading } from './load.ts';
import { mapConcurrently } from './map-concurrently.ts';
import { entityOf } from './related-rows.ts';

/** The most calls of functions for one query: each is a call of the upstream's. */
const MOST_CALLS = 100;

/** How many of them are under way at a time. */
const CONCURRENT_CALLS = 8;

/** A call in an expression that is bound to the place of the entities it is called for. */
interface PreparedCall {
  readonly type: EntityType;
  readonly name: string;
  readonly call: BoundCall;
}

/** Adds what functions return for the rows that need it to copies of those, in the place of the rows. */
type AttachCalls = (
  loading: Loading,
  rows: Rows,
  needing: (rows: readonly Row[]) => readonly Row[],
) => Promise<Rows>;

/** Binds calls in expressions as those in resource paths are bound; a parameter that does not fit is a BadRequest. */
export function prepareCalls(
  model: Model,
  place: CollectionResource | EntityResource,
  calls: readonly FunctionCall[],
): AttachCalls {
  if (calls.length === 0) return async (_, rows) => rows;
  const prepared = calls.map((call) => bindAt(model, place, call));
  return async (loading, given, needing) => {
    const rows = arrayOf(given);
    const entities = new Map(needing(rows).map((row) => [row, entityOf(place, row)]));
    const called = await callForEach(loading, prepared, entities);
    return rows.map((row) => called.get(row) ?? row);
  };
}

function bindAt(
  model: Model,
  place: CollectionResource | EntityResource,
  { type, name, segment, aliases }: FunctionCall,
): PreparedCall {
  const any = place.kind === 'entity' ? place : memberOf(place, {});
  const entity = type === (any.cast ?? any.entityType) ? any : { ...any, cast: type };
  const overloads = findCallables(model, segment.name, entity);
  return {
    type,
    name,
    call: bindCall({ model, aliases, custom: undefined }, overloads, segment, { entity }),
  };
}

/** The same for entities that others are related to; all of them have places of the same kind. */
export async function callFor(
  loading: Loading,
  entities: ReadonlyMap<Row, EntityResource>,
  calls: readonly FunctionCall[],
): Promise<ReadonlyMap<Row, Row>> {
  const [any] = entities.values();
  if (any === undefined || calls.length === 0) return new Map();
  const { model } = loading.service;
  return callForEach(
    loading,
    calls.map((call) => bindAt(model, any, call)),
    entities,
  );
}

/** The rows with what is returned for them. */
async function callForEach(
  loading: Loading,
  calls: readonly PreparedCall[],
  entities: ReadonlyMap<Row, EntityResource>,
): Promise<ReadonlyMap<Row, Row>> {
  const { model } = loading.service;
  const tasks = [...entities].flatMap(([row, entity]) =>
    calls.filter(({ type }) => isOfType(model, entity, type)).map((call) => ({ row, entity, ...call })),
  );
  if (tasks.length > MOST_CALLS) throw tooManyCalls(tasks.length);
  const results = await mapConcurrently(tasks, CONCURRENT_CALLS, ({ entity, call }) =>
    resultFor(loading, entity, call),
  );
  const called = new Map<Row, Row>();
  for (const [index, { row, name }] of tasks.entries()) {
    called.set(row, { ...(called.get(row) ?? row), [name]: results[index] ?? null });
  }
  return called;
}

async function resultFor(loading: Loading, entity: EntityResource, call: BoundCall): Promise<Value> {
  const { data } = await callOperation(loading, { ...call, bound: entity });
  return data;
}

function tooManyCalls(found: number): GatewayError {
  const message = `Expected at most ${MOST_CALLS} calls of functions for one query, found ${found}; other conditions leave fewer.`;
  return new GatewayError('BadRequest', message);
}
