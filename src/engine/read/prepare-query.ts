import type { CollectionSnapshot, Snapshot } from '../../contract/entity-source.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { Row, Rows } from '../../contract/row.ts';
import { mapConcurrently, mapped } from '../../contract/work.ts';
import type { EntityType } from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import type { ListOperation, Paging } from '../../model/operation.ts';
import type { ArgumentReader } from '../bind/argument-value.ts';
import type { Expander, ExpandLoading } from '../expand/bind-expand.ts';
import { compileExpand } from '../expand/expand.ts';
import { prepareCalls } from '../load/attach-calls.ts';
import { attachRelated, wantedFor } from '../load/attach-related.ts';
import { loadEntity } from '../load/load.ts';
import { prepareRoots } from '../load/load-roots.ts';
import { fixedByFilter, pushDown, termsBeside } from '../load/push-down.ts';
import { entityOf, readsFrom } from '../load/related-rows.ts';
import {
  type CompiledEntityQuery,
  compileCount,
  compileEntityQuery,
  compileQuery,
  type Projection,
} from '../pipeline/compile-query.ts';
import { assertNoneMisplaced } from '../query/options.ts';
import { conjuncts, type QueryResult } from '../query/pipeline.ts';
import type { FixedArguments, Loading, PushDown, Wanted } from '../resource/loading.ts';
import { entityByKey } from '../resource/place.ts';
import type { CollectionResource, EntityResource } from '../resource/resource.ts';
import type { QueryLimits } from '../scope/scope.ts';
import type { QueryOptions } from '../tree/query-tree.ts';
import { beginRun } from '../values/query-run.ts';

/** What query options are compiled against. */
export interface QuerySite {
  readonly model: Model;
  readonly limits: { readonly query: QueryLimits };
}

/** The query options of a request, compiled. */
export interface Prepared {
  readonly query: Projection;
  readonly expander: Expander | undefined;
  /** What is to be loaded for both. */
  readonly wanted: Wanted;
  /** Entities are read by themselves for what their list lacks. */
  readonly completed?: boolean;
}

/** The options of a collection. */
export interface PreparedCollection extends Prepared {
  /** Applies the options to all that was loaded, but for `$expand`. */
  readonly run: (loading: Loading, loaded: Loaded) => Promise<QueryResult>;
  /** Adds related entities to the rows that are shown. */
  readonly expand: (loading: ExpandLoading, rows: readonly Row[]) => Promise<readonly Row[]>;
}

type Loaded = Pick<CollectionSnapshot, 'data' | 'total'>;

/** The options of a single entity. */
export interface PreparedEntity extends Prepared {
  readonly run: (loading: ExpandLoading, row: Row) => Promise<Row>;
}

/**
 * Compiles the options of a collection, once for any number of reads of it. A read loads what is `wanted` with
 * {@link requireCollection}, gives that to `run`, and the rows that are to be shown to `expand`.
 */
export function prepareCollection(
  { model, limits }: QuerySite,
  collection: CollectionResource,
  { expand, skipToken: _, ...options }: QueryOptions,
): PreparedCollection {
  const { type } = collection;
  const pushed = pushedDown({ model, aliases: options.aliases }, collection, options);
  const left = pushed?.isPaged === true ? withoutPage(options) : options;
  const query = compileQuery(model, type, left, limits.query);
  assertNoExpandOfResults(query, expand);
  const expander = compileExpand({ model, limits: limits.query, aliases: options.aliases }, type, expand);
  const loadRoots = prepareRoots(model, query.roots);
  const attachCalls = prepareCalls(model, collection, query.calls);
  const missing = missingProperties(collection, options);
  const completed = missing.before.length + missing.after.length > 0;
  const wanted = wantedFor(type, query, expander);
  return {
    query,
    expander,
    completed,
    wanted: {
      ...(completed ? withKey(wanted, type) : wanted),
      pushed,
      fixed: fixedBy({ model, aliases: options.aliases }, collection, options),
    },
    async run(loading, { data, total }) {
      const { budget } = loading.context;
      const run = beginRun(budget);
      const roots = await loadRoots(loading);
      const whole = await completeRows(loading, collection, data, missing.before);
      const rows = await withRelated(loading, collection, whole, query);
      const called = await attachCalls(loading, rows, (all) => query.needingCalls(run, all, roots));
      const result = await budget.run(query.run(run, called, roots));
      return pushed?.isCounted === true ? { ...result, count: total } : result;
    },
    async expand(loading, shown) {
      const { budget } = loading.context;
      const rows = await budget.rows(await completeRows(loading, collection, shown, missing.after));
      if (expander === undefined) return rows;
      const entities = await budget.run(mapped(rows, budget, (row) => entityOf(collection, row)));
      return expander.expand(loading, entities);
    },
  };
}

