import type { Principal } from '../../contract/principal.ts';
import {
  type DescribedCallable,
  type DescribedComplexType,
  type DescribedEntitySet,
  type DescribedEntityType,
  type DescribedModel,
  type DescribedNavigationProperty,
  type DescribedSingleton,
  type DescribedTypeUse,
  retyped,
} from '../../model/description.ts';
import type { NavigationPlace } from '../../model/edm.ts';
import { byName } from '../../model/maps.ts';
import type { Model } from '../../model/model.ts';
import type { ListOperation } from '../../model/operation.ts';
import { PERMISSIONS } from '../../model/permission.ts';
import { reachableOnly } from '../../model/reachable-types.ts';
import { describedResourceName, grantingResource } from '../../model/resource-grants.ts';
import { type PermissionCheck, partsByRights } from './grants.ts';
import { heldResources } from './held-resources.ts';
import { readableModels } from './readable-model.ts';

/**
 * The part of the model that the principal may see: resources with any permission, without the operations
 * that may not be called and the types that are not used any more.
 */
export function visibleModels(model: Model): (principal: Principal) => Model {
  const readableTo = readableModels(model);
  return partsByRights(model, (may, principal) => visibleModel(readableTo(principal).description, may));
}

/** The part of a model for which there is any permission. */
export function visibleModel(model: DescribedModel, may: PermissionCheck): DescribedModel {
  const entityTypes = visibleTypes(model, may);
  const callables = model.callables.flatMap((callable) => visibleCallable(model, callable, may));
  const imports = [...model.imports.values()].filter(
    ({ name, callable, kind }) =>
      may(name, 'Call') && callables.some((each) => each.name === callable && each.kind === kind),
  );
  const part = reachableOnly({
    entityTypes: [...entityTypes.values()],
    complexTypes: [...model.complexTypes.values()].map((type) => visibleComplex(model, type, may)),
    enumerationTypes: [...model.enumerationTypes.values()],
    typeDefinitions: [...model.typeDefinitions.values()],
    entitySets: retyped(
      [...model.entitySets.values()].flatMap((set) => visibleSet(set, may)),
      entityTypes,
    ),
    singletons: retyped(
      [...model.singletons.values()].flatMap((each) => visibleSingleton(each, may)),
      entityTypes,
    ),
    callables,
    imports,
  });
  return {
    ...model,
    entityTypes: byName(part.entityTypes),
    complexTypes: byName(part.complexTypes),
    enumerationTypes: byName(part.enumerationTypes),
    typeDefinitions: byName(part.typeDefinitions),
    entitySets: byName(part.entitySets),
    singletons: byName(part.singletons),
    callables: part.callables,
    imports: byName(part.imports),
  };
}

function mayAnything(resource: string, may: PermissionCheck): boolean {
  return PERMISSIONS.some((permission) => may(resource, permission));
}

/** The visible part of a set; a set that only leads to contained entities is visible, too. */
function visibleSet(set: DescribedEntitySet, may: PermissionCheck): readonly DescribedEntitySet[] {
  const contained = [...set.entityType.navigationProperties.values()].flatMap(
    (navigation) => navigation.contained?.name ?? [],
  );
  if (![set.name, ...contained].some((name) => mayAnything(name, may))) return [];
  const view = may(set.name, 'View');
  return [
    {
      ...set,
      list: view && set.list ? visibleList(set.list, may) : undefined,
      read: view ? set.read : undefined,
      page: view ? set.page : undefined,
      changes: view ? set.changes : undefined,
      insert: may(set.name, 'Insert') ? set.insert : undefined,
      update: may(set.name, 'Update') ? set.update : undefined,
      delete: may(set.name, 'Delete') ? set.delete : undefined,
    },
  ];
}

function visibleList(list: ListOperation, may: PermissionCheck): ListOperation {
  const { over } = list;
  return over === undefined || may(over.entitySet, 'View')
    ? list
    : { ...list, over: { ...over, hidden: true } };
}

/** A singleton is visible if it may be read. */
function visibleSingleton(
  singleton: DescribedSingleton,
  may: PermissionCheck,
): readonly DescribedSingleton[] {
  if (!may(singleton.name, 'View')) return [];
  return [{ ...singleton, update: may(singleton.name, 'Update') ? singleton.update : undefined }];
}

