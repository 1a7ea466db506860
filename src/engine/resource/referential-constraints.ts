import type { Row } from '../../contract/row.ts';
import type { EntityType, Model } from '../../model/edm.ts';
import { referentialConstraints } from '../../model/referential-constraints.ts';
import type { NavigationProperty } from '../../model/structured-type.ts';

/** What is known of the related entities where this is known of the owner. */
export function knownOfRelated(
  model: Model,
  owner: { readonly entityType: EntityType; readonly known: Row },
  navigation: NavigationProperty,
): Row {
  const known = referentialConstraints(model, owner.entityType, navigation).flatMap(({ own, related }) => {
    const value = owner.known[own];
    return value === undefined ? [] : [[related, value] as const];
  });
  return Object.fromEntries(known);
}
