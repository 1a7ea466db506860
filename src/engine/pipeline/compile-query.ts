import type { RequestBudget } from '../../contract/request-budget.ts';
import type { Row, Rows, Value } from '../../contract/row.ts';
import { atOnce, type Work, within } from '../../core/work.ts';
import type { EntityType } from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import { compileApply } from '../apply/compile-apply.ts';
import type { CompiledTransformation } from '../apply/compiled-transformation.ts';
import { bindExpression } from '../bind/bind-expression.ts';
import { compileOrder } from '../query/order.ts';
import {
  assertNoneMisplaced,
  assertSupported,
  COLLECTION_OPTIONS,
  compileAccept,
  compileBeforeCalls,
  filterRows,
  pageOf,
  type QueryResult,
  runPipeline,
} from '../query/pipeline.ts';
import {
  bindCompute,
  callsOf,
  compileItems,
  compileSingle,
  fetched,
  type NestedRows,
  type Projection,
  project,
} from '../query/projection.ts';
import {
  contentOfResults,
  instanceType,
  type NestedContent,
  type ResultContent,
} from '../results/result-type.ts';
import {
  type BoundRoot,
  createScope,
  type InputSet,
  inputSet,
  notImplemented,
  type OuterInstance,
  type QueryLimits,
  type RootValues,
  type Scope,
  type ValueUse,
} from '../scope/scope.ts';
import type { QueryOptions, SelectItem, SystemQueryOptions } from '../tree/query-tree.ts';
import { asEntityType, asValueType, itemType, typeOfUse } from '../typing/expression-type.ts';

export type { Projection } from '../query/projection.ts';

/** The query options of a collection, compiled once; `run` may be called any number of times. */
export interface CompiledQuery extends Projection, FunctionCallPrefetch {
  /**
   * Applies the options to rows that have `properties`. Neither the rows nor their array are changed, and
   * an array and its rows are given back as they are where nothing is left out or added.
   */
  readonly run: (budget: RequestBudget, rows: Rows, roots?: RootValues) => Work<QueryResult>;
}

/** The query options of one entity, compiled once. */
export interface CompiledEntityQuery extends Projection, FunctionCallPrefetch {
  readonly run: (budget: RequestBudget, row: Row, roots?: RootValues) => Work<Row>;
}

/**
 * Compiles the query options of a collection of entities (OData 4.01 Part 1, 11.2).
 *
 * Throws BadRequest for an invalid name, type or value, with the option or parameter alias as target, and
 * NotImplemented for `$expand`, `$skiptoken`, `$deltatoken` and unsupported types. `outer` is the instance
 * bound to `$it` in options within `$expand`.
 */
export function compileQuery(
  model: Model,
  entityType: EntityType,
  options: QueryOptions,
  limits?: QueryLimits,
  outer?: OuterInstance,
): CompiledQuery {
  assertSupported(options, ['expand', 'skipToken', 'deltaToken']);
  assertNoneMisplaced(options, ['index', 'id'], 'a read of a collection');
  const start = startingScope(model, entityType, options, limits, outer);
  const { apply, scope, these } = applyFirst(options, start);
  const type = apply === undefined ? entityType : resultEntityType(scope);
  const accept = compileAccept(options, { ...scope, target: '$filter' });
  const order = options.orderBy && compileOrder(options.orderBy, type.key, { ...scope, target: '$orderby' });
  const { projection, extend } = project(options, type, scope);
  const pipeline = {
    apply,
    these,
    accept,
    count: options.count === true,
    order,
    page: pageOf(options),
    pace: scope.current,
    extend,
  };
  return {
    ...(apply === undefined
      ? projection
      : projectResults(projection, options, scope, { entityType, scope: start })),
    ...functionCallPrefetch(options, options.apply === undefined ? scope : start, these),
    run: (budget, rows, roots = []) =>
      scope.current.during(budget, () => withRoots(scope.roots, roots, () => runPipeline(pipeline, rows))),
  };
}

/**
 * Compiles the query options of one entity: `$select` and `$compute`. Those of collections, such as
 * `$filter` and `$top`, are a BadRequest (Part 2, 5.1).
 */
export function compileEntityQuery(
  model: Model,
  entityType: EntityType,
  options: QueryOptions,
  limits?: QueryLimits,
): CompiledEntityQuery {
  assertNoneMisplaced(options, COLLECTION_OPTIONS, 'a single entity');
  assertSupported(options, ['expand']);
  const scope = withComputed(startingScope(model, entityType, options, limits), options);
  const { projection, extend } = project(options, entityType, scope);
  const extended = (row: Row) => atOnce(() => (extend === undefined ? row : extend(row)));
  return {
    ...projection,
    needingCalls: (_, rows) => atOnce(() => rows),
    run: (budget, row, roots = []) =>
      scope.current.during(budget, () => withRoots(scope.roots, roots, () => extended(row))),
  };
}

