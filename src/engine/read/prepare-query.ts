import { hash } from 'node:crypto';
import type { Arguments, CollectionSnapshot, ListPart, Snapshot } from '../../contract/entity-source.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import { picked, type Row, type Rows, rowsBetween } from '../../contract/row.ts';
import { CONCURRENT_CALLS, mapConcurrently, mapped } from '../../core/work.ts';
import { type EntityType, isLacking } from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import type { Expander, ExpandLoadContext } from '../expand/bind-expand.ts';
import { compileExpand } from '../expand/expand.ts';
import { type Prefetch, preparePrefetch } from '../load/attach-related.ts';
import { loadEntity, requireCollection } from '../load/load.ts';
import { entityOf } from '../load/load-related.ts';
import { largerPortions, type Portions } from '../load/row-portions.ts';
import { propertiesBehind, wantedFor } from '../load/wanted.ts';
import {
  type CompiledEntityQuery,
  type CompiledQuery,
  compileEntityQuery,
  compileQuery,
  countOnly,
  type Projection,
} from '../pipeline/compile-query.ts';
import { isLiteral, needsOf } from '../plan/needs-of-query.ts';
import { assertNoneMisplaced, type QueryResult, readsFrom } from '../query/pipeline.ts';
import type { PathContext } from '../resource/bind-callable.ts';
import type { LoadContext, LoadedCollection, LoadRequest } from '../resource/load-context.ts';
import { entityByKey } from '../resource/navigation-source.ts';
import {
  type AcceptRows,
  ALL_ROWS,
  type FoldRows,
  type PushDown,
  type ReadNeeds,
} from '../resource/read-needs.ts';
import type { CollectionResource, EntityResource } from '../resource/resource.ts';
import type { QueryLimits } from '../scope/scope.ts';
import type { Expression, QueryOptions, Transformation } from '../tree/query-tree.ts';
import { conditionsAlone, conditionsBefore, relatedQuery } from './related-query.ts';

/** The context for compiling query options. */
export interface QuerySite {
  readonly model: Model;
  readonly limits: { readonly query: QueryLimits };
}

/** The query options of a request, compiled. */
export interface Prepared {
  readonly query: Projection;
  readonly expander: Expander | undefined;
  /** The load request for both. */
  readonly wanted: LoadRequest;
  /** Entities are read by themselves for what their list lacks. */
  readonly completed?: boolean;
}

/** The options of a collection. */
export interface PreparedCollection extends Prepared {
  /** Applies the options to all that was loaded, but for `$expand`. */
  readonly run: (loading: LoadContext, loaded: Loaded) => Promise<QueryResult>;
  /** Adds related entities to the rows that are shown. */
  readonly expand: (loading: ExpandLoadContext, rows: readonly Row[]) => Promise<readonly Row[]>;
  /**
   * Applies all options but `$count` to a list that comes in portions, and adds related entities; undefined if the options need all
   * rows at once.
   */
  readonly runPortions:
    | ((loading: ExpandLoadContext, portions: Portions) => AsyncIterable<readonly Row[]>)
    | undefined;
}

type Loaded = Pick<
  LoadedCollection,
  'data' | 'total' | 'isComplete' | 'isCounted' | 'isSieved' | 'planned' | 'result'
>;

