import type { Row } from '../../contract/entity-source.ts';
import type { EntityType, Model } from '../../model/edm.ts';
import type { NavigationProperty } from '../../model/structured-type.ts';

/** The property of an entity and the property of a related one that have the same value. */
export interface EqualProperties {
  readonly own: string;
  readonly related: string;
}

/** As the referential constraints say (CSDL 4.01, 8.5), of the navigation property or of its partner. */
export function equalProperties(
  model: Model,
  owner: EntityType,
  navigation: NavigationProperty,
): readonly EqualProperties[] {
  const { constraints, entityType, partner = '' } = navigation;
  if (constraints.length > 0) {
    return constraints.map(({ property, referencedProperty }) => ({
      own: property,
      related: referencedProperty,
    }));
  }
  const back = model.entityTypes.get(entityType)?.navigationProperties.get(partner);
  if (back?.entityType !== owner.name) return [];
  return back.constraints.map(({ property, referencedProperty }) => ({
    own: referencedProperty,
    related: property,
  }));
}

/** What is known of the related entities where this is known of the owner. */
export function knownOfRelated(
  model: Model,
  owner: { readonly entityType: EntityType; readonly known: Row },
  navigation: NavigationProperty,
): Row {
  const known = equalProperties(model, owner.entityType, navigation).flatMap(({ own, related }) => {
    const value = owner.known[own];
    return value === undefined ? [] : [[related, value] as const];
  });
  return Object.fromEntries(known);
}
