import type { Row } from '../../contract/entity-source.ts';
import type { EntityType, Model } from '../../model/edm.ts';
import type { QueryOptions } from '../url/tree.ts';
import { compileAccept } from './accept.ts';
import { bindCompute } from './compute.ts';
import type { Predicate } from './evaluator.ts';
import { qualifiedName } from './model-type.ts';
import { beginRun } from './moment.ts';
import { COLLECTION_OPTIONS, refuseMisplaced, refuseUnsupported } from './options.ts';
import { compileOrder } from './order.ts';
import { pageOf } from './page.ts';
import { countRows, type QueryResult, runPipeline } from './pipeline.ts';
import { fetched, type Projection, project } from './projection.ts';
import { createScope, type QueryLimits, type Scope } from './scope.ts';

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
  limits?: QueryLimits,
): CompiledQuery {
  refuseUnsupported(options, ['expand', 'apply', 'skipToken', 'deltaToken']);
  refuseMisplaced(options, ['index', 'id'], 'a read of a collection');
  const scope = withComputed(createScope(model, qualifiedName(entityType), options, limits), options);
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
  limits?: QueryLimits,
): CompiledEntityQuery {
  refuseMisplaced(options, COLLECTION_OPTIONS, 'a single entity');
  refuseUnsupported(options, ['expand']);
  const scope = withComputed(createScope(model, qualifiedName(entityType), options, limits), options);
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
  limits?: QueryLimits,
): CompiledCount {
  refuseUnsupported(options, ['apply', 'skipToken', 'deltaToken']);
  refuseMisplaced(options, ['index', 'id'], '/$count');
  const scope = withComputed(createScope(model, qualifiedName(entityType), options, limits), options);
  const accept = compileRowAccept(options, scope);
  const { moment } = scope;
  return {
    ...fetched([], entityType, scope),
    related: scope.related,
    repeatable: !moment.isAskedFor,
    run: (rows) => countRows({ moment, accept }, rows),
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
