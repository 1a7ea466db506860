import type { Row } from '../../contract/row.ts';
import { mapped, type RequestBudget, type Work } from '../../contract/work.ts';
import { type EntityType, etagProperty, type NavigationProperty, withDerivedTypes } from '../../model/edm.ts';
import type { Projection } from '../pipeline/compile-query.ts';
import type { Loading, Wanted } from '../resource/loading.ts';
import { relatedResource } from '../resource/navigation-source.ts';
import type { EntityResource } from '../resource/resource.ts';
import type { FunctionCall, RelatedReads } from '../scope/bound-tree.ts';
import { callFor } from './attach-calls.ts';
import { relatedResources } from './load.ts';
import { entityOf, loadRelated, propertiesBehind, type Related } from './related-rows.ts';

/** What options read of related entities, by the name of the navigation property. */
export type Reads = ReadonlyMap<string, RelatedReads>;

/** The properties that the related entities are found by. */
export function propertiesFor(type: EntityType, related: Reads): readonly string[] {
  return [...related.values()].flatMap(({ navigation }) => propertiesBehind(type, navigation));
}

/**
 * The entities as rows that have what options read of the related entities, under the names of the
 * navigation properties: `$filter=Author/Name eq 'x'` is decided before anything is left out.
 */
export async function attachRelated(
  loading: Loading,
  entities: readonly EntityResource[],
  related: Reads,
): Promise<readonly Row[]> {
  const columns = await Promise.all(
    [...related.values()].map((reads) => attachOne(loading, entities, reads)),
  );
  const { budget } = loading.context;
  const withAdded = ({ known }: EntityResource, index: number): Row => {
    const added = [...related.keys()].map(
      (name, column) => [name, columns[column]?.[index] ?? null] as const,
    );
    return { ...known, ...Object.fromEntries(added) };
  };
  return budget.run(mapped(entities, budget, withAdded));
}

async function attachOne(
  loading: Loading,
  owners: readonly EntityResource[],
  reads: RelatedReads,
): Promise<readonly (readonly Row[] | Row | null)[]> {
  const { navigation, related } = reads;
  const found = await loadRelated(loading, owners, navigation, wantedOf(reads));
  const calls = [...(reads.calls?.values() ?? [])];
  const called = await attachRelatedCalls(loading, owners, navigation, found, calls);
  const whole = related.size === 0 ? called : await attachDeeper(loading, owners, called, reads);
  if (navigation.collection) return whole;
  const { budget } = loading.context;
  return budget.run(mapped(whole, budget, ([row]) => row ?? null));
}

function wantedOf({ navigation, properties, related, calls }: RelatedReads): Wanted {
  const type = navigation.entityType;
  const key = calls?.size ? type.key : [];
  return wantedNames(type, [...key, ...properties, ...propertiesFor(type, related)]);
}

type DeeperReads = Pick<RelatedReads, 'navigation'> & { readonly related: Reads };

/** What is related to the related entities is loaded for all of them together. */
export async function attachDeeper(
  loading: Loading,
  owners: readonly EntityResource[],
  found: readonly (readonly Row[])[],
  { navigation, related }: DeeperReads,
): Promise<readonly (readonly Row[])[]> {
  const { budget } = loading.context;
  // Rows that several owners share, as those behind long paths are, are the same entities.
  const entities = await relatedEntities(loading, owners, navigation, found);
  const attached = await attachRelated(loading, [...entities.values()], related);
  const whole = new Map<Row, Row>();
  const note = (row: Row, index: number): void => {
    whole.set(row, attached[index] ?? row);
  };
  await budget.run(mapped(entities.keys(), budget, note));
  return budget.run(replaced(budget, found, whole));
}

/** The related entities of each owner with what functions return for those of them that need it. */
export async function attachRelatedCalls(
  loading: Loading,
  owners: readonly EntityResource[],
  navigation: NavigationProperty,
  found: readonly Related[],
  calls: readonly FunctionCall[],
  needing?: (rows: Related, index: number) => Work<Related>,
): Promise<readonly Related[]> {
  if (calls.length === 0) return found;
  const { budget } = loading.context;
  const needed = needing === undefined ? found : await budget.run(eachOf(found, needing));
  const entities = await relatedEntities(loading, owners, navigation, needed);
  const called = await callFor(loading, entities, calls);
  return budget.run(replaced(budget, found, called));
}

function* eachOf(
  found: readonly Related[],
  needing: (rows: Related, index: number) => Work<Related>,
): Work<readonly Related[]> {
  const needed: Related[] = [];
  for (const [index, rows] of found.entries()) needed.push(yield* needing(rows, index));
  return needed;
}

/** Where the related entities of each of the owners are; a row that several of them have is there once. */
function relatedEntities(
  { service: { model }, context: { budget } }: Loading,
  owners: readonly EntityResource[],
  navigation: NavigationProperty,
  found: readonly Related[],
): Promise<ReadonlyMap<Row, EntityResource>> {
  return budget.run(collected());

  function* collected(): Work<ReadonlyMap<Row, EntityResource>> {
    const entities = new Map<Row, EntityResource>();
    for (const [index, rows] of found.entries()) {
      const owner = owners[index];
      if (owner === undefined || rows.length === 0) continue;
      const resource = relatedResource(model, owner, navigation);
      for (const row of rows) {
        entities.set(row, entityOf(resource, row));
        if (budget.isDue()) yield;
      }
    }
    return entities;
  }
}

/**
 * Related entities with other rows in the place of some. Each owner has lists of its own then, whose rows are
 * charged.
 */
function* replaced(
  budget: RequestBudget,
  found: readonly Related[],
  others: ReadonlyMap<Row, Row>,
): Work<readonly Related[]> {
  const lists: Related[] = [];
  for (const rows of found) {
    budget.chargeRows(rows.length);
    lists.push(rows.map((row) => others.get(row) ?? row));
    if (budget.isDue()) yield;
  }
  return lists;
}

type Reading = Pick<Projection, 'properties' | 'dynamic' | 'related'> & Partial<Pick<Projection, 'roots'>>;

/** What expanding takes of the entities that are expanded. */
interface ExpandedReads {
  readonly properties: readonly string[];
  readonly resources: readonly string[];
  readonly dynamic?: boolean;
}

/** What is to be loaded for options, to find related entities by, and for the ETag. */
export function wantedFor(type: EntityType, query: Reading, expander?: ExpandedReads): Wanted {
  const { properties, dynamic, related, roots = [] } = query;
  const etag = etagProperty(type);
  if (expander === undefined && related.size === 0 && roots.length === 0 && etag === undefined)
    return { properties, dynamic };
  const behind = [
    ...propertiesFor(type, related),
    ...(expander?.properties ?? []),
    ...(etag === undefined ? [] : [etag]),
  ];
  const resources = [...relatedResources(query), ...(expander?.resources ?? [])];
  return {
    properties: [...new Set([...properties, ...behind])],
    dynamic: dynamic || expander?.dynamic === true,
    related: [...new Set(resources)],
  };
}

/** What is wanted where options read those names: declared properties, and whether others are asked for, too. */
export function wantedNames(
  type: EntityType,
  names: Iterable<string>,
): Pick<Wanted, 'properties' | 'dynamic'> {
  const declared = new Set(
    withDerivedTypes(type).flatMap(({ structuralProperties, navigationProperties }) => [
      ...structuralProperties.keys(),
      ...navigationProperties.keys(),
    ]),
  );
  const all = [...new Set(names)];
  const properties = all.filter((name) => declared.has(name));
  return { properties, dynamic: properties.length < all.length };
}
