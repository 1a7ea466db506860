import type { Row } from '../../../contract/row.ts';
import type { CompiledExpand, Expander } from '../../../engine/expand/bind-expand.ts';
import { entityTag } from '../../../engine/load/entity-state.ts';
import type { Projection } from '../../../engine/pipeline/compile-query.ts';
import { countName } from '../../../engine/query/projection.ts';
import type { Prepared } from '../../../engine/read/prepare-query.ts';
import { entityUrl } from '../../../engine/resource/navigation-source.ts';
import type {
  CollectionResource,
  EntityResource,
  PlaceOperations,
} from '../../../engine/resource/resource.ts';
import type { NestedContent, ResultContent } from '../../../engine/results/result-type.ts';
import type { QueryOptions, SystemQueryOptions } from '../../../engine/tree/query-tree.ts';
import { asEntityType, qualifiedName } from '../../../engine/typing/expression-type.ts';
import {
  type EntitySet,
  type EntityType,
  etagProperty,
  isTransient,
  type NavigationProperty,
} from '../../../model/edm.ts';
import { madeOnce } from '../../../model/maps.ts';
import type { Model } from '../../../model/model.ts';
import type { EntityContent, Expansion, WithinContent } from '../../payload/json/entity-content.ts';
import type { EntityShape } from '../../payload/json/json.ts';
import {
  type ContextFragment,
  type ContextProjection,
  contextUrl,
} from '../../payload/negotiation/context-url.ts';
import type { DataStyle } from '../protocol/response.ts';
import type { Service } from '../service/service.ts';

/** Returns the serialization of a query's rows for the format of a request. */
export type ShapeOf = (style: ShapeStyle) => EntityShape;

type ShapeStyle = Pick<DataStyle, 'format' | 'version' | 'preferences' | 'principal'>;

/**
 * Built once per query, and once per format and version. `kind` separates new entities of a collection from
 * the whole collection.
 */
export function shapeOf(
  { root, model, visibleTo }: Service,
  resource: CollectionResource | EntityResource,
  options: QueryOptions,
  { query, expander }: Prepared,
  kind: 'collection' | 'entity' | 'delta' = resource.kind,
): ShapeOf {
  const fragment = contextOf(resource, kind, contextProjection(options, query, expander));
  const related = relatedContents(model, expander);
  const content = {
    ...contentOf(model, resource, query, related, kind),
    ...(expander !== undefined && { streams: expander.streams, exact: false }),
    ...selectedLinks(options, related.expanded?.keys() ?? []),
  };
  const known = new WeakMap<Model, Map<string, EntityShape>>();
  return ({ format, version, preferences, principal }) => {
    const omit = preferences.omitValues;
    const key = `${version} ${omit} ${Object.values(format).join(' ')}`;
    const visible = format.metadata === 'full' ? visibleTo(principal) : model;
    const shapes = madeOnce(known, visible, () => new Map<string, EntityShape>());
    return madeOnce(shapes, key, (): EntityShape => {
      const context = contextUrl(root, fragment, version);
      return { ...content, told: visible, contextUrl: context, format, version, omit };
    });
  };
}

/** By service, compiled query, and entity set. */
const ENTITY_SHAPES = new WeakMap<Service, WeakMap<Prepared['query'], Map<string, ShapeOf>>>();

/**
 * The shape of a single entity, cached for all entities of a set with the same query, because keys do not
 * matter.
 */
export function entityShapeOf(
  service: Service,
  entity: EntityResource,
  options: QueryOptions,
  prepared: Prepared,
): ShapeOf {
  const { entitySet, home, origin, isCast } = entity;
  const isOfSet = entitySet !== undefined && home === entitySet.name && origin.kind === 'operation';
  if (!isOfSet || prepared.expander !== undefined) return shapeOf(service, entity, options, prepared);
  const byQuery = madeOnce(
    ENTITY_SHAPES,
    service,
    () => new WeakMap<Prepared['query'], Map<string, ShapeOf>>(),
  );
  const shapes = madeOnce(byQuery, prepared.query, () => new Map<string, ShapeOf>());
  const key = isCast ? `${home}/` : home;
  return madeOnce(shapes, key, () => shapeOf(service, entity, options, prepared));
}

/** The parts of a shape that are the same in every format. */
type ShapeContent = Omit<EntityShape, 'told' | 'contextUrl' | 'format' | 'version' | 'omit'>;

