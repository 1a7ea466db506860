import type { CompiledExpand, Expander } from '../../../engine/expand/expander.ts';
import { entityTag, etagProperty } from '../../../engine/load/entity-state.ts';
import { entityUrl } from '../../../engine/resource/entity-url.ts';
import type { EntityType, Model } from '../../../model/edm.ts';
import type { NavigationProperty } from '../../../model/structured-type.ts';
import type { Expansion } from '../../payload/body/entity-content.ts';
import { placeOfRelated } from './changeable-place.ts';
import { resultExpansions } from './result-expansions.ts';
import { selectedLinks } from './selected-links.ts';

/** How the related entities are written that an expander adds, by the names of the navigation properties. */
export function relatedContents(
  model: Model,
  expander: Pick<Expander, 'items'> | undefined,
): ReadonlyMap<string, Expansion> {
  const items = expander?.items ?? [];
  return new Map(items.map((item) => [item.bound.navigation.name, relatedContent(model, item)]));
}

/** How the entities of one navigation property are written. */
export function relatedContent(model: Model, expanded: CompiledExpand): Expansion {
  const { bound, type, options, query, nested } = expanded;
  const { item, navigation, target } = bound;
  const partial = query.results?.transient === true;
  const etag = partial ? undefined : etagProperty(model, type);
  const content = relatedContents(model, nested);
  const within = [...(query.results === undefined ? [] : resultExpansions(model, query.results)), ...content];
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
    ...selectedLinks(options, content.keys()),
    ...(within.length > 0 && { expanded: new Map(within) }),
    control: (row) => expanded.saidOf(row[navigation.name]),
  };
}

/** Contained entities have no URL of their own without their owner's. */
function canonicalOf({ target }: NavigationProperty, type: EntityType): Expansion['canonical'] {
  return target === undefined ? undefined : entityUrl(target, type);
}
