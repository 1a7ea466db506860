import type { DescribedEntityType, DescribedNavigationProperty } from '../../description.ts';
import type { Place } from '../sets/place.ts';

/** Gives a resource path the names that navigation properties go by. */
type PathNaming = (path: string) => string;

/**
 * Resource paths are made while names are not yet settled: a navigation property may have got another one
 * than the path that it was made of. Types and places, each with the names of the others.
 */
export function withSettledPaths(
  types: ReadonlyMap<string, DescribedEntityType>,
  places: readonly Place[],
): { readonly types: ReadonlyMap<string, DescribedEntityType>; readonly places: readonly Place[] } {
  const settled = pathNaming([...types.values()]);
  return {
    types: new Map([...types].map(([name, type]) => [name, settledType(type, settled)])),
    places: places.map((place) => ({ ...place, resource: settled(place.resource) })),
  };
}

function pathNaming(types: readonly DescribedEntityType[]): PathNaming {
  const names = new Map(
    types
      .flatMap(({ navigationProperties }) => [...navigationProperties.values()])
      .flatMap(({ name, origin }) =>
        origin.kind === 'path' ? origin.places.map(({ path }) => [path, name] as const) : [],
      ),
  );
  return (path) => {
    const written = path.split('/');
    return written.map((name, index) => names.get(written.slice(0, index + 1).join('/')) ?? name).join('/');
  };
}

function settledType(type: DescribedEntityType, settled: PathNaming): DescribedEntityType {
  const properties = [...type.navigationProperties].map(
    ([name, property]) => [name, settledProperty(property, settled)] as const,
  );
  return { ...type, navigationProperties: new Map(properties) };
}

function settledProperty(
  property: DescribedNavigationProperty,
  settled: PathNaming,
): DescribedNavigationProperty {
  const { origin } = property;
  if (origin.kind !== 'path') return property;
  const places = origin.places.map((place) => ({ ...place, path: settled(place.path) }));
  return { ...property, origin: { ...origin, places } };
}