function withKey(wanted: Wanted, { key }: EntityType): Wanted {
  return { ...wanted, properties: [...new Set([...wanted.properties, ...key])] };
}

/** What `$apply` has made of entities leads to no others, and what it has put into them is there already. */
function assertNoExpandOfResults({ results }: Projection, expand: QueryOptions['expand']): void {
  if (results === undefined || expand === undefined) return;
  const held = expand.find(({ path: [name = ''] }) => results.nested.has(name));
  const what = held === undefined ? 'the entities' : `"${held.path[0]}"`;
  if (results.transient || held !== undefined) {
    assertNoneMisplaced({ expand }, ['expand'], `what $apply has made of ${what}`);
  }
}

/** What the upstream can do of the query; of an unfiltered collection without a type cast. */
function pushedDown(
  reader: ArgumentReader,
  collection: CollectionResource,
  options: Omit<QueryOptions, 'expand'>,
): PushDown | undefined {
  const { origin, entityType, isCast } = collection;
  if (origin.kind !== 'operations' || isCast) return undefined;
  // What all entities come to needs all of them.
  if (readsFrom('$these', options)) return undefined;
  const about = aboutEntities(options);
  const { list, page } = origin.operations;
  const fixed = fixedBy(reader, collection, options);
  if (list?.over !== undefined && fixed === undefined) {
    const terms = about.filter === undefined ? [] : conjuncts(about.filter);
    return pushDown(
      reader,
      entityType,
      { list: overOwners(list), page: page && overOwners(page) },
      about,
      terms,
    );
  }
  const terms = termsBeside(reader, entityType, list ?? {}, about.filter);
  return terms && pushDown(reader, entityType, origin.operations, about, terms);
}

/** The lists of all owners as one: it goes on behind each of them, whatever the document says of their pages. */
function overOwners<List extends ListOperation>(list: List): List {
  return { ...list, paging: LISTS_OF_OWNERS };
}

const LISTS_OF_OWNERS: Paging = {
  size: undefined,
  ways: [],
  tells: { next: false, more: false, total: false },
  places: {},
  onward: true,
};

/** What the upstream can do where nothing but the number of entities is wanted (Part 1, 11.2.10). */
function pushedCount(
  reader: ArgumentReader,
  collection: CollectionResource,
  { orderBy: _, skip: __, ...options }: QueryOptions,
): PushDown | undefined {
  return pushedDown(reader, collection, { ...options, top: 0, count: true });
}

/** What the query fixes of what the list must be given; undefined where it needs nothing, or nothing is fixed. */
function fixedBy(
  reader: ArgumentReader,
  { origin, entityType }: CollectionResource,
  options: Omit<QueryOptions, 'expand'>,
): FixedArguments {
  const list = origin.kind === 'operations' ? origin.operations.list : undefined;
  if (list?.fixed === undefined) return undefined;
  return fixedByFilter(reader, entityType, list, aboutEntities(options).filter);
}

/** What is said of the entities themselves: the options behind `$apply` are about its results. */
function aboutEntities(options: Omit<QueryOptions, 'expand'>): Omit<QueryOptions, 'expand'> {
  const { aliases, apply } = options;
  if (apply === undefined) return options;
  const [first] = apply;
  return { aliases, apply, ...(first?.kind === 'filter' && { filter: first.predicate }) };
}

function withoutPage({
  top: _,
  skip: __,
  count: ___,
  ...options
}: Omit<QueryOptions, 'expand'>): QueryOptions {
  return options;
}

