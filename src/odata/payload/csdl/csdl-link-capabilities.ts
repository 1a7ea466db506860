import { isInsertedDeep, isUpdatedDeep } from '../../../model/deep-change.ts';
import type { EntitySet, Singleton } from '../../../model/edm.ts';
import { addedLink, type LinkPlace, removedLink } from '../../../model/link-change.ts';
import { type Annotation, bool } from './csdl-annotation.ts';
import { type Properties, restriction } from './csdl-restriction.ts';

/** Whether related entities are created and changed together with one of the set; no request names them by Content-ID. */
export function deepSupport(set: EntitySet): readonly Annotation[] {
  const navigations = [...set.entityType.navigationProperties.values()];
  if (navigations.length === 0) return [];
  const support = (isSupported: boolean): Properties => ({
    Supported: bool(isSupported),
    ContentIDSupported: bool(false),
  });
  const isInserted = navigations.some((navigation) => isInsertedDeep(set, navigation));
  const isUpdated = navigations.some((navigation) => isUpdatedDeep(set, navigation));
  return [
    restriction('DeepInsertSupport', support(isInserted)),
    restriction('DeepUpdateSupport', support(isUpdated)),
  ];
}

/** Behind these navigation properties, nothing is created together with an entity; where none can be, that says it all. */
export function insertedApart(set: EntitySet): Properties {
  if (set.insert === undefined) return {};
  const apart = [...set.entityType.navigationProperties.values()].filter(
    (navigation) => !isInsertedDeep(set, navigation),
  );
  return named(
    'NonInsertableNavigationProperties',
    apart.map(({ name }) => name),
  );
}

/** These navigation properties can be led to no other entity. */
export function unboundProperties(place: EntitySet | Singleton): Properties {
  if (place.update === undefined) return {};
  const fixed = placesOf(place).filter((each) => addedLink(each) === undefined);
  return named('NonUpdatableNavigationProperties', namesOf(fixed));
}

/** From these navigation properties, no link can be taken away. */
export function unlinkedProperties(set: EntitySet): Properties {
  const fixed = placesOf(set).filter((each) => removedLink(each) === undefined);
  return named('NonDeletableNavigationProperties', namesOf(fixed));
}

function placesOf({ entityType: type, update }: EntitySet | Singleton): readonly LinkPlace[] {
  return [...type.navigationProperties.values()].map((navigation) => ({ type, update, navigation }));
}

function namesOf(places: readonly LinkPlace[]): readonly string[] {
  return places.map(({ navigation }) => navigation.name);
}

function named(property: string, names: readonly string[]): Properties {
  if (names.length === 0) return {};
  return {
    [property]: { kind: 'collection', items: names.map((path) => ({ kind: 'navigationPath', path })) },
  };
}
