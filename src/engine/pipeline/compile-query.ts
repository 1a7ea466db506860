import type { Row } from '../../contract/row.ts';
import type { Rows } from '../../contract/rows.ts';
import { atOnce, type Work } from '../../contract/work.ts';
import type { EntityType } from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import { compileApply } from '../apply/compile-apply.ts';
import { projectResults, resultEntityType } from '../apply/project-results.ts';
import type { Step } from '../apply/step.ts';
import { inputSet } from '../bind/input-set.ts';
import type { Predicate } from '../compile/evaluator.ts';
import { compileAccept, compileBeforeCalls } from '../query/accept.ts';
import { bindCompute } from '../query/compute.ts';
import { COLLECTION_OPTIONS, refuseMisplaced, refuseUnsupported } from '../query/options.ts';
import { compileOrder } from '../query/order.ts';
import { pageOf } from '../query/page.ts';
import { countRows, filterRows, type QueryResult, runPipeline } from '../query/pipeline.ts';
import { callsOf, fetched, type Projection, project } from '../query/projection.ts';
import { type RootValues, withRoots } from '../scope/root-reads.ts';
import {
  createScope,
  type InputSet,
  notImplemented,
  type OuterInstance,
  type QueryLimits,
  type Scope,
} from '../scope/scope.ts';
import type { QueryOptions } from '../tree/options-tree.ts';
import { qualifiedName } from '../typing/model-type.ts';
import type { QueryRun } from '../values/current-run.ts';

export type { Projection } from '../query/projection.ts';

/** The query options of a collection, compiled once; `run` may be called any number of times. */
export interface CompiledQuery extends Projection, FunctionCallPrefetch {
  /**
   * Applies the options to rows that have `properties`. Neither the rows nor their array are changed, and
   * an array and its rows are given back as they are where nothing is left out or added.
   */
  readonly run: (run: QueryRun, rows: Rows, roots?: RootValues) => Work<QueryResult>;
}

/** The query options of one entity, compiled once. */
export interface CompiledEntityQuery extends Projection, FunctionCallPrefetch {
  readonly run: (run: QueryRun, row: Row, roots?: RootValues) => Work<Row>;
}

/** What `/$count` counts, compiled once. */
interface CompiledCount
  extends FunctionCallPrefetch,
    Pick<Projection, 'properties' | 'dynamic' | 'related' | 'roots' | 'repeatable'> {
  readonly run: (run: QueryRun, rows: Rows, roots?: RootValues) => Work<number>;
}

/**
 * Compiles the query options of a collection of entities (OData 4.01 Part 1, 11.2).
 *
 * A name, a type or a value that does not fit is a BadRequest whose target is the option or the parameter
 * alias; `$expand`, `$skiptoken` and `$deltatoken` are NotImplemented, as is what the model has
 * no words for. `outer` is what `$it` stands for in options within `$expand`.
 */
export function compileQuery(
  model: Model,
  entityType: EntityType,
  options: QueryOptions,
  limits?: QueryLimits,
  outer?: OuterInstance,
): CompiledQuery {
  refuseUnsupported(options, ['expand', 'skipToken', 'deltaToken']);
  refuseMisplaced(options, ['index', 'id'], 'a read of a collection');
  const start = startingScope(model, entityType, options, limits, outer);
  const { apply, scope, these } = applyFirst(options, start);
  const type = apply === undefined ? entityType : resultEntityType(scope);
  const accept = compileRowAccept(options, scope);
  const order = compileOrder(options.orderBy ?? [], type.key, { ...scope, target: '$orderby' });
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
    run: (run, rows, roots = []) =>
      scope.current.during(run, () => withRoots(scope.roots, roots, () => runPipeline(pipeline, rows))),
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
  refuseMisplaced(options, COLLECTION_OPTIONS, 'a single entity');
  refuseUnsupported(options, ['expand']);
  const scope = withComputed(startingScope(model, entityType, options, limits), options);
  const { projection, extend } = project(options, entityType, scope);
  const extended = (row: Row) => atOnce(() => (extend === undefined ? row : extend(row)));
  return {
    ...projection,
    needingCalls: (_, rows) => atOnce(() => rows),
    run: (run, row, roots = []) =>
      scope.current.during(run, () => withRoots(scope.roots, roots, () => extended(row))),
  };
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
): CompiledCount {
  refuseMisplaced(options, ['index', 'id', 'skipToken', 'deltaToken'], '/$count');
  const start = startingScope(model, entityType, options, limits);
  const { apply, scope, these } = applyFirst(options, start);
  const { current } = start;
  const accept = compileRowAccept(options, scope);
  const steps = { apply, these, accept, pace: current };
  return {
    ...fetched([], entityType, start),
    related: start.related,
    roots: start.roots.map(({ read }) => read),
    ...functionCallPrefetch(options, options.apply === undefined ? scope : start, these),
    repeatable: !current.isAskedForTime,
    run: (run, rows, roots = []) =>
      current.during(run, () => withRoots(start.roots, roots, () => countRows(steps, rows))),
  };
}

function startingScope(
  model: Model,
  entityType: EntityType,
  options: QueryOptions,
  limits: QueryLimits | undefined,
  outer?: OuterInstance,
): Scope {
  const scope = createScope(model, qualifiedName(entityType), options, limits, outer);
  return { ...scope, calls: new Map() };
}

interface Applied {
  readonly apply?: Step['run'];
  readonly scope: Scope;
  /** What `$these` stands for in the other options. */
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

/** `$search` and `$filter`, both of which a row must pass. */
function compileRowAccept(options: QueryOptions, scope: Scope): Predicate | undefined {
  return compileAccept(options, { ...scope, target: '$filter' });
}

/** The functions that are called for the rows before the query runs over them. */
interface FunctionCallPrefetch {
  readonly calls: Projection['calls'];
  /** The rows that they are called for; the others are left out whatever the functions would say. */
  readonly needingCalls: (run: QueryRun, rows: readonly Row[], roots?: RootValues) => Work<readonly Row[]>;
}

/** Known only when all options are bound; `scope` is that of the entities. What all entities come to would need the calls of all. */
function functionCallPrefetch(options: QueryOptions, scope: Scope, these: InputSet): FunctionCallPrefetch {
  const calls = callsOf(scope);
  const [first] = calls;
  if (first === undefined) return { calls, needingCalls: () => atOnce(() => []) };
  const inFilter = { ...scope, target: '$filter' };
  if (these.isAskedFor) throw notImplemented(inFilter, first.segment.position, 'a function beside $these');
  const needs = compileBeforeCalls(beforeResults(options), inFilter);
  return {
    calls,
    needingCalls(run, rows, roots = []) {
      const { current } = scope;
      return current.during(run, () => withRoots(scope.roots, roots, () => filterRows(rows, needs, current)));
    },
  };
}

/** What entities must pass in any case: behind `$apply` conditions are about its results. */
function beforeResults({ filter, search, apply }: QueryOptions): Pick<QueryOptions, 'filter' | 'search'> {
  if (apply === undefined) return { ...(filter && { filter }), ...(search && { search }) };
  const [first] = apply;
  return first?.kind === 'filter' ? { filter: first.predicate } : {};
}
