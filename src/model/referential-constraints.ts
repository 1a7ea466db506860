import type { EntityType, NavigationProperty } from './edm.ts';
import type { Model } from './model.ts';

/** The property of an entity and the property of a related one that have the same value. */
export interface ReferentialConstraints {
  readonly own: string;
  readonly related: string;
}

/** As the referential constraints say (CSDL 4.01, 8.5), of the navigation property or of its partner. */
export function referentialConstraints(
  model: Model,
  owner: EntityType,
  navigation: NavigationProperty,
): readonly ReferentialConstraints[] {
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