function contentOf(
  model: Model,
  resource: CollectionResource | EntityResource,
  query: Prepared['query'],
  related: WithinContent,
  kind: EntityResource['kind'] | CollectionResource['kind'] | 'delta',
): ShapeContent {
  const { type: entityType } = resource;
  const { results } = query;
  const partial = results?.transient === true;
  const etag = partial ? undefined : etagProperty(entityType);
  // A single entity may have a tag from its response; entities of a list only have that of a property.
  const isTagged = etag !== undefined || kind === 'entity';
  const expanded = [
    ...(results === undefined ? [] : resultExpansions(model, results)),
    ...(related.expanded ?? []),
  ];
  return {
    model,
    entityType,
    etag: isTagged ? (row) => entityTag(row, etag) : undefined,
    canonical: partial ? undefined : canonicalUrl(resource),
    computed: query.computed,
    shown: query.selected,
    exact: query.exact && expanded.length === 0 && etag === undefined && isReadForQuery(resource),
    dynamic: query.dynamic,
    counted: query.counted,
    partial,
    ...(expanded.length > 0 && { expanded: new Map(expanded) }),
    ...(related.within !== undefined && { within: related.within }),
    ...targetOfResource(resource),
  };
}

function contextOf(
  resource: CollectionResource | EntityResource,
  kind: 'collection' | 'entity' | 'delta',
  projection: ContextProjection | undefined,
): ContextFragment {
  const { home, type, isCast } = resource;
  if (home === undefined) {
    return {
      kind: 'value',
      type: qualifiedName(type),
      collection: kind !== 'entity',
      projection,
    };
  }
  const named = { path: home, cast: isCast ? qualifiedName(type) : undefined, projection };
  if (kind !== 'entity') return { kind: kind === 'delta' ? 'delta' : 'entities', ...named };
  const isSingleton = !isKeyed(resource) && !home.includes('/');
  return { kind: isSingleton ? 'singleton' : 'entity', ...named };
}

/** Embedded entities and results of calls have all properties, not only requested ones. */
function isReadForQuery({ origin }: CollectionResource | EntityResource): boolean {
  return origin.kind === 'operation' || origin.kind === 'operations';
}

/** Whether entities have distinct keys: singletons and targets of single-valued links do not. */
function isKeyed({ kind, entitySet, origin }: CollectionResource | EntityResource): boolean {
  if (kind === 'collection' || entitySet !== undefined) return true;
  if (origin.kind === 'member' || origin.kind === 'only') return true;
  return origin.kind === 'operation' && 'from' in origin && origin.from === 'itself';
}

/** The canonical URL of an entity; undefined for entities without an addressable collection. */
export function canonicalUrl(
  resource: CollectionResource | EntityResource,
): ((row: Row) => string) | undefined {
  const { home, entityType, url } = resource;
  if (home === undefined || isTransient(entityType)) return undefined;
  return isKeyed(resource) ? entityUrl(home, entityType) : () => url;
}

/** The operations at the canonical URL of entities, for edit links. */
type UpdatableTarget = Pick<EntityContent, 'editable' | 'places'>;

type Changes = Pick<PlaceOperations, 'update' | 'delete'>;

function targetOfSet(set: EntitySet): UpdatableTarget {
  return { editable: isChangeable(set), places: [set.name] };
}

function targetOfResource(resource: CollectionResource | EntityResource): UpdatableTarget {
  if (resource.entitySet !== undefined) return targetOfSet(resource.entitySet);
  return { editable: isChangeable(changesOf(resource)), places: [resource.path] };
}

/** The operations of the entities behind a navigation property. */
function targetOfRelated({ target, origin }: NavigationProperty): UpdatableTarget {
  if (target !== undefined) return targetOfSet(target);
  const places = origin.kind === 'path' ? origin.places : [];
  return { editable: places.some(isChangeable), places: places.map(({ path }) => path) };
}

function changesOf(resource: CollectionResource | EntityResource): Changes {
  if (resource.kind === 'entity') return resource;
  return resource.origin.kind === 'operations' ? resource.origin.operations : NO_CHANGES;
}

const NO_CHANGES: Changes = { update: undefined, delete: undefined };

function isChangeable({ update, delete: remove }: Changes): boolean {
  return update !== undefined || remove !== undefined;
}

