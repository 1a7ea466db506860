import type { Row } from '../../../contract/entity-source.ts';
import { GatewayError } from '../../../contract/gateway-error.ts';
import type { FunctionCall } from '../../query/bind/function-calls.ts';
import { bindCall, type CallSite, findCallables } from '../resource/bind-callable.ts';
import { memberOf } from '../resource/place.ts';
import type { BoundCall, CollectionResource, EntityResource } from '../resource/resource.ts';
import { callOperation, type Loading } from './load.ts';
import { mapConcurrently } from './map-concurrently.ts';
import { entityOf } from './related-rows.ts';

/** The most calls of functions for one query: each is a call of the upstream's. */
const MOST_CALLS = 100;

/** How many of them are under way at a time. */
const CONCURRENT_CALLS = 8;

/** Adds what functions return for the rows that need it to copies of those, in the place of the rows. */
type AttachCalls = (
  loading: Loading,
  rows: readonly Row[],
  needing: readonly Row[],
) => Promise<readonly Row[]>;

/** Binds calls in expressions as those in resource paths are bound; a parameter that does not fit is a BadRequest. */
export function prepareCalls(
  { model, limits }: Pick<CallSite, 'model' | 'limits'>,
  place: CollectionResource | EntityResource,
  calls: readonly FunctionCall[],
): AttachCalls {
  const any = place.kind === 'entity' ? place : memberOf(place, {});
  const bound = calls.map(({ name, segment, aliases }) => {
    const site = { model, limits, aliases, custom: undefined };
    const overloads = findCallables(model, segment.name, any);
    return { name, call: bindCall(site, overloads, segment, { entity: any }) };
  });
  if (bound.length === 0) return async (_, rows) => rows;
  return async (loading, rows, needing) => {
    const found = needing.length * bound.length;
    if (found > MOST_CALLS) throw tooManyCalls(found);
    const tasks = needing.flatMap((row) => bound.map(({ name, call }) => ({ row, name, call })));
    const results = await mapConcurrently(tasks, CONCURRENT_CALLS, ({ row, call }) =>
      resultFor(loading, entityOf(place, row), call),
    );
    const members = Map.groupBy(tasks.keys(), (index) => tasks[index]?.row);
    return rows.map((row) => {
      const added = members.get(row)?.map((index) => [tasks[index]?.name, results[index] ?? null] as const);
      return added === undefined ? row : { ...row, ...Object.fromEntries(added) };
    });
  };
}

async function resultFor(loading: Loading, entity: EntityResource, call: BoundCall) {
  const { data } = await callOperation(loading, { ...call, bound: entity });
  return data;
}

function tooManyCalls(found: number): GatewayError {
  const message = `Expected at most ${MOST_CALLS} calls of functions for one query, found ${found}; other conditions leave fewer.`;
  return new GatewayError('BadRequest', message);
}
