import type { Arguments } from '../../contract/entity-source.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { Row, Rows, Value } from '../../contract/row.ts';
import { mapConcurrently, mapped, type RequestBudget, type Work } from '../../contract/work.ts';
import type { EntityType } from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import { overloadsOf } from '../bind/function-calls.ts';
import { compileValue } from '../compile/compile.ts';
import { bindCall, findCallables } from '../resource/bind-callable.ts';
import type { Loading } from '../resource/loading.ts';
import { entityByKey } from '../resource/navigation-source.ts';
import type { BoundCall, CollectionResource, EntityResource } from '../resource/resource.ts';
import type { ComputedParameters, FunctionCall } from '../scope/bound-tree.ts';
import { callOperation, isRowOf } from './load.ts';
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
  /** The parameters that the row tells; undefined where one is null that must not be. */
  readonly parametersOf: (row: Row) => Arguments | undefined;
}

/** Adds what functions return for the rows that need it to copies of those, in the place of the rows. */
type AttachCalls = (
  loading: Loading,
  rows: Rows,
  needing: (rows: readonly Row[]) => Work<readonly Row[]>,
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
    const { budget } = loading.context;
    const rows = await budget.rows(given);
    const needed = await budget.run(needing(rows));
    const entities = new Map(needed.map((row) => [row, entityOf(place, row)]));
    const called = await callForEach(loading, prepared, entities);
    return rows.map((row) => called.get(row) ?? row);
  };
}

function bindAt(
  model: Model,
  place: CollectionResource | EntityResource,
  { type, name, segment, aliases, imported, computed }: FunctionCall,
): PreparedCall {
  const any = place.kind === 'entity' ? place : entityByKey(place, {});
  const entity = type === any.type ? any : { ...any, type, isCast: true };
  const site = { model, aliases, computed };
  const call =
    imported === undefined
      ? bindCall(site, findCallables(model, segment.name, entity), segment, { entity })
      : bindCall(site, overloadsOf(imported, model), segment, { imported });
  return { type, name, call, parametersOf: compileParameters(computed) };
}

function compileParameters(computed: ComputedParameters): PreparedCall['parametersOf'] {
  const values = [...computed].map(([name, { value, nullable }]) => ({
    name,
    nullable,
    evaluate: compileValue(value),
  }));
  return (row) => {
    const given = values.map(({ name, nullable, evaluate }) => ({ name, nullable, value: evaluate(row) }));
    if (given.some(({ value, nullable }) => value === null && !nullable)) return undefined;
    return Object.fromEntries(given.map(({ name, value }) => [name, value]));
  };
}

/** Calls a function for each of the entities that others are related to; all of them have places of the same kind. */
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
  const { budget } = loading.context;
  const callsFor = ([row, entity]: readonly [Row, EntityResource]) =>
    calls
      .filter(({ type }) => isRowOf(entity.entityType, entity.known, type))
      .map((call) => ({ row, name: call.name, sent: sentFor(call, row, entity, budget) }));
  const results = (await budget.run(mapped(entities, budget, callsFor))).flat();
  const answers = await answersTo(
    loading,
    results.flatMap(({ sent }) => sent ?? []),
  );
  const called = new Map<Row, Row>();
  for (const { row, name, sent } of results) {
    const answer = sent === undefined ? null : (answers.get(sent.key) ?? null);
    called.set(row, { ...(called.get(row) ?? row), [name]: answer });
  }
  return called;
}

/** A call of the upstream's. */
interface SentCall {
  /** Equal for calls that have the same answer. */
  readonly key: unknown;
  readonly call: BoundCall;
}

/** The call for a row; undefined where the row's parameters leave nothing to call. */
function sentFor(
  { call, parametersOf }: PreparedCall,
  row: Row,
  entity: EntityResource,
  budget: RequestBudget,
): SentCall | undefined {
  const computed = parametersOf(row);
  if (computed === undefined) return undefined;
  for (const value of Object.values(computed)) {
    if (typeof value === 'string') budget.chargeText(value.length);
  }
  const parameters = { ...call.parameters, ...computed };
  if (call.bound !== undefined) return { key: {}, call: { ...call, bound: entity, parameters } };
  return { key: call.resource + textOf(parameters), call: { ...call, parameters } };
}

/** JSON has no numbers that are infinite or none. */
function textOf(parameters: Arguments): string {
  return JSON.stringify(parameters, (_, value: unknown) =>
    typeof value === 'bigint' || typeof value === 'number' ? String(value) : value,
  );
}

/** What the upstream answers to the calls, each of which is made once. */
async function answersTo(loading: Loading, sent: readonly SentCall[]): Promise<ReadonlyMap<unknown, Value>> {
  const different = [...new Map(sent.map((each) => [each.key, each])).values()];
  if (different.length > MOST_CALLS) throw tooManyCalls(different.length);
  const answers = await mapConcurrently(different, CONCURRENT_CALLS, async ({ key, call }) => {
    const { data } = await callOperation(loading, call);
    return [key, data] as const;
  });
  return new Map(answers);
}

function tooManyCalls(found: number): GatewayError {
  const message = `Expected at most ${MOST_CALLS} calls of functions for one query, found ${found}; narrow the conditions.`;
  return new GatewayError('BadRequest', message);
}
