import type { Row } from '../../contract/row.ts';
import { mapped, type Work } from '../../core/work.ts';
import type { EntityType, NavigationProperty } from '../../model/edm.ts';
import { attachDeeper, attachRelated, attachRelatedCalls, callFor } from '../load/attach-related.ts';
import { isRowOf } from '../load/load.ts';
import { entityOf, loadRelated, type Related } from '../load/load-related.ts';
import { propertiesFor, relatedResources } from '../load/wanted.ts';
import type { QueryResult } from '../query/pipeline.ts';
import { declaredNames } from '../query/projection.ts';
import type { LoadContext } from '../resource/load-context.ts';
import { relatedResource } from '../resource/navigation-source.ts';
import type { EntityResource } from '../resource/resource.ts';
import { type OuterInstance, variableOf, withValue } from '../scope/scope.ts';
import type {
  CompiledRelated,
  Expander,
  ExpandLoadContext,
  InstanceOf,
  NestedExpander,
  NestedPage,
} from './bind-expand.ts';

/** Applies the options of an item to the related entities of each owner. */
export async function runRelated(
  loading: LoadContext,
  owners: readonly EntityResource[],
  { bound: { navigation, type, isCast }, query, outer, wanted, loadRoots }: CompiledRelated,
  instanceOf: InstanceOf,
): Promise<readonly QueryResult[]> {
  const { budget } = loading.context;
  const loaded = await loadRelated(loading, owners, navigation, wanted);
  const ofType = (rows: Related) => rows.filter((row) => isRowOf(navigation.entityType, row, type));
  const related = isCast ? await budget.run(mapped(loaded, budget, ofType)) : loaded;
  const roots = await loadRoots(loading);
  const whole = await withRelated(loading, owners, navigation, related, query);
  const about = <Result>(index: number, begin: () => Work<Result>): Work<Result> => {
    const owner = owners[index];
    return owner === undefined ? begin() : withValue(outer, instanceOf(owner), begin);
  };
  const called = await attachRelatedCalls(loading, owners, whole, {
    navigation,
    calls: query.calls,
    needing: (rows, index) => about(index, () => query.needingCalls(budget, rows, roots)),
  });
  return budget.run(results());

  function* results(): Work<readonly QueryResult[]> {
    const found: QueryResult[] = [];
    for (const [index, rows] of called.entries()) {
      const result = yield* about(index, () => query.run(budget, rows, roots));
      budget.chargeRows(result.rows.length);
      found.push(result);
      if (budget.isDue()) yield;
    }
    return found;
  }
}

/** Options that read what is related to the related entities need that first. */
async function withRelated(
  loading: LoadContext,
  owners: readonly EntityResource[],
  navigation: NavigationProperty,
  found: readonly Related[],
  { related }: CompiledRelated['query'],
): Promise<readonly Related[]> {
  return related.size === 0 ? found : attachDeeper(loading, owners, found, { navigation, related });
}

/** The shown part of a collection, with its count and next link. */
type RelatedPage = QueryResult & Pick<NestedPage, 'nextLink'>;

/** The first page of each nested collection, if the client or the model limits pages. */
export function firstPages(
  { context: { budget }, pages }: ExpandLoadContext,
  owners: readonly EntityResource[],
  compiled: CompiledRelated,
  results: readonly QueryResult[],
): Work<readonly RelatedPage[]> {
  const { collection, target } = compiled.bound.navigation;
  return mapped(results, budget, (result, index) => {
    const owner = owners[index];
    if (pages === undefined || !collection || owner === undefined) return { ...result, nextLink: undefined };
    return { ...result, ...pages.cut(result.rows, target, compiled, owner) };
  });
}

/** Loads nested expansions for the related entities of all owners together. */
export async function expandResults(
  loading: ExpandLoadContext,
  owners: readonly EntityResource[],
  { bound: { navigation }, nested }: CompiledRelated,
  results: readonly QueryResult[],
  instanceOf: InstanceOf,
): Promise<readonly Related[]> {
  const { budget } = loading.context;
  if (nested === undefined) return budget.run(mapped(results, budget, ({ rows }) => [...rows]));
  const instances = await budget.run(instancesOf(loading, owners, navigation, results, instanceOf));
  const itsInstance: InstanceOf = (entity) => instances.get(entity) ?? entity.known;
  const expanded = (await nested.expand(loading, [...instances.keys()], itsInstance)).values();
  const whole = ({ rows }: QueryResult) => rows.map((row) => expanded.next().value ?? row);
  return budget.run(mapped(results, budget, whole));
}

/** The entities that are expanded, each as often as it is related, and what `$it` is for them. */
function* instancesOf(
  { service: { model }, context: { budget } }: LoadContext,
  owners: readonly EntityResource[],
  navigation: NavigationProperty,
  results: readonly QueryResult[],
  instanceOf: InstanceOf,
): Work<ReadonlyMap<EntityResource, Row>> {
  const instances = new Map<EntityResource, Row>();
  for (const [index, { rows }] of results.entries()) {
    const owner = owners[index];
    if (owner === undefined || rows.length === 0) continue;
    const resource = relatedResource(model, owner, navigation);
    const instance = instanceOf(owner);
    for (const row of rows) {
      instances.set(entityOf(resource, row), instance);
      if (budget.isDue()) yield;
    }
  }
  return instances;
}

/** Nothing is known to be read of it before the options within `$expand` are compiled. */
export function outerInstance(type: EntityType): OuterInstance {
  return {
    variable: variableOf(type, 0),
    properties: new Set(),
    related: new Map(),
    calls: new Map(),
  };
}

/** The expander whose entities are `$it` in all options within it: they must have what those read. */
export function outermost(type: EntityType, nested: NestedExpander, outer: OuterInstance): Expander {
  const declared = declaredNames(type);
  const { properties, related } = outer;
  const read = [...properties];
  const needed = [
    ...nested.properties,
    ...read.filter((name) => declared.has(name)),
    ...propertiesFor(type, related),
  ];
  return {
    ...nested,
    properties: [...new Set(needed)],
    dynamic: read.some((name) => !declared.has(name)),
    resources: [...nested.resources, ...relatedResources({ related })],
    async expand(loading, entities) {
      return nested.expand(loading, entities, await outerInstancesOf(loading, entities, outer));
    },
  };
}

async function outerInstancesOf(
  loading: LoadContext,
  entities: readonly EntityResource[],
  { related, calls = new Map() }: OuterInstance,
): Promise<InstanceOf> {
  if (related.size === 0 && calls.size === 0) return ({ known }) => known;
  const rows = await attachRelated(loading, entities, related);
  const places = new Map(entities.map((entity, index) => [rows[index] ?? entity.known, entity]));
  const called = await callFor(loading, places, [...calls.values()]);
  const instances = new Map([...places].map(([row, entity]) => [entity, called.get(row) ?? row]));
  return (entity) => instances.get(entity) ?? entity.known;
}
