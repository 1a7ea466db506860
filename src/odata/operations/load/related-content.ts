import type { EntityType, Model } from '../../../model/edm.ts';
import type { NavigationProperty } from '../../../model/structured-type.ts';
import type { Expansion } from '../../payload/body/entity-content.ts';
import type { ContextProjection } from '../../payload/context-url.ts';
import { entityUrl } from '../../payload/entity-url.ts';
import { contextProjection } from '../context-projection.ts';
import { entityTag, etagProperty } from '../entity-tag.ts';
import type { BoundExpand } from './bind-expand.ts';
import { placeOfRelated } from './changeable-place.ts';
import type { CompiledRelated } from './expander.ts';
import { resultExpansions } from './result-expansions.ts';
import { selectedLinks } from './selected-links.ts';

/** How the related entities are written. */
export function relatedContent(
  model: Model,
  { item, navigation, target }: BoundExpand,
  { type, options, query, nested }: CompiledRelated,
): Expansion {
  const partial = isTransient(query);
  const etag = partial ? undefined : etagProperty(model, type);
  const expanded = [
    ...(query.results === undefined ? [] : resultExpansions(model, query.results)),
    ...(nested?.content ?? []),
  ];
  return {
    entityType: type,
    canonical: partial ? undefined : canonicalOf(navigation, target),
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
    ...placeOfRelated(model, navigation),
    ...selectedLinks(options, nested?.content.keys() ?? []),
    ...(expanded.length > 0 && { expanded: new Map(expanded) }),
  };
}

/** What a context URL says of them (Part 1, 10). */
export function relatedProjection(
  { item, navigation, isStar }: BoundExpand,
  { options, query, nested, goesDeeper }: CompiledRelated,
): ContextProjection['expand'][number] {
  return {
    path: isStar ? navigation.name : item.path.join('/'),
    recursive: goesDeeper,
    projection: item.form === 'ref' ? undefined : contextProjection(options, query, nested),
  };
}

/** What `$apply` makes of entities is none of them any more. */
export function isTransient({ results }: CompiledRelated['query']): boolean {
  return results?.transient === true;
}

/** Contained entities have no URL of their own without their owner's. */
function canonicalOf({ target }: NavigationProperty, type: EntityType): Expansion['canonical'] {
  return target === undefined ? undefined : entityUrl(target, type);
}
