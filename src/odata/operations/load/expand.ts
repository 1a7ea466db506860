import { type Row, TYPE, type Value } from '../../../contract/entity-source.ts';
import type { EntityType, Model } from '../../../model/edm.ts';
import { relatedResourceName } from '../../../model/resource-grants.ts';
import type { NavigationProperty } from '../../../model/structured-type.ts';
import type { Expansion } from '../../payload/body/entity-content.ts';
import type { ContextProjection } from '../../payload/context-url.ts';
import { entityUrl } from '../../payload/entity-url.ts';
import type { CollectionControl } from '../../payload/json/collection-control.ts';
import type { RootValues } from '../../query/bind/root-reads.ts';
import { compileQuery } from '../../query/compile/compile-query.ts';
import { COLLECTION_OPTIONS, refuseMisplaced } from '../../query/options.ts';
import type { QueryResult } from '../../query/pipeline.ts';
import type { ExpandItem, QueryOptions } from '../../url/tree.ts';
import { contextProjection } from '../context-projection.ts';
import { entityTag, etagProperty } from '../entity-tag.ts';
import type { Limits } from '../limits.ts';
import { isDerived } from '../resource/place.ts';
import { relatedResource } from '../resource/related-resource.ts';
import type { EntityResource } from '../resource/resource.ts';
import { notImplemented } from '../resource/resource-error.ts';
import { attachDeeper } from './attach-related.ts';
import { type BoundExpand, bindExpand } from './bind-expand.ts';
import type { Loading } from './load.ts';
import { prepareRoots } from './load-roots.ts';
import { entityOf, loadRelated, propertiesBehind, type Related } from './related-rows.ts';
import { resultExpansions } from './result-expansions.ts';
import { wantedFor } from './wanted.ts';

/** `$expand`, compiled: adds related entities to the entities of an answer (Part 1, 11.2.5.2). */
export interface Expander {
  /** The properties that the related entities are found by. */
  readonly properties: readonly string[];
  /** The resources that the related entities are of, and whatever else is read for them. */
  readonly resources: readonly string[];
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
  readonly limits: Limits;
  readonly aliases: QueryOptions['aliases'];
}

/** How deep `$levels=max` goes. */
const DEEPEST_LEVEL = 8;

/** The same for `*`, which multiplies at each level; the parser takes no higher number. */
const DEEPEST_STAR = 4;

/** Undefined where nothing is to be expanded. What cannot be is a BadRequest or NotImplemented. */
export function compileExpand(
  scope: ExpandScope,
  type: EntityType,
  items: readonly ExpandItem[] | undefined,
): Expander | undefined {
  if (items === undefined || items.length === 0) return undefined;
  const expanded = bindExpand(scope.model, type, items).map((bound) => compileNavigation(scope, bound));
  return {
    properties: [...new Set(expanded.flatMap(({ properties }) => properties))],
    resources: expanded.flatMap(({ resources }) => resources),
    content: new Map(expanded.map(({ navigation, content }) => [navigation.name, content])),
    projection: expanded.map(({ projection }) => projection),
    async expand(loading, entities) {
      const columns = await Promise.all(expanded.map(({ expand }) => expand(loading, entities)));
      return entities.map(({ known }, index) => {
        const added = expanded.flatMap(({ navigation }, item) => {
          const value = columns[item]?.[index];
          return value === undefined ? [] : [[navigation.name, value] as const];
        });
        return { ...known, ...Object.fromEntries(added) };
      });
    },
  };
}

/** One navigation property to be expanded. */
interface Expanded {
  readonly navigation: NavigationProperty;
  readonly properties: readonly string[];
  readonly resources: readonly string[];
  readonly content: Expansion;
  readonly projection: ContextProjection['expand'][number];
  /** The value of the navigation property, for each of the entities; undefined for those that have none. */
  readonly expand: (
    loading: Loading,
    entities: readonly EntityResource[],
  ) => Promise<readonly (Value | undefined)[]>;
}

