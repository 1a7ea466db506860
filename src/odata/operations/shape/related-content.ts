import type { CompiledExpand, Expander } from '../../../engine/expand/expander.ts';
import { entityTag, etagProperty } from '../../../engine/load/entity-state.ts';
import { entityUrl } from '../../../engine/resource/entity-url.ts';
import type { NavigationProperty } from '../../../model/edm.ts';
import type { Model } from '../../../model/model.ts';
import type { Expansion, WithinContent } from '../../payload/json/entity-content.ts';
import { resultExpansions } from './result-expansions.ts';
import { selectedLinks } from './selected-links.ts';
import { placeOfRelated } from './updatable-target.ts';

/** How the related entities are written that an expander adds, by the names of the navigation properties. */
export function relatedContents(model: Model, expander: Pick<Expander, 'items'> | undefined): WithinContent {
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

/** An item of `$expand`, and the complex properties that still lead to where it is expanded. */
interface PlacedItem {
  readonly path: readonly string[];
  readonly item: CompiledExpand;
}

/** How the entities of one navigation property are written. */
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
    ...placeOfRelated(navigation),
    ...selectedLinks(options, related.keys()),
    ...(all.length > 0 && { expanded: new Map(all) }),
    ...(within !== undefined && { within }),
    control: (row) => expanded.saidOf(row[navigation.name]),
  };
}

const NOTHING: NonNullable<WithinContent['expanded']> = new Map();

/** Contained entities have no URL of their own without their owner's. */
function canonicalOf({ target, entityType }: NavigationProperty): Expansion['canonical'] {
  return target === undefined ? undefined : entityUrl(target.name, entityType);
}
