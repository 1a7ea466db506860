import { GatewayError } from '../../contract/gateway-error.ts';
import type { Row } from '../../contract/row.ts';
import { mapped } from '../../core/work.ts';
import type { EntitySet, EntityType, NavigationProperty } from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import type { CompiledExpand, Expander, ExpandLoadContext } from '../expand/bind-expand.ts';
import { compileExpand } from '../expand/expand.ts';
import { prepareRoots } from '../load/attach-related.ts';
import { assertViews } from '../load/load.ts';
import { equijoinPredicates, loadCombinations } from '../load/load-combinations.ts';
import { relatedResources } from '../load/wanted.ts';
import { type CompiledQuery, compileQuery, type Projection } from '../pipeline/compile-query.ts';
import { assertNoneMisplaced, type QueryResult } from '../query/pipeline.ts';
import type { LoadContext } from '../resource/load-context.ts';
import type { CrossjoinResource, EntityResource, ListedSet } from '../resource/resource.ts';
import type { Expression, QueryOptions, SelectItem } from '../tree/query-tree.ts';
import { combinationType } from '../typing/expression-type.ts';
import type { QuerySite } from './prepare-query.ts';

/** The query options of a cross join, compiled. */
export interface PreparedCrossjoin {
  readonly query: Projection;
  readonly expander: Expander | undefined;
  /** The type of the combinations. */
  readonly type: EntityType;
  /** Whether an entity of the set is shown, or a link to it; of what `$apply` has made of them it is not. */
  readonly isShown: (set: EntitySet) => boolean;
  readonly run: (loading: LoadContext) => Promise<QueryResult>;
  /** Adds what is expanded to the combinations that are shown. */
  readonly expand: (loading: ExpandLoadContext, rows: readonly Row[]) => Promise<readonly Row[]>;
}

export function prepareCrossjoin(
  { model, limits }: QuerySite,
  { sets }: CrossjoinResource,
  options: QueryOptions,
): PreparedCrossjoin {
  assertNoneMisplaced(options, ['index', 'id', 'deltaToken'], '$crossjoin');
  const { expand, skipToken: _, ...others } = options;
  if (options.apply === undefined) assertWholeSets(sets, options);
  const query = compileQuery(model, combinationType(sets, linkTo), others, limits.query);
  const isTransient = query.results?.transient === true;
  if (isTransient && expand !== undefined) {
    assertNoneMisplaced({ expand }, ['expand'], 'what $apply has made of the combinations');
  }
  const type = combinationType(sets, standsIn);
  const expander = compileExpand({ model, limits: limits.query, aliases: options.aliases }, type, expand);
  const selected = new Set(options.select?.flatMap(({ path }) => path) ?? ['*']);
  return {
    query,
    expander,
    type,
    isShown(set) {
      if (isTransient) return false;
      return selected.has('*') || selected.has(set.name) || expandedOf(expander, set) !== undefined;
    },
    run: prepareRun(model, { sets, query, expander }, options),
    expand: (loading, rows) => expandCombinations(loading, { type, expander }, rows),
  };
}

function prepareRun(
  model: Model,
  {
    sets,
    query,
    expander,
  }: Pick<CrossjoinResource, 'sets'> &
    Pick<PreparedCrossjoin, 'expander'> & { readonly query: CompiledQuery },
  options: QueryOptions,
): PreparedCrossjoin['run'] {
  const loadRoots = prepareRoots(model, query.roots);
  const equal = equijoinPredicates(sets, filterOfCombinations(options));
  const related = [
    ...relatedResources(query),
    ...(expander?.resources ?? []),
    ...sets.map(({ name }) => name),
  ];
  const combined = sets.map((set) => ({
    set,
    reads: query.related.get(set.name),
    expanded: expandedOf(expander, set)?.wanted,
  }));
  return async (loading) => {
    assertViews(loading, { related });
    const roots = await loadRoots(loading);
    const combinations = await loadCombinations(loading, combined, equal);
    const { budget } = loading.context;
    return budget.run(query.run(budget, combinations, roots));
  };
}

async function expandCombinations(
  loading: ExpandLoadContext,
  { type, expander }: Pick<PreparedCrossjoin, 'type' | 'expander'>,
  rows: readonly Row[],
): Promise<readonly Row[]> {
  if (expander === undefined) return rows;
  const { budget } = loading.context;
  const entities = await budget.run(mapped(rows, budget, (row) => combination(type, row)));
  return expander.expand(loading, entities);
}

/** The item of `$expand` that shows the entities of a set. */
export function expandedOf(expander: Expander | undefined, { name }: EntitySet): CompiledExpand | undefined {
  return expander?.items.find(({ bound }) => bound.navigation.name === name);
}

/** The entities of the sets stand in the rows of combinations. */
function standsIn({ name }: EntitySet): NavigationProperty['origin'] {
  return { kind: 'embedded', upstreamName: name };
}

/** The reads of a set are recorded, and loaded set by set. */
function linkTo({ name, list }: ListedSet): NavigationProperty['origin'] {
  return { kind: 'link', name, operation: list };
}

/** The condition that all combinations must pass: behind `$apply` it would be about the results. */
function filterOfCombinations({ apply, filter }: QueryOptions): Expression | undefined {
  if (apply === undefined) return filter;
  const [first] = apply;
  return first?.kind === 'filter' ? first.predicate : undefined;
}

/** Fails where something of the entities is selected, which only `$expand` can do. */
function assertWholeSets(sets: readonly EntitySet[], { select = [] }: Pick<QueryOptions, 'select'>): void {
  const names = new Set(sets.map(({ name }) => name));
  const wrong = select.find((item) => names.has(item.path[0] ?? '') && !isWhole(item));
  if (wrong !== undefined) throw wrongSelect(wrong);
}

function isWhole({ path, options }: SelectItem): boolean {
  return path.length === 1 && options === undefined;
}

function wrongSelect({ path }: SelectItem): GatewayError {
  const found = path.join('/').slice(0, 100);
  const message = `$select: expected the entity sets of the $crossjoin, found "${found}"; $expand shows properties of their entities.`;
  return new GatewayError('BadRequest', message, { target: '$select' });
}

/** The entities in it are related to nothing but by being there. */
function combination(entityType: EntityType, known: Row): EntityResource {
  return {
    kind: 'entity',
    path: '',
    url: '',
    home: undefined,
    resource: '',
    entityType,
    entitySet: undefined,
    type: entityType,
    isCast: false,
    parent: undefined,
    known,
    origin: { kind: 'embedded', property: '' },
    update: undefined,
    delete: undefined,
  };
}
