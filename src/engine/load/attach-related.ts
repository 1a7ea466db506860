import type { Arguments } from '../../contract/entity-source.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { RequestBudget } from '../../contract/request-budget.ts';
import type { Row, Rows, Value } from '../../contract/row.ts';
import { atOnce, CONCURRENT_CALLS, mapConcurrently, mapped, type Work } from '../../core/work.ts';
import { type EntityType, type NavigationProperty, withDerivedTypes } from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import { compileValue } from '../compile/compile.ts';
import type { FunctionCallPrefetch, Projection } from '../pipeline/compile-query.ts';
import { bindCall, findCallables } from '../resource/bind-callable.ts';
import type { LoadContext, LoadRequest } from '../resource/load-context.ts';
import {
  bindKey,
  collectionOf,
  entityByKey,
  relatedResource,
  singletonResource,
} from '../resource/navigation-source.ts';
import {
  type CollectionResource,
  type EntityResource,
  type Invocation,
  unknownResource,
} from '../resource/resource.ts';
import {
  type ComputedParameters,
  type FunctionCall,
  isRootCall,
  type RelatedReads,
  type RootCall,
  type RootRead,
  type RootSource,
  type RootValues,
} from '../scope/scope.ts';
import { callOperation, isRowOf } from './load.ts';
import { entityOf, loadAll, loadRelated, type Related } from './load-related.ts';
import { propertiesFor } from './wanted.ts';

/** The properties that options read of related entities, by navigation property. */
type Reads = ReadonlyMap<string, RelatedReads>;

/**
 * The entities as rows that have what options read of the related entities, under the names of the
 * navigation properties: `$filter=Author/Name eq 'x'` is decided before anything is left out.
 */
export async function attachRelated(
  loading: LoadContext,
  entities: readonly EntityResource[],
  related: Reads,
): Promise<readonly Row[]> {
  const columns = await Promise.all(
    [...related.values()].map((reads) => attachOne(loading, entities, reads)),
  );
  const { budget } = loading.context;
  const withAdded = ({ known }: EntityResource, index: number): Row => {
    const added = [...related.keys()].map(
      (name, column) => [name, columns[column]?.[index] ?? null] as const,
    );
    return { ...known, ...Object.fromEntries(added) };
  };
  return budget.run(mapped(entities, budget, withAdded));
}

async function attachOne(
  loading: LoadContext,
  owners: readonly EntityResource[],
  reads: RelatedReads,
): Promise<readonly (readonly Row[] | Row | null)[]> {
  const { navigation, related } = reads;
  // Rows that are read for one question alone end with the answer to it.
  const isAlone = reads.uses === 1 && related.size === 0 && (reads.calls?.size ?? 0) === 0;
  const deciding = isAlone ? reads.deciding : undefined;
  const found = await loadRelated(loading, owners, navigation, wantedOf(reads), deciding);
  const calls = [...(reads.calls?.values() ?? [])];
  const called = await attachRelatedCalls(loading, owners, found, { navigation, calls });
  const whole = related.size === 0 ? called : await attachDeeper(loading, owners, called, reads);
  if (navigation.collection) return whole;
  const { budget } = loading.context;
  return budget.run(mapped(whole, budget, ([row]) => row ?? null));
}

function wantedOf({ navigation, properties, related, calls }: RelatedReads): LoadRequest {
  const type = navigation.entityType;
  const key = calls?.size ? type.key : [];
  return wantedNames(type, [...key, ...properties, ...propertiesFor(type, related)]);
}

type DeeperReads = Pick<RelatedReads, 'navigation'> & { readonly related: Reads };

/** Loads the related entities of all related entities together. */
export async function attachDeeper(
  loading: LoadContext,
  owners: readonly EntityResource[],
  found: readonly (readonly Row[])[],
  { navigation, related }: DeeperReads,
): Promise<readonly (readonly Row[])[]> {
  const { budget } = loading.context;
  // Rows that several owners share, as those behind long paths are, are the same entities.
  const entities = await relatedEntities(loading, owners, navigation, found);
  const attached = await attachRelated(loading, [...entities.values()], related);
  const whole = new Map<Row, Row>();
  const note = (row: Row, index: number): void => {
    whole.set(row, attached[index] ?? row);
  };
  await budget.run(mapped(entities.keys(), budget, note));
  return budget.run(replaced(budget, found, whole));
}