/**
 * Compiles the options of a single entity. A read loads what is `wanted` with {@link requireEntity}, and gives the row
 * to `run`. `place` is where the entity is: itself, or the collection that it is new in.
 */
export function prepareEntity(
  { model, limits }: QuerySite,
  place: CollectionResource | EntityResource,
  { expand, ...options }: QueryOptions,
): PreparedEntity {
  if (place.kind === 'collection' && options.index !== undefined) throw unordered(place);
  const { type } = place;
  const query = isPlain(options)
    ? plainEntityQuery(model, type)
    : compileEntityQuery(model, type, options, limits.query);
  const expander = compileExpand({ model, limits: limits.query, aliases: options.aliases }, type, expand);
  const loadRoots = prepareRoots(model, query.roots);
  const attachCalls = prepareCalls(model, place, query.calls);
  return {
    query,
    expander,
    wanted: wantedFor(type, query, expander),
    async run(loading, row) {
      const whole = await withRelated(loading, place, [row], query);
      const { budget } = loading.context;
      const run = beginRun(budget);
      const [called = row] = await attachCalls(loading, whole, (all) => query.needingCalls(run, all));
      const found = await budget.run(query.run(run, called, await loadRoots(loading)));
      if (expander === undefined) return found;
      const [expanded] = await expander.expand(loading, [entityOf(place, found)]);
      return expanded ?? found;
    },
  };
}

/** Nothing is asked of the entity but the entity; in which format is for whoever writes it. */
function isPlain({ aliases, format: _, ...others }: Omit<QueryOptions, 'expand'>): boolean {
  return aliases.size === 0 && Object.keys(others).length === 0;
}

/** Entities are told apart by their keys alone: what is compiled for one of a type is the same for all others. */
const PLAIN_QUERIES = new WeakMap<Model, WeakMap<EntityType, CompiledEntityQuery>>();

function plainEntityQuery(model: Model, type: EntityType): CompiledEntityQuery {
  const ofModel = PLAIN_QUERIES.get(model) ?? new WeakMap<EntityType, CompiledEntityQuery>();
  PLAIN_QUERIES.set(model, ofModel);
  const query = ofModel.get(type) ?? compileEntityQuery(model, type, PLAIN_OPTIONS);
  ofModel.set(type, query);
  return query;
}

const PLAIN_OPTIONS: QueryOptions = { aliases: new Map() };

/** Part 1, Positional Inserts: only an ordered collection has a place to insert at. */
function unordered({ url }: CollectionResource): GatewayError {
  const message = `$index: expected an ordered collection, found ${decodeURIComponent(url)}, which has no order.`;
  return new GatewayError('BadRequest', message, { target: '$index' });
}

/** The rows with what the options read of related entities. */
async function withRelated<Loaded extends Rows>(
  loading: Loading,
  place: CollectionResource | EntityResource,
  rows: Loaded,
  { related }: Pick<Projection, 'related'>,
): Promise<Loaded | readonly Row[]> {
  if (related.size === 0) return rows;
  const { budget } = loading.context;
  const entities = await budget.run(mapped(rows, budget, (row) => entityOf(place, row)));
  return attachRelated(loading, entities, related);
}

/** The same rows have the same answer: it depends on nothing that is read beside them, and on no time. */
export function isAboutRowsOnly({
  repeatable,
  related,
  roots,
  calls,
}: Pick<Projection, 'repeatable' | 'related' | 'roots' | 'calls'>): boolean {
  return repeatable && related.size === 0 && roots.length === 0 && calls.length === 0;
}

/**
 * The version under which an answer may be kept: none where it changes by itself, or where the related
 * entities, or what `$root` leads to, may have changed though those they are related to have not.
 */
export function answerVersion(
  { query, expander, completed }: Prepared,
  { version }: Pick<Snapshot<unknown>, 'version'>,
): number | undefined {
  const isOfRows = expander === undefined && completed !== true && isAboutRowsOnly(query);
  return isOfRows ? version : undefined;
}

