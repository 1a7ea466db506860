import type { EntityType, NavigationPlace, NavigationProperty } from '../../../model/edm.ts';
import { linkedInsert } from '../../../model/linked-insert.ts';
import type { Model } from '../../../model/model.ts';
import { type Annotation, type AnnotationValue, bool, record } from './csdl-annotation.ts';
import { restriction, updateMethods } from './csdl-restriction.ts';

/** What can be done by way of navigation properties, at every place below a set or a singleton. */
export function navigationRestrictions(
  model: Model,
  resource: string,
  type: EntityType,
): readonly Annotation[] {
  const own = [...type.navigationProperties.values()].filter(({ origin }) => origin.kind !== 'path');
  const places = [...model.entityTypes.values()]
    .flatMap(({ navigationProperties }) => [...navigationProperties.values()])
    .flatMap(({ origin }) => (origin.kind === 'path' ? origin.places : []))
    .filter(({ path }) => path.startsWith(`${resource}/`));
  const restricted = new Map<string, Partial<NavigationPlace>>([
    ...own.map((property) => [property.name, linkedChanges(type, property)] as const),
    ...places.map((place) => [place.path.slice(resource.length + 1), place] as const),
  ]);
  if (restricted.size === 0) return [];
  const items = [...restricted].map(([path, place]) => restrictedProperty(path, place));
  return [restriction('NavigationRestrictions', { RestrictedProperties: { kind: 'collection', items } })];
}

/** Behind a link, entities can be changed as in their set, and those of a collection created and deleted. */
function linkedChanges(owner: EntityType, navigation: NavigationProperty): Partial<NavigationPlace> {
  const { origin, target, collection } = navigation;
  const set = origin.kind === 'link' ? target : undefined;
  const insert = linkedInsert(owner, navigation);
  return { insert, update: set?.update, delete: collection ? set?.delete : undefined };
}

function restrictedProperty(path: string, place: Partial<NavigationPlace>): AnnotationValue {
  return record({
    NavigationProperty: { kind: 'navigationPath', path },
    InsertRestrictions: record({ Insertable: bool(place.insert !== undefined) }),
    UpdateRestrictions: record(updateMethods(place.update)),
    DeleteRestrictions: record({ Deletable: bool(place.delete !== undefined) }),
  });
}