/** Functions that are called for related entities. */
interface RelatedCalls {
  readonly navigation: NavigationProperty;
  readonly calls: readonly FunctionCall[];
  /** Selects the related entities that need it; undefined for all. */
  readonly needing?: (rows: Related, index: number) => Work<Related>;
}

/** The related entities of each owner with what functions return for those of them that need it. */
export async function attachRelatedCalls(
  loading: LoadContext,
  owners: readonly EntityResource[],
  found: readonly Related[],
  { navigation, calls, needing }: RelatedCalls,
): Promise<readonly Related[]> {
  if (calls.length === 0) return found;
  const { budget } = loading.context;
  const needed = needing === undefined ? found : await budget.run(eachOf(found, needing));
  const entities = await relatedEntities(loading, owners, navigation, needed);
  const called = await callFor(loading, entities, calls);
  return budget.run(replaced(budget, found, called));
}

function* eachOf(
  found: readonly Related[],
  needing: (rows: Related, index: number) => Work<Related>,
): Work<readonly Related[]> {
  const needed: Related[] = [];
  for (const [index, rows] of found.entries()) needed.push(yield* needing(rows, index));
  return needed;
}

/** The related entities of all owners; shared ones occur once. */
function relatedEntities(
  { service: { model }, context: { budget } }: LoadContext,
  owners: readonly EntityResource[],
  navigation: NavigationProperty,
  found: readonly Related[],
): Promise<ReadonlyMap<Row, EntityResource>> {
  return budget.run(collected());

  function* collected(): Work<ReadonlyMap<Row, EntityResource>> {
    const entities = new Map<Row, EntityResource>();
    for (const [index, rows] of found.entries()) {
      const owner = owners[index];
      if (owner === undefined || rows.length === 0) continue;
      const resource = relatedResource(model, owner, navigation);
      for (const row of rows) {
        entities.set(row, entityOf(resource, row));
        if (budget.isDue()) yield;
      }
    }
    return entities;
  }
}

/**
 * Related entities with other rows in the place of some. Each owner has lists of its own then, whose rows are
 * charged.
 */
function* replaced(
  budget: RequestBudget,
  found: readonly Related[],
  others: ReadonlyMap<Row, Row>,
): Work<readonly Related[]> {
  const lists: Related[] = [];
  for (const rows of found) {
    budget.chargeRows(rows.length);
    lists.push(rows.map((row) => others.get(row) ?? row));
    if (budget.isDue()) yield;
  }
  return lists;
}

/** The load request for names in options: declared properties, and whether undeclared ones are needed. */
export function wantedNames(
  type: EntityType,
  names: Iterable<string>,
): Pick<LoadRequest, 'properties' | 'dynamic'> {
  const declared = new Set(
    withDerivedTypes(type).flatMap(({ structuralProperties, navigationProperties }) => [
      ...structuralProperties.keys(),
      ...navigationProperties.keys(),
    ]),
  );
  const all = [...new Set(names)];
  const properties = all.filter((name) => declared.has(name));
  return { properties, dynamic: properties.length < all.length };
}

/** The most calls of functions for one query: each is a call of the upstream's. */
const MOST_CALLS = 100;

/** A call in an expression that is bound to the place of the entities it is called for. */
interface PreparedCall {
  readonly type: EntityType;
  readonly name: string;
  readonly call: Invocation;
  /** The parameters from a row; undefined if a required one is null. */
  readonly parametersOf: (row: Row) => Arguments | undefined;
}

/** Adds what functions return for the rows that need it to copies of those, in the place of the rows. */
type AttachCalls = (
  loading: LoadContext,
  rows: Rows,
  needing: (rows: readonly Row[]) => Work<readonly Row[]>,
) => Promise<Rows>;

