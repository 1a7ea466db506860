import { type Row, TYPE, type Value } from '../../contract/entity-source.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { EntityType, Model } from '../../model/edm.ts';
import type { NavigationProperty } from '../../model/structured-type.ts';
import type { CollectionControl } from '../payload/collection-control.ts';
import type { ContextProjection } from '../payload/context-url.ts';
import type { Expansion } from '../payload/entity-content.ts';
import { entityUrl } from '../payload/entity-url.ts';
import { compileQuery } from '../query/compile-query.ts';
import type { QueryResult } from '../query/pipeline.ts';
import type { ExpandItem, QueryOptions } from '../url/tree.ts';
import { attachDeeper } from './attach-related.ts';
import { contextProjection } from './context-projection.ts';
import type { Loading } from './load.ts';
import { findEntityType, isDerived } from './place.ts';
import { relatedResource } from './related-resource.ts';
import { entityOf, loadRelated, propertiesBehind, type Related } from './related-rows.ts';
import type { EntityResource } from './resource.ts';
import { notImplemented } from './resource-error.ts';
import { wantedFor } from './wanted.ts';

/** `$expand`, compiled: adds related entities to the entities of an answer (Part 1, 11.2.5.2). */
export interface Expander {
  /** The properties that the related entities are found by. */
  readonly properties: readonly string[];
  /** How the related entities are written. */
  readonly content: ReadonlyMap<string, Expansion>;
  /** What a context URL says of them. */
  readonly projection: ContextProjection['expand'];
  /** The entities as rows with the related entities under the names of the navigation properties. */
  readonly expand: (loading: Loading, entities: readonly EntityResource[]) => Promise<readonly Row[]>;
}

/** What names mean in `$expand`. */
interface ExpandScope {
  readonly model: Model;
  readonly aliases: QueryOptions['aliases'];
}

/** How deep `$levels=max` goes. */
const DEEPEST_LEVEL = 8;

/** Undefined where nothing is to be expanded. What cannot be is a BadRequest or NotImplemented. */
export function compileExpand(
  scope: ExpandScope,
  type: EntityType,
  items: readonly ExpandItem[] | undefined,
): Expander | undefined {
  if (items === undefined || items.length === 0) return undefined;
  const expanded = items.flatMap((item) => compileItem(scope, type, item));
  refuseDoubles(expanded);
  return {
    properties: [...new Set(expanded.flatMap(({ properties }) => properties))],
    content: new Map(expanded.map(({ navigation, content }) => [navigation.name, content])),
    projection: expanded.map(({ projection }) => projection),
    async expand(loading, entities) {
      const columns = await Promise.all(expanded.map(({ expand }) => expand(loading, entities)));
      return entities.map(({ known }, index) => {
        const added = expanded.map(
          ({ navigation }, item) => [navigation.name, columns[item]?.[index] ?? null] as const,
        );
        return { ...known, ...Object.fromEntries(added) };
      });
    },
  };
}

/** One navigation property to be expanded. */
interface Expanded {
  readonly navigation: NavigationProperty;
  readonly properties: readonly string[];
  readonly content: Expansion;
  readonly projection: ContextProjection['expand'][number];
  /** The value of the navigation property, for each of the entities. */
  readonly expand: (loading: Loading, entities: readonly EntityResource[]) => Promise<readonly Value[]>;
}

function compileItem(scope: ExpandScope, type: EntityType, item: ExpandItem): readonly Expanded[] {
  const [first = '', ...rest] = item.path;
  if (first === '*' && rest.length === 0) {
    return [...type.navigationProperties.values()].map((each) => compileNavigation(scope, type, each, item));
  }
  const owner = findEntityType(scope.model, first);
  const [name, ...more] = owner === undefined ? item.path : rest;
  const navigation = (owner ?? type).navigationProperties.get(name ?? '');
  if (owner !== undefined && !isDerived(scope.model, owner, type)) throw noNavigation(type, first);
  if (navigation === undefined) throw noNavigation(owner ?? type, item.path.join('/'));
  if (more.length > 0) throw notImplemented(`"${item.path.join('/')}" in $expand`);
  return [compileNavigation(scope, owner ?? type, navigation, item)];
}

function noNavigation({ namespace, name }: EntityType, found: string): GatewayError {
  const message = `$expand: expected a navigation property of ${namespace}.${name}, found "${found.slice(0, 100)}"`;
  return new GatewayError('BadRequest', message, { target: '$expand' });
}

function refuseDoubles(expanded: readonly Expanded[]): void {
  const names = expanded.map(({ navigation }) => navigation.name);
  const double = names.find((name, index) => names.indexOf(name) !== index);
  if (double === undefined) return;
  const message = `$expand: expected each navigation property once, found "${double}" twice`;
  throw new GatewayError('BadRequest', message, { target: '$expand' });
}

