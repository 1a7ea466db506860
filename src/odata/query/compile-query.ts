import type { Row } from '../../contract/entity-source.ts';
import type { EntityType, Model } from '../../model/edm.ts';
import { readableProperties } from '../../model/readable-property.ts';
import type { QueryOptions } from '../url/tree.ts';
import { compileAccept } from './accept.ts';
import { type BoundVariable, rowOf, variableOf } from './bound-tree.ts';
import { bindCompute } from './compute.ts';
import { compileParts, compileUndeclared, enterRow } from './cut.ts';
import type { Predicate } from './evaluator.ts';
import { compileExtension, type Part } from './extension.ts';
import { type ModelType, qualifiedName, withDerivedTypes } from './model-type.ts';
import { beginRun, createMoment } from './moment.ts';
import { COLLECTION_OPTIONS, refuseMisplaced, refuseUnsupported } from './options.ts';
import { compileOrder } from './order.ts';
import { pageOf } from './page.ts';
import { countRows, type QueryResult, runPipeline } from './pipeline.ts';
import type { RelatedReads } from './related-reads.ts';
import type { Budget, ComputedProperty, Scope, ValueUse } from './scope.ts';
import { bindSelect, type Selection } from './select.ts';

/** What a query reads and shows. */
export interface Projection {
  /** The properties to fetch: those shown, those that options read, and the key, in the model's order. */
  readonly properties: readonly string[];
  /** Undeclared properties of an open type are to be fetched, too: they are shown, or an option reads one. */
  readonly dynamic: boolean;
  /** What options read of related entities: rows must have those under the navigation properties' names. */
  readonly related: ReadonlyMap<string, RelatedReads>;
  /** The names that the answer shows: properties in the model's order, then computed ones. */
  readonly selected: readonly string[];
  /** What the computed properties that the answer shows hold. */
  readonly computed: ReadonlyMap<string, ValueUse>;
  /** Collections whose number of items, before `$top` and `$skip` in `$select`, rows have as `Name@count`. */
  readonly counted: readonly string[];
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

interface Projected {
  readonly projection: Projection;
  readonly extend: ((row: Row) => Row) | undefined;
}

function project({ select }: QueryOptions, type: EntityType, scope: Scope): Projected {
  const inSelect = { ...scope, target: '$select' };
  const selection = bindSelect(select, type, scope.computed, inSelect);
  const shown = new Map([...scope.computed].filter(([name]) => selection.names.includes(name)));
  for (const name of [...shown.values()].flatMap(({ reads }) => [...reads])) {
    scope.reads.add(name);
  }
  // Bound before the properties are known: what the parts read of the row must be fetched, too.
  const it = variableOf(scope.it.type, 0);
  const parts = compileParts(selection, type, { ...inSelect, it });
  const read = fetched(selection.names, type, scope);
  const projection = {
    properties: read.properties,
    dynamic: read.dynamic || (selection.dynamic && isOpen(type, scope)),
    related: scope.related,
    selected: selection.names,
    computed: new Map([...shown].map(([name, { use }]) => [name, use])),
    counted: parts.filter(({ count }) => count !== undefined).map(({ name }) => name),
    exact: scope.related.size === 0 && read.properties.every((name) => selection.names.includes(name)),
    repeatable: !scope.moment.isAskedFor,
  };
  return { projection, extend: extension(projection, selection, shown, parts, it) };
}

/** What is to be fetched: what is shown, what options read, and the key. */
function fetched(selected: readonly string[], type: EntityType, scope: Scope) {
  const { model, reads } = scope;
  const needed = new Set([...selected, ...reads, ...type.key]);
  const declared = new Set(withDerivedTypes(model, type).flatMap(namesOf));
  const computed = scope.computed;
  return {
    properties: [...declared].filter((name) => needed.has(name)),
    dynamic: [...selected, ...reads].some((name) => !declared.has(name) && !computed.has(name)),
  };
}

/** Properties, and navigation properties whose entities stand in the row. */
function namesOf(type: ModelType): readonly string[] {
  const embedded = [...type.navigationProperties.values()].filter(({ origin }) => origin.kind === 'embedded');
  return [...readableProperties(type).keys(), ...embedded.map(({ name }) => name)];
}

function isOpen(type: EntityType, { model }: Scope): boolean {
  return withDerivedTypes(model, type).some(({ open }) => open);
}

/** What makes an answer's rows of fetched ones; undefined where they are the same. */
function extension(
  { properties, dynamic }: Projection,
  selection: Selection,
  shown: ReadonlyMap<string, ComputedProperty>,
  parts: readonly Part[],
  it: BoundVariable,
): ((row: Row) => Row) | undefined {
  const drop = dynamic ? compileUndeclared(selection, new Set(properties)) : undefined;
  if (shown.size === 0 && parts.length === 0) return drop;
  const extend = compileExtension(shown, parts);
  return (row) => {
    const extended = extend(enterRow(it, row));
    return drop === undefined ? extended : drop(extended);
  };
}

function extendEntity(row: Row, { moment }: Scope, extend: ((row: Row) => Row) | undefined): Row {
  beginRun(moment);
  return extend === undefined ? row : extend(row);
}
