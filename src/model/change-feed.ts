import type { EntitySet, EntityType, NavigationProperty } from './edm.ts';
import { referentialConstraints } from './link-change.ts';
import type { ChangesOperation } from './operation.ts';

/** The operation that reports the changes of an entity set. */
export interface ChangeFeed {
  readonly set: EntitySet;
  readonly operation: ChangesOperation;
}

export function changeFeed(set: EntitySet | undefined): ChangeFeed | undefined {
  return set?.changes && { set, operation: set.changes };
}

/**
 * The feeds that, together with the owner's, report every change behind a navigation property: of the related
 * entities and of the links. Undefined if some changes are in no feed. A feed reports links if they follow
 * from properties of one of the two entities, or are part of the owner's JSON.
 */
export function feedsBehind(
  owner: EntityType,
  navigation: NavigationProperty,
): readonly ChangeFeed[] | undefined {
  const { origin, target } = navigation;
  if (target === undefined) return origin.kind === 'embedded' ? [] : undefined;
  const feed = changeFeed(target);
  const isLinkReported = origin.kind === 'embedded' || referentialConstraints(owner, navigation).length > 0;
  return feed === undefined || !isLinkReported ? undefined : [feed];
}