/**
 * The links and operations of full metadata that `$select` includes (Part 2, 5.1.4), with those of expanded
 * items; all without `$select`.
 */
function selectedLinks(
  { select }: Pick<SystemQueryOptions, 'select'>,
  expanded: Iterable<string>,
): Pick<EntityContent, 'links' | 'operations'> {
  if (select === undefined) return {};
  const last = select.flatMap(({ path }) => path.at(-1) ?? []);
  return { links: [...last, ...expanded], operations: last.filter((name) => name.includes('.')) };
}

/** The shapes of expanded entities, by navigation property. */
function relatedContents(model: Model, expander: Pick<Expander, 'items'> | undefined): WithinContent {
  const items = expander?.items ?? [];
  return contentsAt(items.map((item) => ({ path: item.bound.within, item })));

  function contentsAt(placed: readonly PlacedItem[]): WithinContent {
    const here = placed.filter(({ path }) => path.length === 0);
    const firsts = new Set(placed.flatMap(({ path: [first] }) => first ?? []));
    const inner = (first: string) =>
      placed.flatMap(({ path: [name, ...path], item }) => (name === first ? [{ path, item }] : []));
    const expanded = here.map(
      ({ item }) => [item.bound.navigation.name, relatedContent(model, item)] as const,
    );
    return {
      ...(expanded.length > 0 && { expanded: new Map(expanded) }),
      ...(firsts.size > 0 && {
        within: new Map([...firsts].map((first) => [first, contentsAt(inner(first))])),
      }),
    };
  }
}

/** An item of `$expand` with the rest of its path through complex properties. */
interface PlacedItem {
  readonly path: readonly string[];
  readonly item: CompiledExpand;
}

/** The shape of the entities of one navigation property. */
export function relatedContent(model: Model, expanded: CompiledExpand): Expansion {
  const { bound, type, options, query, nested } = expanded;
  const { item, navigation } = bound;
  const partial = query.results?.transient === true;
  const etag = partial ? undefined : etagProperty(type);
  const { expanded: related = NOTHING, within } = relatedContents(model, nested);
  const all = [...(query.results === undefined ? [] : resultExpansions(model, query.results)), ...related];
  return {
    entityType: type,
    canonical: partial ? undefined : canonicalOf(navigation),
    etag: etag === undefined ? undefined : (row) => entityTag(row, etag),
    computed: query.computed,
    shown: query.selected,
    counted: query.counted,
    exact: false,
    dynamic: query.dynamic,
    collection: navigation.collection,
    countOnly: item.form === 'count',
    referencesOnly: item.form === 'ref',
    partial,
    streams: nested?.streams,
    ...targetOfRelated(navigation),
    ...selectedLinks(options, related.keys()),
    ...(all.length > 0 && { expanded: new Map(all) }),
    ...(within !== undefined && { within }),
    control: (row) => expanded.informationOf(row[navigation.name]),
  };
}

const NOTHING: NonNullable<WithinContent['expanded']> = new Map();

/** Contained entities have URLs below their owner's. */
function canonicalOf({ target, entityType }: NavigationProperty): Expansion['canonical'] {
  return target === undefined || isTransient(entityType) ? undefined : entityUrl(target.name, entityType);
}

/** The shapes of instances that are nested in results of `$apply` without being expanded. */
export function resultExpansions(
  model: Model,
  { nested }: Pick<ResultContent, 'nested'>,
): ReadonlyMap<string, Expansion> {
  return new Map([...nested].map(([name, content]) => [name, expansionOf(model, name, content)]));
}

function expansionOf(model: Model, name: string, content: NestedContent): Expansion {
  const counted = countName(name);
  const { type, collection, shown, computed, transient } = content;
  const entityType = asEntityType(type);
  const set = transient ? undefined : onlySetOf(model, entityType);
  return {
    entityType,
    canonical: set && !isTransient(set.entityType) ? entityUrl(set.name, set.entityType) : undefined,
    ...(set && targetOfSet(set)),
    computed,
    shown,
    exact: false,
    partial: transient,
    collection,
    control: ({ [counted]: count }) => (typeof count === 'number' ? { count } : {}),
    expanded: resultExpansions(model, content),
  };
}

