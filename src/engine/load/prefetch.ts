import type { Row, Rows, Value } from '../../contract/row.ts';
import { atOnce, mapConcurrently, mapped } from '../../contract/work.ts';
import type { Model } from '../../model/model.ts';
import { overloadsOf } from '../bind/function-calls.ts';
import type { FunctionCallPrefetch, Projection } from '../pipeline/compile-query.ts';
import { bindCall } from '../resource/bind-callable.ts';
import { bindKey } from '../resource/entity-url.ts';
import type { Loading, Wanted } from '../resource/loading.ts';
import { collectionOf, entityByKey, singletonResource } from '../resource/navigation-source.ts';
import { type CollectionResource, type EntityResource, unknownResource } from '../resource/resource.ts';
import {
  isRootCall,
  type RootCall,
  type RootRead,
  type RootSource,
  type RootValues,
} from '../scope/bound-tree.ts';
import type { QueryRun } from '../values/query-run.ts';
import { prepareCalls } from './attach-calls.ts';
import { attachRelated, propertiesFor, wantedNames } from './attach-related.ts';
import { callOperation } from './load.ts';
import { entityOf, loadAll } from './related-rows.ts';

/** Loads what a query reads beside the rows that it is about, and gives the rows what they lead to. */
type Prefetch = (
  loading: Loading,
  rows: Rows,
  run: QueryRun,
) => Promise<{ readonly rows: Rows; readonly roots: RootValues }>;

/** Most queries read nothing beside their rows: no related entities, nothing from `$root` on, no functions. */
export function preparePrefetch(
  model: Model,
  place: CollectionResource | EntityResource,
  query: Pick<Projection, 'related' | 'roots' | 'calls'> & FunctionCallPrefetch,
): Prefetch {
  const { related, roots, calls } = query;
  if (related.size === 0 && roots.length === 0 && calls.length === 0) return rowsAlone;
  const loadRoots = prepareRoots(model, roots);
  const attachCalls = prepareCalls(model, place, calls);
  return async (loading, rows, run) => {
    const values = await loadRoots(loading);
    const whole = await withRelated(loading, place, rows, related);
    const called = await attachCalls(loading, whole, (all) => query.needingCalls(run, all, values));
    return { rows: called, roots: values };
  };
}

const rowsAlone: Prefetch = async (_, rows) => ({ rows, roots: [] });

/** How many of the reads of one query are under way at a time. */
const CONCURRENT_READS = 8;

/** Loads what a query reads from `$root` on, once for a request; a key that does not fit is a BadRequest. */
export function prepareRoots(
  model: Model,
  roots: readonly RootSource[],
): (loading: Loading) => Promise<RootValues> {
  const loads = roots.map((root) =>
    isRootCall(root) ? preparedCall(model, root) : preparedRead(model, root),
  );
  return (loading) => mapConcurrently(loads, CONCURRENT_READS, (load) => load(loading));
}

type LoadRoot = (loading: Loading) => Promise<Value>;

function preparedRead(model: Model, read: RootRead): LoadRoot {
  const resource = resourceOf(model, read);
  const attachCalls = prepareCalls(model, resource, [...(read.calls?.values() ?? [])]);
  return (loading) => loadRoot(loading, { read, resource, attachCalls });
}

function preparedCall(model: Model, { imported, segment, aliases }: RootCall): LoadRoot {
  const site = { model, aliases };
  const call = bindCall(site, overloadsOf(imported, model), segment, { imported });
  return async (loading) => (await callOperation(loading, call)).data;
}

function resourceOf(
  model: Model,
  { segment, aliases, entityType }: RootRead,
): CollectionResource | EntityResource {
  const set = model.entitySets.get(segment.name);
  const singleton = model.singletons.get(segment.name);
  if (set === undefined && singleton !== undefined) return singletonResource(singleton);
  if (set === undefined) throw unknownResource(segment);
  const collection = collectionOf(set);
  if (segment.arguments === undefined) return collection;
  return entityByKey(collection, bindKey({ model, aliases }, entityType, segment.arguments));
}

/** What is read, and from where. */
interface RootPlace {
  readonly read: RootRead;
  readonly resource: CollectionResource | EntityResource;
  readonly attachCalls: ReturnType<typeof prepareCalls>;
}

async function loadRoot(loading: Loading, { read, resource, attachCalls }: RootPlace): Promise<Value> {
  const found = await loadAll(loading, resource, wantedOf(read));
  const called = await attachCalls(loading, found, (all) => atOnce(() => all));
  const rows = await loading.context.budget.rows(called);
  const whole = await withRelated(loading, resource, rows, read.related);
  return resource.kind === 'collection' ? whole : (whole[0] ?? null);
}

function wantedOf({ entityType, properties, related }: RootRead): Wanted {
  return wantedNames(entityType, [...entityType.key, ...properties, ...propertiesFor(entityType, related)]);
}

/** The rows with what the options read of related entities. */
async function withRelated<Loaded extends Rows>(
  loading: Loading,
  place: CollectionResource | EntityResource,
  rows: Loaded,
  related: Projection['related'],
): Promise<Loaded | readonly Row[]> {
  if (related.size === 0) return rows;
  const { budget } = loading.context;
  const entities = await budget.run(mapped(rows, budget, (row) => entityOf(place, row)));
  return attachRelated(loading, entities, related);
}
