import type { Row } from '../../../contract/row.ts';
import { entityTag, etagProperty } from '../../../engine/load/entity-state.ts';
import type { Prepared } from '../../../engine/read/prepare-query.ts';
import { entityUrl } from '../../../engine/resource/entity-url.ts';
import type { CollectionResource, EntityResource } from '../../../engine/resource/resource.ts';
import type { QueryOptions } from '../../../engine/tree/options-tree.ts';
import type { EntityType } from '../../../model/edm.ts';
import type { Model } from '../../../model/model.ts';
import type { WithinContent } from '../../payload/json/entity-content.ts';
import type { EntityShape } from '../../payload/json/json.ts';
import {
  type ContextFragment,
  type ContextProjection,
  contextUrl,
} from '../../payload/negotiation/context-url.ts';
import type { DataStyle } from '../protocol/data-style.ts';
import type { Service } from '../service/service.ts';
import { contextProjection } from './context-projection.ts';
import { relatedContents } from './related-content.ts';
import { resultExpansions } from './result-expansions.ts';
import { selectedLinks } from './selected-links.ts';
import { placeOfResource } from './updatable-target.ts';

/** How the rows of a query are written, given what the single request decides. */
export type ShapeOf = (style: ShapeStyle) => EntityShape;

type ShapeStyle = Pick<DataStyle, 'format' | 'version' | 'preferences' | 'principal'>;

/**
 * Made once for a query; each shape once for a format and a version. `kind` tells a new entity of a
 * collection from the whole of it.
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
    const told = format.metadata === 'full' ? visibleTo(principal) : model;
    const shapes = known.get(told) ?? new Map<string, EntityShape>();
    known.set(told, shapes);
    const context = contextUrl(root, fragment, version);
    const shape = shapes.get(key) ?? { ...content, told, contextUrl: context, format, version, omit };
    shapes.set(key, shape);
    return shape;
  };
}

/** What of a shape is the same in every format. */
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
  // Of one entity, the row may say what tag it was answered with; in a list, none has another than its property's.
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
    ...placeOfResource(resource),
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

/** What stands in other JSON, or comes from a call, has all of its properties and not just those asked for. */
function isReadForQuery({ origin }: CollectionResource | EntityResource): boolean {
  return origin.kind === 'operation' || origin.kind === 'operations';
}

/** Whether entities are told apart by their keys: a singleton and what is behind a single link are not. */
function isKeyed({ kind, entitySet, origin }: CollectionResource | EntityResource): boolean {
  if (kind === 'collection' || entitySet !== undefined) return true;
  if (origin.kind === 'member' || origin.kind === 'only') return true;
  return origin.kind === 'operation' && 'from' in origin && origin.from === 'itself';
}

function qualifiedName({ namespace, name }: EntityType): string {
  return `${namespace}.${name}`;
}

/** Undefined for entities that have no place: nothing could be asked for by their URL. */
export function canonicalUrl(
  resource: CollectionResource | EntityResource,
): ((row: Row) => string) | undefined {
  const { home, entityType, url } = resource;
  if (home === undefined) return undefined;
  return isKeyed(resource) ? entityUrl(home, entityType) : () => url;
}