/** The options of a single entity. */
export interface PreparedEntity extends Prepared {
  readonly run: (loading: ExpandLoadContext, row: Row) => Promise<Row>;
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
  const missing = missingProperties(collection, options, expand);
  const accept = missing.before.length > 0 ? undefined : acceptOf({ model, limits }, collection, options);
  const needed = needsOf({ model, aliases: options.aliases }, collection, options, {
    accept,
    completed: [...missing.before, ...missing.after],
  });
  const { pushed } = needed;
  const left = pushed?.isPaged === true ? withoutPage(options) : options;
  const query = compileQuery(model, type, left, limits.query);
  assertNoExpandOfResults(query, expand);
  const expansion = { model, limits: limits.query, aliases: options.aliases };
  const expander = expand && compileExpand(expansion, type, expand);
  const prefetch = prefetchFor(model, collection, query);
  const completed = missing.before.length + missing.after.length > 0;
  const wanted = wantedFor(type, query, expander);
  // A projection without the conditions would show the undeclared properties that were read for them.
  const behindSieve = once(() =>
    query.dynamic ? query : compileQuery(model, type, withoutConditions(left), limits.query),
  );
  const withinPage = once(() => {
    const page = withoutPage(options);
    return compileQuery(model, type, query.dynamic ? page : withoutConditions(page), limits.query);
  });
  const mayFold = !completed && readsNothingBeside(query) && isFoldable(collection, left, pushed);
  const folded = needed.accept === undefined ? () => query : behindSieve;
  const fold: FoldRows = (budget, rows) => budget.run(folded().run(budget, rows));
  const needs: ReadNeeds = mayFold ? { ...needed, fold } : needed;
  const joined =
    query.related.size === 0 || missing.before.length > 0
      ? undefined
      : relatedQuery({ model, limits }, collection, options, query, prepareCollection);
  // Rows that have been joined are all there: they can be counted without the conditions.
  const behindJoin = once(() =>
    joined === undefined || query.dynamic
      ? behindSieve()
      : compileQuery(model, type, withoutFilters(left), limits.query),
  );
  const prefetchSieved = once(() => prefetchFor(model, collection, behindJoin()));
  const expandRows: PreparedCollection['expand'] = async (loading, shown) => {
    const { budget } = loading.context;
    const rows = await budget.rows(await completeRows(loading, collection, shown, missing.after));
    if (expander === undefined) return rows;
    const entities = await budget.run(mapped(rows, budget, (row) => entityOf(collection, row)));
    return expander.expand(loading, entities);
  };
  return {
    query,
    expander,
    completed,
    wanted: {
      ...(completed ? { ...wanted, properties: [...new Set([...wanted.properties, ...type.key])] } : wanted),
      needs,
      joined,
    },
    runPortions:
      !completed && comesInPortions(collection, options, pushed)
        ? portionRunner({ model, limits }, collection, left, { needs, query, expander, expandRows })
        : undefined,
    async run(loading, { data, total, isComplete, isCounted, isSieved, planned, result: known }) {
      if (known !== undefined) return known;
      if (isCounted === true) return { rows: [], count: total };
      const { budget } = loading.context;
      const before = isComplete === true ? [] : missing.before;
      const whole = await completeRows(loading, collection, data, before);
      const isBehind = isSieved === true;
      const { rows, roots } = await (isBehind ? prefetchSieved() : prefetch)(loading, whole);
      const { run } = planned !== undefined ? withinPage() : isBehind ? behindJoin() : query;
      const result = await budget.run(run(budget, rows, roots));
      return pushed?.isCounted === true ? { ...result, count: total } : result;
    },
    expand: expandRows,
  };
}

/** The options for rows that a sieve has let through: they meet the conditions on entities. */
function withoutConditions(options: Omit<QueryOptions, 'expand'>): Omit<QueryOptions, 'expand'> {
  const { apply, count, orderBy } = options;
  // Without an order, rows are counted where they are looked at.
  const isCounting = apply === undefined && count === true && orderBy === undefined;
  return isCounting ? options : withoutFilters(options);
}

function withoutFilters(options: Omit<QueryOptions, 'expand'>): Omit<QueryOptions, 'expand'> {
  const { apply, filter: _, search: __, ...others } = options;
  return apply === undefined ? others : { ...options, apply: apply.slice(conditionsBefore(apply).length) };
}

/** The most rows that an order keeps while a list is read. */
const MOST_SORTED = 10_000;

/** Whether the options keep few of the rows that they are given one after the other. */
function isFoldable(
  collection: CollectionResource,
  options: Omit<QueryOptions, 'expand'>,
  pushed: PushDown | undefined,
): boolean {
  const { apply, filter, search, orderBy, top = Number.POSITIVE_INFINITY, skip = 0, count } = options;
  const isListed = collection.origin.kind === 'operations' && !collection.isCast && !isLiteral(collection);
  if (!isListed || pushed?.isPaged === true || readsFrom('$these', options)) return false;
  if (apply === undefined) {
    const isCounting = count === true && (filter ?? search) !== undefined;
    return skip + top <= MOST_SORTED && (orderBy !== undefined || isCounting);
  }
  const first = apply[conditionsBefore(apply).length];
  return first !== undefined && isAggregation(first);
}