function compileNavigation(
  scope: ExpandScope,
  owner: EntityType,
  navigation: NavigationProperty,
  item: ExpandItem,
): Expanded {
  const target = scope.model.entityTypes.get(navigation.entityType);
  if (target === undefined || item.form === 'stream') throw notImplemented(`"${navigation.name}" in $expand`);
  const { expand, ...options } = item.options ?? {};
  const query = compileQuery(scope.model, target, { ...options, aliases: scope.aliases });
  const deeper = nextLevel(target, navigation, item);
  const nested = compileExpand(scope, target, [...(expand ?? []), ...deeper]);
  const counts = new WeakMap<object, CollectionControl>();
  const wanted = wantedFor(target, query, nested);
  const isReference = item.form === 'ref';
  return {
    navigation,
    properties: propertiesBehind(owner, navigation),
    content: {
      entityType: target,
      canonical: canonicalOf(navigation, target),
      computed: query.computed,
      shown: query.selected,
      counted: query.counted,
      exact: false,
      dynamic: query.dynamic,
      collection: navigation.collection,
      countOnly: item.form === 'count',
      referencesOnly: isReference,
      ...(nested !== undefined && { expanded: nested.content }),
      control: (row) => counts.get(row[navigation.name] as object) ?? {},
    },
    projection: {
      path: item.path[0] === '*' ? navigation.name : item.path.join('/'),
      recursive: deeper.length > 0,
      projection: isReference ? undefined : contextProjection(options, query, nested),
    },
    async expand(loading, entities) {
      const owners = entities.filter((entity) => hasNavigation(scope.model, entity, navigation));
      const related = await loadRelated(loading, owners, navigation, wanted);
      const results = await runForEach(loading, owners, navigation, related, query);
      const rows = await expandResults(loading, owners, navigation, results, nested);
      if (item.form === 'count' || options.count === true) {
        for (const [index, each] of rows.entries()) {
          counts.set(each, { count: results[index]?.count ?? each.length });
        }
      }
      const values = new Map(owners.map((owner, index) => [owner, rows[index] ?? []]));
      return entities.map((entity) => {
        const found = values.get(entity) ?? [];
        return navigation.collection ? found : (found[0] ?? null);
      });
    },
  };
}

/** Entities of other types than the one that has the property have nothing there. */
function hasNavigation(
  model: Model,
  { known, entityType }: EntityResource,
  { name }: NavigationProperty,
): boolean {
  const type = known[TYPE] === undefined ? entityType : model.entityTypes.get(known[TYPE]);
  return type?.navigationProperties.has(name) === true;
}

/** `$levels` expands the same again in what was expanded, as long as it has the same navigation property. */
function nextLevel(
  target: EntityType,
  { name }: NavigationProperty,
  item: ExpandItem,
): readonly ExpandItem[] {
  const levels = Math.min(item.levels ?? 1, DEEPEST_LEVEL);
  const goesOn = levels > 1 && target.navigationProperties.has(name);
  return goesOn ? [{ ...item, path: [name], levels: levels - 1 }] : [];
}

/** Options that read what is related to the related entities need that first. */
async function runForEach(
  loading: Loading,
  owners: readonly EntityResource[],
  navigation: NavigationProperty,
  related: readonly Related[],
  query: ReturnType<typeof compileQuery>,
): Promise<readonly QueryResult[]> {
  if (query.related.size === 0) return related.map((rows) => query.run(rows));
  const whole = await attachDeeper(loading, owners, related, { navigation, related: query.related });
  return whole.map((rows) => query.run(rows));
}

/** What is within the related entities of all owners is loaded together. */
async function expandResults(
  loading: Loading,
  owners: readonly EntityResource[],
  navigation: NavigationProperty,
  results: readonly QueryResult[],
  nested: Expander | undefined,
): Promise<readonly Related[]> {
  if (nested === undefined) return results.map(({ rows }) => [...rows]);
  const { model } = loading.service;
  const entities = results.flatMap(({ rows }, index) => {
    const owner = owners[index];
    if (owner === undefined || rows.length === 0) return [];
    const resource = relatedResource(model, owner, navigation);
    return rows.map((row) => entityOf(resource, row));
  });
  const expanded = (await nested.expand(loading, entities)).values();
  return results.map(({ rows }) => rows.map((row) => expanded.next().value ?? row));
}

/** Contained entities have no URL of their own without their owner's. */
function canonicalOf({ target }: NavigationProperty, type: EntityType): Expansion['canonical'] {
  return target === undefined ? undefined : (row) => entityUrl(target, type, row);
}