function compileNavigation(scope: ExpandScope, bound: BoundExpand): Expanded {
  const { model, limits, aliases } = scope;
  const { item, owner, navigation, target, cast } = bound;
  const type = cast ?? target;
  const { expand, ...options } = item.options ?? {};
  if (!navigation.collection) {
    refuseMisplaced(options, COLLECTION_OPTIONS, `the single-valued "${navigation.name}" in $expand`);
  }
  const query = compileQuery(model, type, { ...options, aliases }, limits.query);
  if (query.calls.length > 0) throw notImplemented('A function in an expression within $expand');
  const loadRoots = prepareRoots(model, query.roots);
  const deeper = nextLevel(bound);
  const isTransient = query.results?.transient === true;
  if (isTransient && expand !== undefined) {
    refuseMisplaced({ expand }, ['expand'], `what $apply has made of "${navigation.name}"`);
  }
  const nested = compileExpand(scope, type, [...(expand ?? []), ...deeper]);
  const counts = new WeakMap<object, CollectionControl>();
  const wanted = wantedFor(model, type, query, nested);
  const etag = isTransient ? undefined : etagProperty(model, type);
  const expanded = [
    ...(query.results === undefined ? [] : resultExpansions(model, query.results)),
    ...(nested?.content ?? []),
  ];
  const isReference = item.form === 'ref';
  return {
    navigation,
    properties: propertiesBehind(owner, navigation),
    resources: [relatedResourceName(navigation) ?? [], wanted.related ?? []].flat(),
    content: {
      entityType: type,
      canonical: isTransient ? undefined : canonicalOf(navigation, target),
      etag: etag === undefined ? undefined : (row) => entityTag(row, etag),
      computed: query.computed,
      shown: query.selected,
      counted: query.counted,
      exact: false,
      dynamic: query.dynamic,
      collection: navigation.collection,
      countOnly: item.form === 'count',
      referencesOnly: isReference,
      partial: isTransient,
      ...(expanded.length > 0 && { expanded: new Map(expanded) }),
      control: (row) => counts.get(row[navigation.name] as object) ?? {},
    },
    projection: {
      path: bound.isStar ? navigation.name : item.path.join('/'),
      recursive: deeper.length > 0,
      projection: isReference ? undefined : contextProjection(options, query, nested),
    },
    async expand(loading, entities) {
      const owners = entities.filter((entity) => isOfType(model, entity, owner));
      const loaded = await loadRelated(loading, owners, navigation, wanted);
      const related =
        cast === undefined ? loaded : loaded.map((rows) => rowsOfType(model, rows, target, cast));
      const results = await runForEach(loading, owners, navigation, related, query, await loadRoots(loading));
      const rows = await expandResults(loading, owners, navigation, results, nested);
      if (item.form === 'count' || options.count === true) {
        for (const [index, each] of rows.entries()) {
          counts.set(each, { count: results[index]?.count ?? each.length });
        }
      }
      const values = new Map(owners.map((owner, index) => [owner, rows[index] ?? []]));
      return entities.map((entity) => {
        const found = values.get(entity);
        return navigation.collection || found === undefined ? found : (found[0] ?? null);
      });
    },
  };
}

/** Entities of other types than the one that has the property have nothing there. */
function isOfType(model: Model, { known, entityType }: EntityResource, owner: EntityType): boolean {
  const type = known[TYPE] === undefined ? entityType : model.entityTypes.get(known[TYPE]);
  return type !== undefined && isDerived(model, type, owner);
}

function rowsOfType(model: Model, rows: Related, declared: EntityType, cast: EntityType): Related {
  return rows.filter((row) => {
    const type = row[TYPE] === undefined ? declared : model.entityTypes.get(row[TYPE]);
    return type !== undefined && isDerived(model, type, cast);
  });
}

/** `$levels` expands the same again in what was expanded, as long as it has the same navigation property. */
function nextLevel({ item, isStar, target, cast, navigation }: BoundExpand): readonly ExpandItem[] {
  const { levels = 1 } = item;
  const left = Math.min(levels, isStar ? DEEPEST_STAR : DEEPEST_LEVEL) - 1;
  if (left < 1) return [];
  if (isStar) return [{ ...item, levels: left }];
  const goesOn = (cast ?? target).navigationProperties.has(navigation.name);
  return goesOn ? [{ ...item, path: [navigation.name], levels: left }] : [];
}

/** Options that read what is related to the related entities need that first. */
async function runForEach(
  loading: Loading,
  owners: readonly EntityResource[],
  navigation: NavigationProperty,
  related: readonly Related[],
  query: ReturnType<typeof compileQuery>,
  roots: RootValues,
): Promise<readonly QueryResult[]> {
  if (query.related.size === 0) return related.map((rows) => query.run(rows, roots));
  const whole = await attachDeeper(loading, owners, related, { navigation, related: query.related });
  return whole.map((rows) => query.run(rows, roots));
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
  return target === undefined ? undefined : entityUrl(target, type);
}