/** Whether a transformation needs each row once, and keeps nothing but groups. */
function isAggregation(transformation: Transformation): boolean {
  switch (transformation.kind) {
    case 'aggregate':
      return transformation.items.every(({ from }) => from.length === 0);
    case 'groupby': {
      const { items, then } = transformation;
      const isPlain = items.every((item) => 'paths' in item && !item.rollup);
      return (
        isPlain && then.length <= 1 && then.every((each) => each.kind === 'aggregate' && isAggregation(each))
      );
    }
    default:
      return false;
  }
}

/** Whether the options can be applied to some rows of a list after the other. */
function comesInPortions(
  collection: CollectionResource,
  options: Omit<QueryOptions, 'expand'>,
  pushed: PushDown | undefined,
): boolean {
  const { orderBy, apply } = options;
  const isInOrder = orderBy === undefined || pushed?.isPaged === true;
  const isListed = collection.origin.kind === 'operations' && !collection.isCast && !isLiteral(collection);
  return isListed && isInOrder && apply === undefined && !readsFrom('$these', options);
}

interface CompiledPortions {
  readonly query: CompiledQuery;
  readonly prefetch: Prefetch;
  /** Nothing is read beside the rows. */
  readonly isAlone: boolean;
}

interface PortionParts extends Pick<PreparedCollection, 'query' | 'expander'> {
  readonly needs: ReadNeeds;
  readonly expandRows: PreparedCollection['expand'];
}

function portionRunner(
  { model, limits }: QuerySite,
  collection: CollectionResource,
  options: Omit<QueryOptions, 'expand'>,
  { needs: { pushed }, query: { dynamic }, expander, expandRows }: PortionParts,
): NonNullable<PreparedCollection['runPortions']> {
  const { orderBy: _, filter, search, ...others } = withoutPage(options);
  const compiledWith = (conditions: Pick<QueryOptions, 'filter' | 'search'>): CompiledPortions => {
    const query = compileQuery(model, collection.type, { ...others, ...conditions }, limits.query);
    const isAlone = expander === undefined && readsNothingBeside(query);
    return { query, prefetch: prefetchFor(model, collection, query), isAlone };
  };
  const whole = once(() => compiledWith({ ...(filter && { filter }), ...(search && { search }) }));
  const sieved = once(() => compiledWith({}));
  return async function* (loading, portions) {
    // The sieve of the read may have applied the conditions already.
    const isSieved = portions.isSieved && pushed?.isPaged !== true && !dynamic;
    const { query, prefetch, isAlone } = isSieved ? sieved() : whole();
    const { budget } = loading.context;
    let { skip = 0, top: left = Number.POSITIVE_INFINITY } = options;
    for await (const portion of isAlone ? portions : largerPortions(portions)) {
      budget.renew();
      const { rows, roots } = await prefetch(loading, portion);
      const { rows: found } = await budget.run(query.run(budget, rows, roots));
      const shown = found.slice(skip, skip + left);
      skip = Math.max(0, skip - found.length);
      left -= shown.length;
      if (shown.length > 0) yield await expandRows(loading, shown);
      if (left <= 0) return;
    }
  };
}

function once<Result>(make: () => Result): () => Result {
  let made: { readonly result: Result } | undefined;
  return () => {
    made ??= { result: make() };
    return made.result;
  };
}

/** Selects the rows that meet the conditions of a query; undefined if that takes more than the rows. */
function acceptOf(
  { model, limits }: QuerySite,
  { type, origin }: CollectionResource,
  options: Omit<QueryOptions, 'expand'>,
): AcceptRows | undefined {
  const { filter, search, compute, apply } = options;
  if (origin.kind !== 'operations' || (compute !== undefined && apply === undefined)) return undefined;
  const before = apply && conditionsBefore(apply);
  if (before === undefined ? (filter ?? search) === undefined : before.length === 0) return ALL_ROWS;
  const query = compileQuery(model, type, conditionsAlone(options), limits.query);
  if (!isAboutRowsOnly({ ...query, repeatable: true })) return undefined;
  return async (budget, rows) => (await budget.run(query.run(budget, rows))).rows;
}