/** The options that matter for `/$count`. */
export function countOnly({
  orderBy: _,
  skip: __,
  expand: ___,
  ...options
}: QueryOptions): Omit<QueryOptions, 'expand'> {
  assertNoneMisplaced(options, ['index', 'id', 'skipToken', 'deltaToken'], '/$count');
  return { ...options, select: [], top: 0, count: true };
}

/**
 * Compiles `/$count`: `$apply`, `$filter` and `$search` decide what is counted, `$top`, `$skip`, `$orderby`,
 * `$select` and `$expand` have no effect (Part 1, 11.2.10).
 */
export function compileCount(
  model: Model,
  entityType: EntityType,
  options: QueryOptions,
  limits?: QueryLimits,
) {
  const query = compileQuery(model, entityType, countOnly(options), limits);
  return { ...query, run: counting(query.run) };
}

/** Compiles `/$count` of a collection of values: `$filter` and `$search` decide what is counted. */
export function compileValueCount(model: Model, use: ValueUse, options: QueryOptions, limits?: QueryLimits) {
  const query = compileValueQuery(model, use, countOnly(options), limits);
  return { ...query, run: counting(query.run) };
}

function counting<Given extends readonly unknown[]>(
  run: (...given: Given) => Work<{ readonly count: number | undefined }>,
): (...given: Given) => Work<number> {
  return function* (...given) {
    const { count = 0 } = yield* run(...given);
    return count;
  };
}

function startingScope(
  model: Model,
  entityType: EntityType,
  options: QueryOptions,
  limits: QueryLimits | undefined,
  outer?: OuterInstance,
): Scope {
  const scope = createScope(bindExpression, model, asValueType(entityType), options, limits, outer);
  return { ...scope, calls: new Map() };
}

interface Applied {
  readonly apply?: CompiledTransformation['run'];
  readonly scope: Scope;
  /** The input set bound to `$these` in the other options. */
  readonly these: InputSet;
}

/** `$apply` and `$compute`, whose results all other options are about (Part 1, 11.2.1). */
function applyFirst(options: QueryOptions, start: Scope): Applied {
  if (options.apply === undefined) return amongThese(start, options);
  const { run, scope } = compileApply(options.apply, start);
  return { apply: run, ...amongThese(scope, options) };
}

function amongThese(scope: Scope, options: QueryOptions): Omit<Applied, 'apply'> {
  const these = inputSet(scope, 0);
  return { scope: withComputed({ ...scope, these }, options), these };
}

function withComputed(scope: Scope, { compute = [] }: QueryOptions): Scope {
  return { ...scope, computed: bindCompute(compute, scope) };
}

/** The functions that are called for the rows before the query runs over them. */
export interface FunctionCallPrefetch {
  readonly calls: Projection['calls'];
  /** The rows that they are called for; the others are left out whatever the functions would say. */
  readonly needingCalls: (
    budget: RequestBudget,
    rows: readonly Row[],
    roots?: RootValues,
  ) => Work<readonly Row[]>;
}

/**
 * Computed after all options are bound; `scope` is that of the entities. A total over all entities needs the
 * calls of all.
 */
function functionCallPrefetch(options: QueryOptions, scope: Scope, these: InputSet): FunctionCallPrefetch {
  const calls = callsOf(scope);
  const [first] = calls;
  if (first === undefined) return { calls, needingCalls: () => atOnce(() => []) };
  const inFilter = { ...scope, target: '$filter' };
  if (these.isAskedFor) throw notImplemented(inFilter, first.segment.position, 'a function beside $these');
  const needs = compileBeforeCalls(beforeResults(options), inFilter);
  return {
    calls,
    needingCalls(budget, rows, roots = []) {
      const { current } = scope;
      return current.during(budget, () =>
        withRoots(scope.roots, roots, () => filterRows(rows, needs, current)),
      );
    },
  };
}

/** Conditions on the fetched entities; after `$apply`, conditions refer to its results. */
function beforeResults({ filter, search, apply }: QueryOptions): Pick<QueryOptions, 'filter' | 'search'> {
  if (apply === undefined) return { ...(filter && { filter }), ...(search && { search }) };
  const [first] = apply;
  return first?.kind === 'filter' ? { filter: first.predicate } : {};
}

/** The query options of a value that is no entity: a property, or what a function returns. */
interface CompiledValueQuery {
  /** False if the query uses `now()`. */
  readonly repeatable: boolean;
  /** Returns the shown value, with its count if `$count` requests it. */
  readonly run: (budget: RequestBudget, value: Value) => Work<NestedRows>;
}