/** Binds calls in expressions as those in resource paths are bound; a parameter that does not fit is a BadRequest. */
function prepareCalls(
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
      ? bindCall(site, findCallables(segment.name, entity), segment, { entity })
      : bindCall(site, imported.overloads, segment, { imported });
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
  loading: LoadContext,
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
  loading: LoadContext,
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
  readonly call: Invocation;
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

/** The results of the calls; equal calls are made once. */
async function answersTo(
  loading: LoadContext,
  sent: readonly SentCall[],
): Promise<ReadonlyMap<unknown, Value>> {
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

/** Loads what a query reads beside the rows that it is about, and gives the rows what they lead to. */
export type Prefetch = (
  loading: LoadContext,
  rows: Rows,
) => Promise<{ readonly rows: Rows; readonly roots: RootValues }>;

/** Prepares what a query reads beside its rows: related entities, what is read from `$root` on, calls of functions. */
export function preparePrefetch(
  model: Model,
  place: CollectionResource | EntityResource,
  query: Pick<Projection, 'related' | 'roots' | 'calls'> & FunctionCallPrefetch,
): Prefetch {
  const { related, roots, calls } = query;
  const loadRoots = prepareRoots(model, roots);
  const attachCalls = prepareCalls(model, place, calls);
  return async (loading, rows) => {
    const values = await loadRoots(loading);
    const whole = await withRelated(loading, place, rows, related);
    const called = await attachCalls(loading, whole, (all) =>
      query.needingCalls(loading.context.budget, all, values),
    );
    return { rows: called, roots: values };
  };
}

/** Loads what a query reads from `$root` on, once for a request; a key that does not fit is a BadRequest. */
export function prepareRoots(
  model: Model,
  roots: readonly RootSource[],
): (loading: LoadContext) => Promise<RootValues> {
  const loads = roots.map((root) =>
    isRootCall(root) ? preparedCall(model, root) : preparedRead(model, root),
  );
  return (loading) => mapConcurrently(loads, CONCURRENT_CALLS, (load) => load(loading));
}

type LoadRoot = (loading: LoadContext) => Promise<Value>;

function preparedRead(model: Model, read: RootRead): LoadRoot {
  const resource = resourceOf(model, read);
  const attachCalls = prepareCalls(model, resource, [...(read.calls?.values() ?? [])]);
  return (loading) => loadRoot(loading, { read, resource, attachCalls });
}

function preparedCall(model: Model, { imported, segment, aliases }: RootCall): LoadRoot {
  const site = { model, aliases };
  const call = bindCall(site, imported.overloads, segment, { imported });
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

/** A read from `$root` and its resource. */
interface RootPlace {
  readonly read: RootRead;
  readonly resource: CollectionResource | EntityResource;
  readonly attachCalls: ReturnType<typeof prepareCalls>;
}

async function loadRoot(loading: LoadContext, { read, resource, attachCalls }: RootPlace): Promise<Value> {
  const found = await loadAll(loading, resource, wantedOfRoot(read));
  const called = await attachCalls(loading, found, (all) => atOnce(() => all));
  const rows = await loading.context.budget.rows(called);
  const whole = await withRelated(loading, resource, rows, read.related);
  return resource.kind === 'collection' ? whole : (whole[0] ?? null);
}

function wantedOfRoot({ entityType, properties, related }: RootRead): LoadRequest {
  return wantedNames(entityType, [...entityType.key, ...properties, ...propertiesFor(entityType, related)]);
}

/** The rows with what the options read of related entities. */
async function withRelated<Loaded extends Rows>(
  loading: LoadContext,
  place: CollectionResource | EntityResource,
  rows: Loaded,
  related: Projection['related'],
): Promise<Loaded | readonly Row[]> {
  if (related.size === 0) return rows;
  const { budget } = loading.context;
  const entities = await budget.run(mapped(rows, budget, (row) => entityOf(place, row)));
  return attachRelated(loading, entities, related);
}