/** Results of `$apply` have no relations, and nested entities in them are loaded already. */
function assertNoExpandOfResults({ results }: Projection, expand: QueryOptions['expand']): void {
  if (results === undefined || expand === undefined) return;
  const held = expand.find(({ path: [name = ''] }) => results.nested.has(name));
  const what = held === undefined ? 'the entities' : `"${held.path[0]}"`;
  if (results.transient || held !== undefined) {
    assertNoneMisplaced({ expand }, ['expand'], `what $apply has made of ${what}`);
  }
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
  const expansion = { model, limits: limits.query, aliases: options.aliases };
  const expander = expand && compileExpand(expansion, type, expand);
  const prefetch = prefetchFor(model, place, query);
  return {
    query,
    expander,
    wanted: wantedFor(type, query, expander),
    async run(loading, row) {
      const { budget } = loading.context;
      const { rows, roots } = await prefetch(loading, [row]);
      const [whole = row] = rows;
      const found = await budget.run(query.run(budget, whole, roots));
      if (expander === undefined) return found;
      const [expanded] = await expander.expand(loading, [entityOf(place, found)]);
      return expanded ?? found;
    },
  };
}

/** Whether there are no options except the format. */
function isPlain({ aliases, format: _, ...others }: Omit<QueryOptions, 'expand'>): boolean {
  return aliases.size === 0 && Object.keys(others).length === 0;
}

/** The plan for a single entity does not depend on its key, so it is cached per type. */
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

/** Whether the same rows have the same answer, which depends on nothing that is read beside them, and on no time. */
export function isAboutRowsOnly(query: SourcesBeside & Pick<Projection, 'repeatable'>): boolean {
  return query.repeatable && readsNothingBeside(query);
}

/** The reads of a query apart from its rows. */
type SourcesBeside = Pick<Projection, 'related' | 'roots' | 'calls'>;

/** Most queries read no related entities, nothing from `$root` on, and call no functions. */
function readsNothingBeside({ related, roots, calls }: SourcesBeside): boolean {
  return related.size === 0 && roots.length === 0 && calls.length === 0;
}

const ROWS_ALONE: Prefetch = async (_, rows) => ({ rows, roots: [] });

