import type { EntitySet, EntityType, NavigationProperty } from './edm.ts';
import { referentialConstraints } from './link-change.ts';
import type { ChangesOperation } from './operation.ts';

/** The operation that reports what changes in an entity set. */
export interface ChangeFeed {
  readonly set: EntitySet;
  readonly operation: ChangesOperation;
}

export function changeFeed(set: EntitySet | undefined): ChangeFeed | undefined {
  return set?.changes && { set, operation: set.changes };
}

/**
 * The feeds that, together with the owner's, report every change of what a navigation property leads to: of the related
 * entities, and of the links to them. Undefined if some of these changes are in no feed. Links are in a feed if they
 * follow from properties of one of the two entities, or stand in the owner's JSON.
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
