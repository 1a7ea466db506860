import type { EntityType } from '../../model/edm.ts';
import { withDerivedTypes } from '../../model/edm.ts';
import type { Wanted } from '../resource/loading.ts';

/** What is wanted where options read those names: declared properties, and whether others are asked for, too. */
export function wantedNames(
  type: EntityType,
  names: Iterable<string>,
): Pick<Wanted, 'properties' | 'dynamic'> {
  const declared = new Set(
    withDerivedTypes(type).flatMap(({ structuralProperties, navigationProperties }) => [
      ...structuralProperties.keys(),
      ...navigationProperties.keys(),
    ]),
  );
  const all = [...new Set(names)];
  const properties = all.filter((name) => declared.has(name));
  return { properties, dynamic: properties.length < all.length };
}