/** What counts the entities of a collection that match, compiled. */
export interface PreparedCount {
  /** What is to be loaded for it. */
  readonly wanted: Wanted;
  /** The count hangs on nothing but the entities themselves: it is the same for the same version of them. */
  readonly aboutRowsOnly: boolean;
  readonly run: (loading: Loading, loaded: Pick<CollectionSnapshot, 'data' | 'total'>) => Promise<number>;
}

/** Compiles the options of a collection of which only the number of matching entities is asked for (Part 1, 11.2.10). */
export function prepareCount(
  { model, limits }: QuerySite,
  collection: CollectionResource,
  options: QueryOptions,
): PreparedCount {
  const { type } = collection;
  const query = compileCount(model, type, options, limits.query);
  const reader = { model, aliases: options.aliases };
  const pushed = pushedCount(reader, collection, options);
  const loadRoots = prepareRoots(model, query.roots);
  const attachCalls = prepareCalls(model, collection, query.calls);
  return {
    wanted: { ...wantedFor(type, query), pushed, fixed: fixedBy(reader, collection, options) },
    aboutRowsOnly: isAboutRowsOnly(query),
    async run(loading, { data, total }) {
      if (pushed?.isCounted === true && total !== undefined) return total;
      const { budget } = loading.context;
      const run = beginRun(budget);
      const roots = await loadRoots(loading);
      const rows = await withRelated(loading, collection, data, query);
      const called = await attachCalls(loading, rows, (all) => query.needingCalls(run, all, roots));
      return budget.run(query.run(run, called, roots));
    },
  };
}

/** The most entities that one query reads by themselves. */
const MOST_READS = 100;

/** How many of them are under way at a time. */
const CONCURRENT_READS = 8;

/** What a list does not say of its entities, and a query asks for. */
export interface MissingProperties {
  /** What conditions, orders and computations read: it is needed of all entities. */
  readonly before: readonly string[];
  /** What is only shown: it is needed of the entities that the answer has. */
  readonly after: readonly string[];
}

const NOTHING: MissingProperties = { before: [], after: [] };

/**
 * The properties that a query names and the list of its collection lacks. Without `$select`, what a list lacks is null:
 * nobody has asked for it.
 */
function missingProperties(
  { origin }: CollectionResource,
  { select, filter, orderBy, compute, apply }: Omit<QueryOptions, 'expand'>,
): MissingProperties {
  const operations = origin.kind === 'operations' ? origin.operations : undefined;
  const lacking = operations?.list?.lacks ?? [];
  if (lacking.length === 0 || operations?.read === undefined) return NOTHING;
  const read = namesIn([filter, orderBy, compute, apply]);
  const shown = namesIn(select);
  const before = lacking.filter((name) => read.has(name));
  return { before, after: lacking.filter((name) => shown.has(name) && !read.has(name)) };
}

/** All names that stand in trees of a URL. */
function namesIn(tree: unknown, found: Set<string> = new Set()): ReadonlySet<string> {
  if (typeof tree === 'string') found.add(tree);
  else if (typeof tree === 'object' && tree !== null) {
    for (const part of Object.values(tree)) namesIn(part, found);
  }
  return found;
}

/** The rows with those properties as the read of each entity has them. */
async function completeRows(
  loading: Loading,
  collection: CollectionResource,
  rows: Rows,
  properties: readonly string[],
): Promise<Rows> {
  if (properties.length === 0) return rows;
  if (rows.length > MOST_READS) throw tooManyReads(properties, rows.length);
  const wanted = { properties, dynamic: false };
  return mapConcurrently(await loading.context.budget.rows(rows), CONCURRENT_READS, async (row) => {
    const { known } = entityOf(collection, row);
    const found = await loadEntity(loading, entityByKey(collection, keyOf(collection, known)), wanted);
    return found === undefined ? row : { ...row, ...found.data };
  });
}

function keyOf({ entityType }: CollectionResource, row: Row): Row {
  return Object.fromEntries(entityType.key.map((name) => [name, row[name] ?? null]));
}

function tooManyReads(properties: readonly string[], found: number): GatewayError {
  const names = properties.join(', ');
  const message = `The list does not include ${names}, so each entity is read by itself. Expected at most ${MOST_READS} entities, found ${found}; narrow the conditions, or use $top.`;
  return new GatewayError('BadRequest', message);
}