/**
 * Compiles the query options of a collection of values, or of a single structured one (Part 1, 11.2.5 and
 * 11.2.6). Paths start at the item, which `$it` and `$this` are, too. Errors are those of `compileQuery`.
 */
export function compileValueQuery(
  model: Model,
  use: ValueUse,
  options: QueryOptions,
  limits?: QueryLimits,
): CompiledValueQuery {
  assertSupported(options, ['expand'], 'a value');
  assertSupported(options, ['apply'], 'values without properties');
  assertNoneMisplaced(options, ['index', 'id', 'skipToken', 'deltaToken'], 'a value');
  const scope = createScope(bindExpression, model, itemType(typeOfUse(use)), options, limits);
  const cut = use.collection ? compileItems(options, scope) : compileSingle(options, 'a single value', scope);
  const [root] = scope.roots;
  if (root !== undefined) throw notImplemented(scope, root.variable.position, "a path from '$root'");
  const [name] = scope.related.keys();
  if (name !== undefined) throw notImplemented(scope, 0, `the use of '${name}'`);
  const { current } = scope;
  return {
    repeatable: !current.isAskedForTime,
    run: (budget, value) => current.during(budget, () => cut(value)),
  };
}

/** The type of the instances that the options behind `$apply` are about. */
function resultEntityType(scope: Scope): EntityType {
  const type = instanceType(scope);
  return asEntityType(type);
}

/** The fetched entities and their scope before `$apply`. */
interface Fetched {
  readonly entityType: EntityType;
  readonly scope: Scope;
}

/**
 * The projection of a query with `$apply`: reads what transformations need, and shows their results.
 * Preserved entities also have the selected properties.
 */
function projectResults(
  projection: Projection,
  { select }: SystemQueryOptions,
  scope: Scope,
  before: Fetched,
): Projection {
  const { selected } = projection;
  const named = new Set(select?.map(({ path: [name] }) => name));
  const isAll = select === undefined || named.has('*');
  const isShown = (name: string) =>
    selected.includes(name) || named.has(name) || (isAll && !scope.computed.has(name));
  const results = narrowed(contentOfResults(scope, isShown), select);
  const computed = new Map([...results.computed].filter(([name]) => selected.includes(name)));
  return {
    ...projection,
    ...(results.transient && fetched([], before.entityType, before.scope)),
    related: before.scope.related,
    selected: selected.filter((name) => !results.nested.has(name)),
    computed,
    exact: false,
    results,
  };
}

/** The content where `$select` names parts of the instances that others hold: `Author/LastName`. */
function narrowed(content: ResultContent, select: readonly SelectItem[] | undefined): ResultContent {
  if (select === undefined) return content;
  const nested = [...content.nested].map(
    ([name, each]) => [name, narrowedTo(each, partsOf(name, select))] as const,
  );
  return { ...content, nested: new Map(nested) };
}

/** The selected parts of a property; undefined for all of it. */
function partsOf(name: string, select: readonly SelectItem[]): readonly SelectItem[] | undefined {
  const items = select.filter(({ path }) => path[0] === name || path[0] === '*');
  const parts = items.flatMap(({ path: [, ...path], options }): readonly SelectItem[] =>
    path.length > 0 ? [{ path, options, position: 0 }] : (options?.select ?? []),
  );
  const isWhole = items.some(({ path, options }) => path.length === 1 && options?.select === undefined);
  return isWhole ? undefined : parts;
}

function narrowedTo(content: NestedContent, parts: readonly SelectItem[] | undefined): NestedContent {
  if (parts === undefined || parts.some(({ path }) => path[0] === '*')) return content;
  const names = new Set(parts.map(({ path: [name] }) => name));
  const selected = parts.map(({ path }) => path.join('/'));
  const isSelected = (path: string) => selected.some((each) => path === each || path.startsWith(`${each}/`));
  const shown = content.shown.filter((name) => names.has(name));
  const nested = new Map([...content.nested].filter(([name]) => names.has(name)));
  const paths = content.paths.includes('*')
    ? selected.filter((path) => shown.includes(path.split('/', 1)[0] ?? ''))
    : content.paths.filter(isSelected);
  return { ...content, ...narrowed({ ...content, nested }, parts), shown, paths };
}

/** Runs what needs the values, which compiled queries do not keep. */
function withRoots<Result>(
  roots: readonly BoundRoot[],
  values: RootValues,
  begin: () => Work<Result>,
): Work<Result> {
  if (roots.length === 0) return begin();
  return within(
    () => setRoots(roots, values),
    () => setRoots(roots, []),
    begin,
  );
}

function setRoots(roots: readonly BoundRoot[], values: RootValues): void {
  for (const [index, { variable }] of roots.entries()) {
    variable.cell.value = values[index] ?? null;
  }
}
