import type { EntitySet, EntityType, NavigationPlace, NavigationProperty } from './edm.ts';
import { addedLink } from './link-change.ts';
import type { InsertOperation } from './operation.ts';
import { referentialConstraints } from './referential-constraints.ts';

/** Whether entities behind the navigation property can be created together with one of the set (Part 1, 11.4.2.2). */
export function isInsertedDeep(set: EntitySet, navigation: NavigationProperty): boolean {
  if (set.insert?.verbatim !== false) return false;
  return navigation.origin.kind === 'embedded' || isInsertedBehind(set, navigation);
}

/** Whether a change of one of the set can change what is behind the navigation property, too (Part 1, 11.4.3.1). */
export function isUpdatedDeep(set: EntitySet, navigation: NavigationProperty): boolean {
  const { entityType: type, update } = set;
  const { origin, collection } = navigation;
  if (update === undefined) return false;
  if (origin.kind === 'embedded' || addedLink({ type, update, navigation }) !== undefined) return true;
  const place = origin.kind === 'link' ? navigation.target : placeBelow(set, navigation);
  if (place?.update !== undefined) return true;
  return collection && (place?.delete !== undefined || isInsertedBehind(set, navigation));
}

/** By an operation below the entity's path, or in their own set. */
function isInsertedBehind(set: EntitySet, navigation: NavigationProperty): boolean {
  if (placeBelow(set, navigation)?.insert?.verbatim === false) return true;
  return insertInSet(set.entityType, navigation) !== undefined;
}

/** What creates related entities in their own set, where a foreign key or a link says whose they are. */
export function insertInSet(owner: EntityType, navigation: NavigationProperty): InsertOperation | undefined {
  const isLinked =
    navigation.addReference !== undefined || referentialConstraints(owner, navigation).length > 0;
  const insert = navigation.target?.insert;
  return isLinked && insert?.verbatim === false ? insert : undefined;
}

function placeBelow({ name }: EntitySet, navigation: NavigationProperty): NavigationPlace | undefined {
  const places = navigation.origin.kind === 'path' ? navigation.origin.places : [];
  return places.find(({ path }) => path === `${name}/${navigation.name}`);
}
