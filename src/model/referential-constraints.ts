import type { EntityType, NavigationProperty } from './edm.ts';

/** The property of an entity and the property of a related one that have the same value. */
export interface ReferentialConstraints {
  readonly own: string;
  readonly related: string;
}

/** As the referential constraints say (CSDL 4.01, 8.5), of the navigation property or of its partner. */
export function referentialConstraints(
  owner: EntityType,
  navigation: NavigationProperty,
): readonly ReferentialConstraints[] {
  const { constraints, partner } = navigation;
  if (constraints.length > 0) {
    return constraints.map(({ property, referencedProperty }) => ({
      own: property,
      related: referencedProperty,
    }));
  }
  if (partner?.entityType.name !== owner.name) return [];
  return partner.constraints.map(({ property, referencedProperty }) => ({
    own: referencedProperty,
    related: property,
  }));
}
