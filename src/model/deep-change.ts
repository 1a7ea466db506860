import type { EntitySet, Model } from './edm.ts';
import { equalProperties } from './equal-properties.ts';
import { addedLink } from './link-change.ts';
import type { NavigationPlace, NavigationProperty } from './structured-type.ts';

/** Whether entities behind the navigation property can be created together with one of the set (Part 1, 11.4.2.2). */
export function isInsertedDeep(model: Model, set: EntitySet, navigation: NavigationProperty): boolean {
  if (set.insert?.verbatim !== false) return false;
  return navigation.origin.kind === 'embedded' || isInsertedBehind(model, set, navigation);
}

/** Whether a change of one of the set can change what is behind the navigation property, too (Part 1, 11.4.3.1). */
export function isUpdatedDeep(model: Model, set: EntitySet, navigation: NavigationProperty): boolean {
  const { entityType: type, update } = set;
  const { origin, collection } = navigation;
  if (update === undefined) return false;
  if (origin.kind === 'embedded' || addedLink(model, { type, update, navigation }) !== undefined) return true;
  const place = origin.kind === 'link' ? targetOf(model, navigation) : placeBelow(set, navigation);
  if (place?.update !== undefined) return true;
  return collection && (place?.delete !== undefined || isInsertedBehind(model, set, navigation));
}

/** By an operation below the entity's path, or in their own set where something says whose they are. */
function isInsertedBehind(model: Model, set: EntitySet, navigation: NavigationProperty): boolean {
  if (placeBelow(set, navigation)?.insert?.verbatim === false) return true;
  const isLinked =
    navigation.addReference !== undefined || equalProperties(model, set.entityType, navigation).length > 0;
  return isLinked && targetOf(model, navigation)?.insert?.verbatim === false;
}

function placeBelow({ name }: EntitySet, navigation: NavigationProperty): NavigationPlace | undefined {
  const places = navigation.origin.kind === 'path' ? navigation.origin.places : [];
  return places.find(({ path }) => path === `${name}/${navigation.name}`);
}

function targetOf(model: Model, { target = '' }: NavigationProperty): EntitySet | undefined {
  return model.entitySets.get(target);
}
