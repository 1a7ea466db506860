import type { Row } from '../../contract/entity-source.ts';
import type { EntityType, Model, PrimitiveTypeName } from '../../model/edm.ts';
import { readableProperties } from '../../model/readable-property.ts';
import type { QueryOptions } from '../url/tree.ts';
import { bindCondition } from './bind.ts';
import { compileTrue } from './compile.ts';
import { bindCompute, compileExtension, computedType } from './compute.ts';
import type { Predicate } from './evaluator.ts';
import { beginRun, createMoment } from './moment.ts';
import { refuseMisplaced, refuseUnsupported } from './options.ts';
import { compileOrder } from './order.ts';
import { pageOf } from './page.ts';
import { countRows, type QueryResult, runPipeline } from './pipeline.ts';
import type { Budget, Scope } from './scope.ts';
import { compileSearch, searchedProperties } from './search.ts';
import { bindSelect } from './select.ts';

/** What a query reads and shows. */
export interface Projection {
  /** The properties to fetch: those shown, those that options read, and the key, in the model's order. */
  readonly properties: readonly string[];
  /** Undeclared properties of an open type are to be fetched, too: they are shown, or an option reads one. */
  readonly dynamic: boolean;
  /** The names that the answer shows: properties in the model's order, then computed ones. */
  readonly selected: readonly string[];
  /** The types of the computed properties that the answer shows. */
  readonly computed: ReadonlyMap<string, PrimitiveTypeName>;
  /** The rows that come out have the selected properties, in that order, and no others. */
  readonly exact: boolean;
  /** The same rows have the same answer at any time; false where the query asks for `now()`. */
  readonly repeatable: boolean;
}

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
interface CompiledCount extends Pick<Projection, 'properties' | 'dynamic' | 'repeatable'> {
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
  const accept = compileAccept(options, scope);
  const order = compileOrder(options.orderBy ?? [], { ...scope, target: '$orderby' });
  const projection = project(options, scope);
  const pipeline = {
    moment: scope.moment,
    accept,
    count: options.count === true,
    order,
    page: pageOf(options),
    extend: extension(projection, scope),
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
  const projection = project(options, scope);
  const extend = extension(projection, scope);
  return { ...projection, run: (row) => extendEntity(row, scope, extend) };
}

const COLLECTION_OPTIONS = [
  'filter',
  'orderBy',
  'search',
  'top',
  'skip',
  'count',
  'apply',
  'index',
  'id',
  'skipToken',
  'deltaToken',
] as const;

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
  const accept = compileAccept(options, scope);
  const { moment } = scope;
  return {
    properties: fetched([], scope),
    dynamic: false,
    repeatable: !moment.isAskedFor,
    run: (rows) => countRows({ moment, accept }, rows),
  };
}

function createScope(
  model: Model,
  entityType: EntityType,
  options: QueryOptions,
  limits: QueryLimits,
): Scope {
  const budget: Budget = { limit: limits.nodes, used: 0 };
  return {
    model,
    entityType,
    aliases: options.aliases,
    computed: new Map(),
    target: '$compute',
    openAliases: [],
    reads: new Set(),
    budget,
    moment: createMoment(),
  };
}

function withComputed(scope: Scope, { compute = [] }: QueryOptions): Scope {
  return { ...scope, computed: bindCompute(compute, scope) };
}

/** `$search` and `$filter`, both of which a row must pass. */
function compileAccept({ filter, search }: QueryOptions, scope: Scope): Predicate | undefined {
  const found = search && compileSearch(search, searched(scope));
  const accepted = filter && compileTrue(bindCondition(filter, { ...scope, target: '$filter' }));
  return found === undefined || accepted === undefined
    ? (found ?? accepted)
    : (row) => accepted(row) && found(row);
}

function searched({ entityType, reads }: Scope): readonly string[] {
  const names = searchedProperties(entityType);
  for (const name of names) {
    reads.add(name);
  }
  return names;
}

function project({ select }: QueryOptions, scope: Scope): Projection {
  const selected = bindSelect(select, { ...scope, target: '$select' });
  const shown = [...scope.computed].filter(([name]) => selected.includes(name));
  for (const name of shown.flatMap(([, { reads }]) => [...reads])) {
    scope.reads.add(name);
  }
  const properties = fetched(selected, scope);
  const computed = new Map(shown.map(([name, property]) => [name, computedType(property)]));
  return {
    properties,
    dynamic: false,
    selected,
    computed,
    exact: properties.every((name) => selected.includes(name)),
    repeatable: !scope.moment.isAskedFor,
  };
}

function fetched(selected: readonly string[], { entityType, reads }: Scope): readonly string[] {
  const needed = new Set([...selected, ...reads, ...entityType.key]);
  return [...readableProperties(entityType).keys()].filter((name) => needed.has(name));
}

function extension({ computed }: Projection, scope: Scope): ((row: Row) => Row) | undefined {
  const shown = [...scope.computed].filter(([name]) => computed.has(name));
  return shown.length === 0 ? undefined : compileExtension(new Map(shown));
}

function extendEntity(row: Row, { moment }: Scope, extend: ((row: Row) => Row) | undefined): Row {
  beginRun(moment);
  return extend === undefined ? row : extend(row);
}