function prefetchFor(...given: Parameters<typeof preparePrefetch>): Prefetch {
  return readsNothingBeside(given[2]) ? ROWS_ALONE : preparePrefetch(...given);
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

/** A compiled count of matching entities. */
interface PreparedCount extends Pick<Prepared, 'wanted'> {
  /** True if the count depends on the entities only, so that it is the same for the same version. */
  readonly aboutRowsOnly: boolean;
  readonly run: (loading: LoadContext, loaded: Loaded) => Promise<number>;
}

/** Compiles the options of a collection of which only the number of matching entities is asked for (Part 1, 11.2.10). */
export function prepareCount(
  site: QuerySite,
  collection: CollectionResource,
  options: QueryOptions,
): PreparedCount {
  const { wanted, query, completed, run } = prepareCollection(site, collection, countOnly(options));
  return {
    wanted,
    aboutRowsOnly: completed !== true && isAboutRowsOnly(query),
    run: async (loading, loaded) => (await run(loading, loaded)).count ?? 0,
  };
}

/** The most entities that one query reads by themselves. */
const MOST_READS = 100;

/** Properties that a query needs and that the list lacks. */
interface MissingProperties {
  /** Properties in conditions, orders and computations: needed for all entities. */
  readonly before: readonly string[];
  /** Shown properties: needed for the entities of the response only. */
  readonly after: readonly string[];
}

const NOTHING: MissingProperties = { before: [], after: [] };

/**
 * The properties that a query names, or finds related entities by, and the list lacks. Without `$select`, these are
 * null in the response.
 */
function missingProperties(
  collection: CollectionResource,
  { select, filter, orderBy, compute, apply }: Omit<QueryOptions, 'expand'>,
  expand: QueryOptions['expand'],
): MissingProperties {
  const { origin, type } = collection;
  const { list, read: reading } = origin.kind === 'operations' ? origin.operations : {};
  if (list?.lacks === undefined || reading === undefined) return NOTHING;
  const lackedBy = (tree: unknown): readonly string[] => {
    const names = namesIn(tree);
    const named = [...type.navigationProperties.values()].filter(({ name }) => names.has(name));
    const others = named.filter(({ origin: { kind } }) => kind !== 'embedded');
    const behind = others.flatMap((navigation) => propertiesBehind(type, navigation));
    return [...new Set([...names, ...behind])].filter((name) => isLacking(list, type, name));
  };
  const before = isLiteral(collection) ? [] : lackedBy([filter, orderBy, compute, apply]);
  return { before, after: lackedBy([select, expand]).filter((name) => !before.includes(name)) };
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
  loading: LoadContext,
  collection: CollectionResource,
  rows: Rows,
  properties: readonly string[],
): Promise<Rows> {
  if (properties.length === 0) return rows;
  if (rows.length > MOST_READS) throw tooManyReads(properties, rows.length);
  const wanted = { properties, dynamic: false };
  return mapConcurrently(await loading.context.budget.rows(rows), CONCURRENT_CALLS, async (row) => {
    const { known } = entityOf(collection, row);
    const found = await loadEntity(
      loading,
      entityByKey(collection, picked(known, collection.entityType.key)),
      wanted,
    );
    return found === undefined ? row : { ...row, ...found.data };
  });
}

function tooManyReads(properties: readonly string[], found: number): GatewayError {
  const names = properties.join(', ');
  const message = `The list does not include ${names}, so each entity is read by itself. Expected at most ${MOST_READS} entities, found ${found}; narrow the conditions, or use $top.`;
  return new GatewayError('BadRequest', message);
}

/** The requested page of a query's results. */
export interface PageRange {
  /** The number of entities on earlier pages. */
  readonly offset: number;
  /** Maximum size; undefined without paging. */
  readonly size: number | undefined;
  /** The position in the upstream's list that it begins at. */
  readonly from?: string | undefined;
  /** The operation and the arguments that the position belongs to. */
  readonly plan?: string | undefined;
  /** Further arguments of a list that is read for entities that meet conditions; undefined if the upstream applies all conditions. */
  readonly planned?: Arguments | undefined;
}

/** A page that is one of the upstream's, too. */
interface UpstreamPage {
  readonly snapshot: CollectionSnapshot;
  /** The start of the next page; undefined on the last page. */
  readonly next: PageRange | undefined;
  /** The upstream has given all that the query leaves at once: the page is a part of that. */
  readonly isWhole: boolean;
}

/**
 * Loads a page as a part of the upstream's list, where no option needs all of a list that comes in pages; undefined
 * where all of the collection is to be loaded. A client that says how many it wants is given them at once, unless
 * it or the model wants pages.
 */
export async function loadUpstreamPage(
  loading: LoadContext,
  collection: CollectionResource,
  { wanted }: Pick<PreparedCollection, 'wanted'>,
  options: Pick<QueryOptions, 'top' | 'skip'>,
  page: PageRange,
): Promise<UpstreamPage | undefined> {
  const part = wanted.needs?.pushed?.goesOn === true ? partOf(options, page) : undefined;
  if (part === undefined) return undefined;
  const load = (each: ListPart) => requireCollection(loading, collection, { ...wanted, part: each });
  const whole = await wholeAtOnce(wanted, options, part, load);
  if (whole !== undefined) return { snapshot: whole, next: undefined, isWhole: true };
  const snapshot = await load(part);
  if (wanted.needs?.pushed?.isCounted === true && snapshot.total === undefined) return undefined;
  const taken = page.offset + snapshot.data.length;
  const isLast = snapshot.next === undefined || taken >= (options.top ?? Number.POSITIVE_INFINITY);
  const plan = pagePlan(collection, { wanted });
  const next = isLast ? undefined : { offset: taken, size: page.size, from: snapshot.next, plan };
  return { snapshot, next, isWhole: false };
}

/** The request for a page: the list is read until the page is full and a further row shows that another page follows. */
export function wantedUpTo(
  { needs, ...wanted }: PreparedCollection['wanted'],
  { skip = 0 }: Pick<QueryOptions, 'skip'>,
  { offset, size }: Pick<PageRange, 'offset' | 'size'>,
): PreparedCollection['wanted'] {
  if (needs?.mayEnd !== true || size === undefined) return { ...wanted, needs };
  const end = Math.min(needs.end ?? Number.POSITIVE_INFINITY, skip + offset + size + 1);
  return { ...wanted, needs: { ...needs, end } };
}

/** A page of the entities that meet conditions, where the list can be read from a position. */
interface SelectedPage {
  readonly snapshot: LoadedCollection;
  /** The page as its list was read; undefined if another plan has read all entities that meet the conditions. */
  readonly cut: { readonly skip: number; readonly next: PageRange | undefined } | undefined;
}

/**
 * Loads a page of the entities that meet conditions: the list is read from where the page before has ended. Undefined if the options
 * need another read.
 */
export async function loadSelectedPage(
  loading: LoadContext,
  collection: CollectionResource,
  { wanted }: Pick<PreparedCollection, 'wanted'>,
  { top = Number.POSITIVE_INFINITY, skip = 0 }: Pick<QueryOptions, 'top' | 'skip'>,
  page: PageRange,
): Promise<SelectedPage | undefined> {
  const { offset, size, from, planned } = page;
  const plan = pagePlan(collection, { wanted });
  const isBegun = from !== undefined && planned !== undefined;
  if (size === undefined || plan === undefined || !isSelecting(wanted) || (!isBegun && offset > 0))
    return undefined;
  const left = top - offset;
  const before = isBegun ? 0 : skip;
  const isPeeking = left > size;
  const snapshot = await requireCollection(loading, collection, {
    ...wantedUpTo(wanted, { skip }, page),
    cut: {
      from: isBegun ? { position: from, planned } : undefined,
      top: before + Math.min(left, isPeeking ? size + 1 : size),
      isPeeking,
    },
  });
  if (snapshot.planned === undefined) return { snapshot, cut: undefined };
  const next = snapshot.next && {
    offset: offset + size,
    size,
    from: snapshot.next,
    plan,
    planned: snapshot.planned,
  };
  return { snapshot, cut: { skip: before, next: next || undefined } };
}

/** Whether nothing but conditions on its rows keeps entities of a list from being read as its pages. */
function isSelecting({ needs }: PreparedCollection['wanted']): boolean {
  return needs?.mayEnd === true && needs.order === undefined && needs.accept !== undefined;
}

/** Names the operation and the arguments by which the pages of an answer are read; undefined if they are not. */
export function pagePlan(
  { origin }: CollectionResource,
  { wanted }: Pick<PreparedCollection, 'wanted'>,
): string | undefined {
  const { needs } = wanted;
  const pushed = needs?.pushed;
  if (origin.kind !== 'operations' || (pushed?.goesOn !== true && !isSelecting(wanted))) return undefined;
  const { list, page } = origin.operations;
  const { source, id } = page ?? list ?? {};
  const fixed = needs?.fixed;
  const text = JSON.stringify([source, id, pushed?.arguments, fixed], (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  return hash('sha256', text, 'base64url').slice(0, 16);
}

/** The results from an unpaged list; undefined if the upstream pages it nevertheless. */
async function wholeAtOnce(
  { needs }: PreparedCollection['wanted'],
  { top = Number.POSITIVE_INFINITY, skip = 0 }: Pick<QueryOptions, 'top' | 'skip'>,
  part: ListPart,
  load: (part: ListPart) => Promise<CollectionSnapshot>,
): Promise<CollectionSnapshot | undefined> {
  if (needs?.pushed?.tellsPages !== false || part.from !== undefined || part.top === undefined)
    return undefined;
  const first = await load({ ...part, skip: 0, top: undefined });
  if (first.next !== undefined) return undefined;
  return { ...first, data: rowsBetween(first.data, skip, skip + top) };
}

function partOf(
  { top, skip = 0 }: Pick<QueryOptions, 'top' | 'skip'>,
  { offset, size, from }: PageRange,
): ListPart | undefined {
  const isPaged = from !== undefined || (offset === 0 && (top === undefined || size !== undefined));
  if (!isPaged) return undefined;
  const most = Math.min(size ?? Number.POSITIVE_INFINITY, (top ?? Number.POSITIVE_INFINITY) - offset);
  return {
    from,
    skip: from === undefined ? skip : 0,
    top: Number.isFinite(most) ? most : undefined,
    mayBeShort: true,
  };
}

/** The entities of a collection that a `/$filter` segment accepts (Part 2, 4.12); nothing is created there. */
export function filteredBy(
  { model, aliases, limits }: Pick<PathContext, 'model' | 'aliases' | 'limits'>,
  collection: CollectionResource,
  filter: Expression,
): CollectionResource {
  const prepared = prepareCollection({ model, limits }, collection, { filter, aliases });
  return {
    ...collection,
    origin: {
      kind: 'filtered',
      from: collection,
      async load(loading, { properties, dynamic }) {
        const snapshot = await requireCollection(loading, collection, {
          properties: [...new Set([...properties, ...prepared.wanted.properties])],
          dynamic: dynamic || prepared.wanted.dynamic,
          needs: prepared.wanted.needs,
        });
        const { rows } = await prepared.run(loading, snapshot);
        return { data: rows, version: answerVersion(prepared, snapshot) };
      },
    },
  };
}
