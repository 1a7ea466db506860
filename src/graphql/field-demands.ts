import type { EntityType, Model } from '../model/edm.ts';
import type { Callable, Operation } from '../model/operation.ts';
import type { Permission } from '../model/permission.ts';
import { grantingResource, relatedResourceName } from '../model/resource-grants.ts';
import type { NavigationPlace, StreamOperations } from '../model/structured-type.ts';

/** What one must be allowed to do with a resource of the model to ask for a root field. */
export interface Demand {
  readonly resource: string;
  readonly permission: Permission;
}

/** The names of root fields, which are those of operations, to what each demands. */
export type FieldDemands = ReadonlyMap<string, Demand>;

type Demanding = readonly [operation: Operation | undefined, demand: Demand];

/**
 * The demands of all operations of the model: the same that OData makes for the resources that they are
 * the operations of. Where an operation serves several, an entity set has the last word.
 */
export function fieldDemands(model: Model): FieldDemands {
  const demanding = [
    ...ofCalls(model),
    ...ofNavigation(model),
    ...ofStreams(model),
    ...ofLinks(model),
    ...ofSingletons(model),
    ...ofEntitySets(model),
  ];
  return new Map(
    demanding.flatMap(([operation, demand]) =>
      operation === undefined ? [] : [[operation.id, demand] as const],
    ),
  );
}

/** What a resource, or a place of a navigation property, has operations for. */
interface Operations {
  readonly list?: Operation | undefined;
  readonly read?: Operation | undefined;
  readonly page?: Operation | undefined;
  readonly changes?: Operation | undefined;
  readonly insert?: Operation | undefined;
  readonly update?: Operation | undefined;
  readonly delete?: Operation | undefined;
}

function demandsOf(resource: string, operations: Operations): readonly Demanding[] {
  const { list, read, page, changes, insert, update, delete: remove } = operations;
  const viewing = [list, read, page, changes].map(
    (operation): Demanding => [operation, { resource, permission: 'View' }],
  );
  return [
    ...viewing,
    [insert, { resource, permission: 'Insert' }],
    [update, { resource, permission: 'Update' }],
    [remove, { resource, permission: 'Delete' }],
  ];
}

function ofEntitySets({ entitySets }: Model): readonly Demanding[] {
  return [...entitySets.values()].flatMap((set) => demandsOf(set.name, set));
}

function ofSingletons({ singletons }: Model): readonly Demanding[] {
  return [...singletons.values()].flatMap((singleton) => demandsOf(singleton.name, singleton));
}

function ofNavigation(model: Model): readonly Demanding[] {
  return relatedPlaces(model).flatMap(({ resource, place }) => demandsOf(resource, place));
}

interface RelatedPlace {
  readonly resource: string;
  readonly entityType: EntityType | undefined;
  readonly place: NavigationPlace;
}

/** Contained entities without grants of their own belong to whoever contains them, others to their set. */
function relatedPlaces(model: Model): readonly RelatedPlace[] {
  return [...model.entityTypes.values()]
    .flatMap(({ navigationProperties }) => [...navigationProperties.values()])
    .flatMap((navigation) => {
      if (navigation.origin.kind !== 'path') return [];
      const own = relatedResourceName(navigation);
      const entityType = model.entityTypes.get(navigation.entityType);
      return navigation.origin.places.map((place) => ({
        resource: own ?? grantingResource(model, place.path),
        entityType,
        place,
      }));
    });
}

/** Streams are a part of their entity: who may see it may read them, who may change it may change them. */
function ofStreams(model: Model): readonly Demanding[] {
  return placedTypes(model).flatMap(({ resource, type: { stream, streams } }) =>
    [stream, ...(streams?.values() ?? [])].flatMap((each) =>
      each === undefined ? [] : demandsOfStream(resource, each),
    ),
  );
}

/** Links are a part of the entity that the navigation property is of: who may change it may change them. */
function ofLinks(model: Model): readonly Demanding[] {
  return placedTypes(model).flatMap(({ resource, type }) =>
    [...type.navigationProperties.values()]
      .flatMap(({ addReference, removeReference }) => [addReference, removeReference])
      .map((operation): Demanding => [operation, { resource, permission: 'Update' }]),
  );
}

/** The types that entities may have, with the resource that they belong to. */
function placedTypes(model: Model): readonly { readonly resource: string; readonly type: EntityType }[] {
  const members = [...model.singletons.values(), ...model.entitySets.values()];
  const places = [
    ...relatedPlaces(model),
    ...members.map(({ name, entityType }) => ({ resource: name, entityType })),
  ];
  return places.flatMap(({ resource, entityType }) =>
    [...model.entityTypes.values()]
      .filter((type) => entityType !== undefined && isOfType(model, type, entityType))
      .map((type) => ({ resource, type })),
  );
}

function demandsOfStream(
  resource: string,
  { get, put, delete: remove }: StreamOperations,
): readonly Demanding[] {
  return [
    [get, { resource, permission: 'View' }],
    [put, { resource, permission: 'Update' }],
    [remove, { resource, permission: 'Update' }],
  ];
}

/** Whether the type is the other one, or derived from it. */
function isOfType({ entityTypes }: Model, type: EntityType, other: EntityType): boolean {
  for (let next: EntityType | undefined = type; next !== undefined; ) {
    if (next.name === other.name) return true;
    next = next.baseType === undefined ? undefined : entityTypes.get(next.baseType);
  }
  return false;
}

/** Calls of what is bound go by the grants of the resource that it is bound to. */
function ofCalls(model: Model): readonly Demanding[] {
  return model.callables.flatMap((callable) =>
    callable.calls.flatMap(({ resource: place, operation }): Demanding[] => {
      const resource = place === undefined ? resourceOf(model, callable) : grantingResource(model, place);
      return resource === undefined ? [] : [[operation, { resource, permission: 'Call' }]];
    }),
  );
}

/** The import of what is unbound, or the set of the entities that something is bound to anywhere. */
function resourceOf({ imports, entitySets }: Model, { name, kind, binding }: Callable): string | undefined {
  const found =
    binding === undefined
      ? [...imports.values()].find((each) => each.callable === name && each.kind === kind)
      : [...entitySets.values()].find(({ entityType }) => entityType.name === binding.entityType);
  return found?.name;
}