/** The entity set of a type, if there is exactly one. */
function onlySetOf({ entitySets }: Model, { name }: EntityType): EntitySet | undefined {
  const [set, other] = [...entitySets.values()].filter(({ entityType }) => entityType.name === name);
  return other === undefined ? set : undefined;
}

/** The select list of a context URL (Part 1, 10.7 to 10.10); undefined without one. */
export function contextProjection(
  { select }: Pick<SystemQueryOptions, 'select'>,
  query: Projection,
  expander: Pick<Expander, 'items'> | undefined,
): ContextProjection | undefined {
  const expand = [...resultProjections(query.results), ...(expander?.items ?? []).map(relatedProjection)];
  const selected = select === undefined || query.results?.transient ? undefined : selectList(select, query);
  const shown = selected ?? pathsOf(query.results);
  return shown === undefined && expand.length === 0 ? undefined : { select: shown, expand };
}

/**
 * The context URL of `$apply` results names their common properties (Data Aggregation 4.0, 3.1.1); for
 * unchanged entities, it names only added properties.
 */
function pathsOf(results: ResultContent | undefined): readonly string[] | undefined {
  const isWhole = results?.transient === false && results.paths.length === 1;
  return results === undefined || isWhole ? undefined : namedPaths(results);
}

/** Results without common properties are named Core.AnyStructure (Data Aggregation 4.0, 3.1.1). */
function namedPaths({ transient, paths, nested }: ResultContent): readonly string[] {
  const isNamed = !transient || paths.length > 0 || [...nested.values()].some(({ sparse }) => !sparse);
  return isNamed ? paths : ['@Core.AnyStructure'];
}

function resultProjections(results: ResultContent | undefined): ContextProjection['expand'] {
  const shared = [...(results?.nested ?? [])].filter(([, { sparse }]) => !sparse);
  return shared.map(([path, content]) => ({
    path,
    projection: { select: namedPaths(content), expand: resultProjections(content) },
  }));
}

/** The expand list of a context URL (10.9): a plus sign marks recursive levels. */
function relatedProjection({
  bound: { item, navigation, isStar },
  options,
  query,
  nested,
  deeper,
}: CompiledExpand): ContextProjection['expand'][number] {
  const own = (nested?.items ?? []).filter(({ bound }) => isStar || !deeper.includes(bound.item));
  return {
    path: isStar ? navigation.name : item.path.join('/'),
    recursive: deeper.length > 0,
    projection: item.form === 'ref' ? undefined : contextProjection(options, query, { items: own }),
  };
}

type SelectItems = NonNullable<SystemQueryOptions['select']>;

/** The select list for a value that is not an entity (10.13 to 10.16). */
export function valueProjection({
  select,
}: Pick<SystemQueryOptions, 'select'>): ContextProjection | undefined {
  return select && { select: [...new Set(select.flatMap(itemPaths))], expand: [] };
}

/** Options within an item are written as paths (10.7). */
function itemPaths({ path, options }: SelectItems[number]): readonly string[] {
  const own = path.join('/');
  return options?.select?.flatMap(itemPaths).map((inner) => `${own}/${inner}`) ?? [own];
}

/** `*` represents all declared properties. Links without values are named, too (10.7). */
function selectList(select: SelectItems, { selected, computed, results }: Projection): readonly string[] {
  const all = select.some(({ path }) => path.length === 1 && path[0] === '*');
  const shown = all ? ['*', ...computed.keys()] : selected.flatMap((name) => selectedPaths(select, name));
  return [...shown, ...withoutValues(select, [...selected, ...(results?.nested.keys() ?? [])])];
}

/** Selected navigation properties, stream properties and operations. */
function withoutValues(select: SelectItems, valued: readonly string[]): readonly string[] {
  const others = select.filter(({ path }) => {
    const name = propertyIn(path);
    return name !== '*' && (name === undefined || !valued.includes(name));
  });
  return [...new Set(others.map(({ path }) => path.join('/')))];
}

/** The paths with which a property was selected, through complex properties and casts. */
function selectedPaths(select: SelectItems, name: string): readonly string[] {
  const items = select.filter(({ path }) => propertyIn(path) === name);
  const paths = new Set(items.flatMap(itemPaths));
  return paths.size === 0 || paths.has(name) ? [name] : [...paths];
}

/** The first name after type casts. */
function propertyIn(path: readonly string[]): string | undefined {
  return path.find((segment) => !segment.includes('.'));
}
