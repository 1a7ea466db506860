import type { Row } from '../../contract/entity-source.ts';
import type { EntityType, Model } from '../../model/edm.ts';
import type { QueryOptions } from '../url/tree.ts';
import { compileAccept } from './accept.ts';
import { rowOf } from './bound-tree.ts';
import { bindCompute } from './compute.ts';
import type { Predicate } from './evaluator.ts';
import { qualifiedName } from './model-type.ts';
import { beginRun, createMoment } from './moment.ts';
import { COLLECTION_OPTIONS, refuseMisplaced, refuseUnsupported } from './options.ts';
import { compileOrder } from './order.ts';
import { pageOf } from './page.ts';
import { countRows, type QueryResult, runPipeline } from './pipeline.ts';
import { fetched, type Projection, project } from './projection.ts';
import type { Budget, Scope } from './scope.ts';

export type { Projection } from './projection.ts';

/** The query options of a collection, compiled once; `run` may be called any number of times. */
interface CompiledQuery extends Projection {
  /**
   * Applies the options to rows that have `properties`. Neither the rows nor their array are changed, and
   * both are given back as they are where nothing is left out or added.
   */
  readonly run: (rows: readonly Row[]) => QueryResult;
}

/** The query options of one entity, compiled once. */
interface CompiledEntityQuery extends Projection {
  readonly run: (row: Row) => Row;
}

/** What `/$count` counts, compiled once. */
interface CompiledCount extends Pick<Projection, 'properties' | 'dynamic' | 'related' | 'repeatable'> {
  readonly run: (rows: readonly Row[]) => number;
}

interface QueryLimits {
  /** Operators, calls and paths of one query, values of aliases and computed properties counted at each use. */
  readonly nodes: number;
}

const DEFAULT_LIMITS: QueryLimits = { nodes: 1000 };

/**
 * Compiles the query options of a collection of entities (OData 4.01 Part 1, 11.2).
 *
 * A name, a type or a value that does not fit is a BadRequest whose target is the option or the parameter
 * alias; `$expand`, `$apply`, `$skiptoken` and `$deltatoken` are NotImplemented, as is what the model has
 * no words for.
 */
export function compileQuery(
  model: Model,
  entityType: EntityType,
  options: QueryOptions,
  limits: QueryLimits = DEFAULT_LIMITS,
): CompiledQuery {
  refuseUnsupported(options, ['expand', 'apply', 'skipToken', 'deltaToken']);
  refuseMisplaced(options, ['index', 'id'], 'a read of a collection');
  const scope = withComputed(createScope(model, entityType, options, limits), options);
  const accept = compileRowAccept(options, scope);
  const order = compileOrder(options.orderBy ?? [], entityType.key, { ...scope, target: '$orderby' });
  const { projection, extend } = project(options, entityType, scope);
  const pipeline = {
    moment: scope.moment,
    accept,
    count: options.count === true,
    order,
    page: pageOf(options),
    extend,
  };
  return { ...projection, run: (rows) => runPipeline(pipeline, rows) };
}

/**
 * Compiles the query options of one entity: `$select` and `$compute`. Those of collections, such as
 * `$filter` and `$top`, are a BadRequest (Part 2, 5.1).
 */
export function compileEntityQuery(
  model: Model,
  entityType: EntityType,
  options: QueryOptions,
  limits: QueryLimits = DEFAULT_LIMITS,
): CompiledEntityQuery {
  refuseMisplaced(options, COLLECTION_OPTIONS, 'a single entity');
  refuseUnsupported(options, ['expand']);
  const scope = withComputed(createScope(model, entityType, options, limits), options);
  const { projection, extend } = project(options, entityType, scope);
  return { ...projection, run: (row) => extendEntity(row, scope, extend) };
}

/**
 * Compiles `/$count`: `$filter` and `$search` decide what is counted, `$top`, `$skip`, `$orderby`,
 * `$select` and `$expand` have no effect (Part 1, 11.2.10).
 */
export function compileCount(
  model: Model,
  entityType: EntityType,
  options: QueryOptions,
  limits: QueryLimits = DEFAULT_LIMITS,
): CompiledCount {
  refuseUnsupported(options, ['apply', 'skipToken', 'deltaToken']);
  refuseMisplaced(options, ['index', 'id'], '/$count');
  const scope = withComputed(createScope(model, entityType, options, limits), options);
  const accept = compileRowAccept(options, scope);
  const { moment } = scope;
  return {
    ...fetched([], entityType, scope),
    related: scope.related,
    repeatable: !moment.isAskedFor,
    run: (rows) => countRows({ moment, accept }, rows),
  };
}

function createScope(model: Model, type: EntityType, options: QueryOptions, limits: QueryLimits): Scope {
  const budget: Budget = { limit: limits.nodes, used: 0 };
  const row = rowOf(qualifiedName(type));
  return {
    model,
    instance: row,
    it: row,
    variables: new Map(),
    aliases: options.aliases,
    computed: new Map(),
    target: '$compute',
    openAliases: [],
    reads: new Set(),
    related: new Map(),
    budget,
    moment: createMoment(),
  };
}

function withComputed(scope: Scope, { compute = [] }: QueryOptions): Scope {
  return { ...scope, computed: bindCompute(compute, scope) };
}

/** `$search` and `$filter`, both of which a row must pass. */
function compileRowAccept(options: QueryOptions, scope: Scope): Predicate | undefined {
  return compileAccept(options, { ...scope, target: '$filter' });
}

function extendEntity(row: Row, { moment }: Scope, extend: ((row: Row) => Row) | undefined): Row {
  beginRun(moment);
  return extend === undefined ? row : extend(row);
}
