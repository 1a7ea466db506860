import type { Row, Rows } from '../../contract/row.ts';
import { isSamePath } from '../plan/conditions.ts';
import { NEEDS_WHOLE } from '../plan/needs-of-query.ts';
import { type PlannedRead, PROBE_CALLS } from '../plan/read-plan.ts';
import { callsRelatedFirst, isRelatedFirst, type RelatedCosts } from '../plan/related-conditions.ts';
import type {
  LoadContext,
  LoadedCollection,
  LoadRequest,
  RelatedCondition,
  RelatedQuery,
  SeenRelated,
} from '../resource/load-context.ts';
import type { ReadNeeds } from '../resource/read-needs.ts';
import type { CollectionResource } from '../resource/resource.ts';
import { type CalledList, plannedRead } from './planned-calls.ts';

interface JoinedLoad {
  readonly collection: CollectionResource;
  readonly called: CalledList;
  readonly wanted: LoadRequest & { readonly needs: ReadNeeds };
}

/** The related entities of a list's first rows have taken more calls than asking for them first. */
class TooManyCalls extends Error {}

/**
 * Loads the entities of a query with conditions on related entities: those are asked for first, and the query is then about
 * their keys, or they are read for some rows after the others until there are enough, or for all rows, whatever takes
 * the fewest calls.
 */
export async function loadJoined(
  loading: LoadContext,
  joined: RelatedQuery,
  { collection, called, wanted }: JoinedLoad,
  load: (wanted: LoadRequest) => Promise<LoadedCollection>,
): Promise<LoadedCollection> {
  const { needs, sink } = wanted;
  const all = await Promise.all(
    joined.conditions.map(async (condition) => {
      if (!(await condition.isOfRelated(loading))) return [];
      return [{ condition, costs: costsOf(loading, collection, called, needs, condition) }];
    }),
  );
  const costs = all.flat();
  const worthwhile = costs.filter((each) => isRelatedFirst(each.costs));
  const loadKeyed = async (some: typeof costs): Promise<LoadedCollection> => {
    const conditions = some.map(({ condition }) => condition);
    const { needs: keyed, accept, isEmpty } = await joined.ask(loading, conditions);
    if (isEmpty) return { data: [], version: undefined, isSieved: true };
    const own = conditions.map((condition) => condition.own);
    const properties = [...new Set([...wanted.properties, ...own])];
    const found = await load({
      ...wanted,
      properties,
      needs: { ...keyed, end: keyed.mayEnd ? needs.end : undefined },
    });
    if (found.isSieved === true || found.isCounted === true) return found;
    const { budget } = loading.context;
    return { ...found, data: await accept(budget, found.data), version: undefined, isSieved: true };
  };
  if (worthwhile.length > 0) return loadKeyed(worthwhile);
  if (!needs.mayEnd || needs.end === undefined) return load(wanted);
  const whole = plannedRead(loading, collection.entityType, called, NEEDS_WHOLE).calls;
  const most = Math.min(...costs.map((each) => callsRelatedFirst(each.costs)), TIMES_WHOLE * whole);
  const isNarrowing = costs.some((each) => each.costs.isNarrowing);
  const accept = acceptJoined(loading, joined, needs, { most, isNarrowing });
  try {
    return await load({ ...wanted, needs: { ...needs, accept } });
  } catch (error) {
    if (!(error instanceof TooManyCalls)) throw error;
    return sink?.hasTaken === true || costs.length === 0 ? load(wanted) : loadKeyed(costs);
  }
}

function costsOf(
  loading: LoadContext,
  { entityType }: CollectionResource,
  called: CalledList,
  needs: ReadNeeds,
  { entityType: target, operations, needs: related, own }: RelatedCondition,
): RelatedCosts {
  const { keys, end, mayEnd } = needs;
  const owners = plannedRead(loading, entityType, called, needs);
  const planned = related && plannedRead(loading, target, operations, related);
  const all = plannedRead(loading, target, operations, NEEDS_WHOLE).calls;
  const { list, read } = called;
  const parameters = list.narrowing?.filter(({ path, condition, hasDefault }) => {
    return (
      hasDefault !== true &&
      isSamePath(path, [own]) &&
      (condition.kind === 'equal' || condition.kind === 'in')
    );
  });
  const [key, ...others] = entityType.key;
  const isKey = key === own && others.length === 0 && read !== undefined;
  const isDeclared = called.page?.filters.has(own) === true;
  const total = loading.service.source.estimateOf?.(list)?.total;
  return {
    owners: owners.calls,
    related: planned === undefined ? all : expectedCalls(planned),
    target: all,
    most: keys?.length ?? total,
    // Entities that are read by some keys are not fewer by others.
    isNarrowing: keys === undefined && (isKey || isDeclared || (parameters?.length ?? 0) > 0),
    end: mayEnd && needs.order === undefined ? end : undefined,
  };
}

/** A parameter that would be tried out for the query is expected to do what it is called. */
function expectedCalls({ calls, open }: PlannedRead): number {
  return open.length === 0 ? calls : PROBE_CALLS + Math.ceil(calls * HOPED);
}

/** The fraction of the calls that are expected to be left by a parameter that has not been tried out. */
const HOPED = 1 / 5;

/** The calls after which related entities are read for all rows together, in calls of the whole list. */
const TIMES_WHOLE = 3;

/** The number of rows that related entities are first read for. */
const FEW_ROWS = 5;
/** Each time, related entities are read for so many times as many rows as before. */
const MORE_ROWS = 4;

/**
 * Accepts rows of a page by their related entities, which are read for few rows at first. Throws if that takes more than
 * `most` calls, unless the related set has been read whole, and its keys narrow nothing.
 */
function acceptJoined(
  loading: LoadContext,
  { accept }: RelatedQuery,
  { end = 0, order }: ReadNeeds,
  { most, isNarrowing }: { readonly most: number; readonly isNarrowing: boolean },
): NonNullable<ReadNeeds['accept']> {
  const seen: SeenRelated = { found: new Map(), sets: new Map(), calls: 0 };
  const joining = { ...loading, seen };
  let pages = 0;
  return async (budget, page: Rows) => {
    const rows = await budget.rows(page);
    pages += 1;
    const accepted: Row[] = [];
    // Of a sorted list, rows behind the last one may have the same value.
    const isEnough = () => order === undefined && accepted.length >= end;
    let size = Math.max(FEW_ROWS, end);
    for (let at = 0; at < rows.length && !isEnough(); size *= MORE_ROWS) {
      const isKnown = seen.sets.size > 0 && !isNarrowing;
      if (pages + seen.calls > most && !isKnown) throw new TooManyCalls();
      for (const row of await accept(joining, rows.slice(at, at + size))) accepted.push(row);
      at += size;
    }
    return accepted;
  };
}
