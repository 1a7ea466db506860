import type { DescribedModel, DescribedNavigationProperty, DescribedStructuredType } from './description.ts';
import type { NavigationProperty } from './edm.ts';

import type { Grants } from './permission.ts';

/** A model or its description. */
interface GrantedModel {
  readonly entityTypes: ReadonlyMap<string, NavigationOwner>;
  readonly entitySets: ReadonlyMap<string, Granted>;
  readonly singletons: ReadonlyMap<string, Granted>;
  readonly imports: ReadonlyMap<string, Granted>;
}

interface NavigationOwner {
  readonly navigationProperties: ReadonlyMap<string, Pick<NavigationProperty, 'contained'>>;
}

interface Granted {
  readonly name: string;
  readonly grants: Grants;
}

/**
 * All resources with grants of their own: entity sets, singletons, function and action imports, and contained
 * entities with grants in their schema. Names in the container are unique (CSDL 4.01, 13), and contain no
 * slash.
 */
export function resourceGrants(model: GrantedModel): ReadonlyMap<string, Grants> {
  const contained = [...model.entityTypes.values()]
    .flatMap(({ navigationProperties }) => [...navigationProperties.values()])
    .flatMap((navigation) => navigation.contained ?? []);
  const resources = [
    ...model.entitySets.values(),
    ...model.singletons.values(),
    ...contained,
    ...model.imports.values(),
  ];
  return new Map(resources.map(({ name, grants }) => [name, grants]));
}

export function grantedRoles(model: GrantedModel): readonly string[] {
  return [...new Set([...resourceGrants(model).values()].flatMap((grants) => [...grants.keys()]))].sort();
}

/**
 * The resource whose grants apply to a path of names without keys: for `Order/Items/Parts` the items, if they
 * have grants of their own and the parts do not.
 */
export function grantingResource(
  model: Pick<DescribedModel, 'entitySets' | 'singletons' | 'entityTypes'>,
  path: string,
): string {
  const [root = '', ...names] = path.split('/');
  let resource = root;
  let type = (model.entitySets.get(root) ?? model.singletons.get(root))?.entityType;
  let place = root;
  for (const name of names) {
    place = `${place}/${name}`;
    const navigation = type && navigationTo(type, place);
    resource = (navigation && describedResourceName(navigation)) ?? resource;
    type = navigation && model.entityTypes.get(navigation.entityType);
  }
  return resource;
}

/** The resource that a navigation property leads to; undefined if it stays in the same resource. */
export function relatedResourceName({ target, contained }: NavigationProperty): string | undefined {
  return (target ?? contained)?.name;
}

export function describedResourceName({
  target,
  contained,
}: DescribedNavigationProperty): string | undefined {
  return target ?? contained?.name;
}

function navigationTo(
  { navigationProperties }: DescribedStructuredType,
  place: string,
): DescribedNavigationProperty | undefined {
  return [...navigationProperties.values()].find(
    ({ origin }) => origin.kind === 'path' && origin.places.some(({ path }) => path === place),
  );
}