/** Bound operations depend on the grants of the resource that their URL begins with. */
function visibleCallable(
  model: DescribedModel,
  callable: DescribedCallable,
  may: PermissionCheck,
): readonly DescribedCallable[] {
  const { name, kind, binding, returns } = callable;
  if (returns !== undefined && !returnedResources(model, returns).every((each) => may(each, 'View')))
    return [];
  if (binding === undefined) {
    const imports = [...model.imports.values()].filter(
      (each) => each.callable === name && each.kind === kind,
    );
    return imports.some((each) => may(each.name, 'Call')) ? [callable] : [];
  }
  const sets = [...model.entitySets.values()].filter(
    ({ entityType }) => entityType.name === binding.entityType,
  );
  const calls = callable.calls.filter(({ resource }) =>
    resource === undefined
      ? sets.some((set) => may(set.name, 'Call'))
      : may(grantingResource(model, resource), 'Call'),
  );
  return calls.length === 0 ? [] : [{ ...callable, calls }];
}

function returnedResources(model: DescribedModel, returns: DescribedTypeUse): readonly string[] {
  const held = heldResources(model);
  return returns.type.kind === 'entity' ? held.ofEntity(returns.type.name) : held.ofUse(returns);
}

function visibleTypes(model: DescribedModel, may: PermissionCheck): ReadonlyMap<string, DescribedEntityType> {
  const { entityTypes } = model;
  const visible = new Map(
    [...entityTypes].map(([name, type]) => [name, withVisibleNavigation(model, type, may)]),
  );
  return new Map([...visible].map(([name, type]) => [name, withVisiblePartners(type, visible)]));
}

/** Entities within complex values belong to the same resources as other entities of their type. */
function visibleComplex(
  model: DescribedModel,
  type: DescribedComplexType,
  may: PermissionCheck,
): DescribedComplexType {
  const { ofEntity } = heldResources(model);
  const properties = [...type.navigationProperties.values()].filter(({ entityType }) =>
    ofEntity(entityType).every((resource) => may(resource, 'View')),
  );
  return { ...type, navigationProperties: byName(properties) };
}

function withVisibleNavigation(
  model: DescribedModel,
  type: DescribedEntityType,
  may: PermissionCheck,
): DescribedEntityType {
  const properties = [...type.navigationProperties.values()].flatMap((each) =>
    visibleNavigation(model, each, may),
  );
  const linkable = mayLink(model, type, may) ? properties : properties.map(withoutLinking);
  return { ...type, navigationProperties: byName(linkable) };
}

/** Links depend on the grants of the resources that contain the entities (Part 1, 11.4.6). */
function mayLink(
  { entitySets, singletons }: DescribedModel,
  type: DescribedEntityType,
  may: PermissionCheck,
): boolean {
  return [...entitySets.values(), ...singletons.values()].some(
    ({ name, entityType }) => entityType.name === type.name && may(name, 'Update'),
  );
}

function withoutLinking(property: DescribedNavigationProperty): DescribedNavigationProperty {
  return { ...property, addReference: undefined, removeReference: undefined };
}

/** Contained entities without grants of their own belong to their container, others to their set. */
function visibleNavigation(
  model: DescribedModel,
  property: DescribedNavigationProperty,
  may: PermissionCheck,
): readonly DescribedNavigationProperty[] {
  const { origin } = property;
  const resource = describedResourceName(property);
  if (origin.kind !== 'path') return resource === undefined || may(resource, 'View') ? [property] : [];
  const places = origin.places.flatMap((place) =>
    visiblePlace(place, resource ?? grantingResource(model, place.path), may),
  );
  return places.length === 0 ? [] : [{ ...property, origin: { ...origin, places } }];
}

function visiblePlace(
  place: NavigationPlace,
  resource: string,
  may: PermissionCheck,
): readonly NavigationPlace[] {
  if (!may(resource, 'View')) return [];
  return [
    {
      ...place,
      insert: may(resource, 'Insert') ? place.insert : undefined,
      update: may(resource, 'Update') ? place.update : undefined,
      delete: may(resource, 'Delete') ? place.delete : undefined,
    },
  ];
}

/** Removes partners that cannot be seen. */
function withVisiblePartners(
  type: DescribedEntityType,
  types: ReadonlyMap<string, DescribedEntityType>,
): DescribedEntityType {
  const properties = [...type.navigationProperties.values()].map((property) => {
    const { entityType, partner } = property;
    if (partner === undefined || types.get(entityType)?.navigationProperties.has(partner)) return property;
    return { ...property, partner: undefined };
  });
  return { ...type, navigationProperties: byName(properties) };
}
