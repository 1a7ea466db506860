import type { Row } from '../../contract/row.ts';
import type { EntitySet, EntityType, NavigationPlace, NavigationProperty } from '../../model/edm.ts';
import { linkedInsert } from '../../model/linked-insert.ts';
import type { Model } from '../../model/model.ts';
import type { ListOperation } from '../../model/operation.ts';
import { referentialConstraints } from '../../model/referential-constraints.ts';
import { relatedResourceName } from '../../model/resource-grants.ts';
import type { CollectionResource, EntityResource, PlaceOperations } from './resource.ts';
import { notImplemented } from './resource-error.ts';

/** The entity or the entities that a navigation property leads to (Part 2, 4.7). */
export function relatedResource(
  model: Model,
  entity: EntityResource,
  navigation: NavigationProperty,
): CollectionResource | EntityResource {
  const { origin } = navigation;
  switch (origin.kind) {
    case 'embedded':
      return embedded(entity, navigation);
    case 'link':
      return linked(entity, navigation, origin.operation);
    case 'path':
      return below(model, entity, navigation, origin.places);
  }
}

/**
 * The entity or the entities that a navigation property of a complex value leads to (Part 2, 4.7): `url` is that of the
 * value, and `within` leads to it from the entity that has it.
 */
export function relatedWithin(
  model: Model,
  entity: EntityResource,
  { url, within }: { readonly url: string; readonly within: readonly string[] },
  navigation: NavigationProperty,
): CollectionResource | EntityResource {
  const holder = { ...entity, url, path: [entity.path, ...within].join('/') };
  const related = relatedResource(model, holder, navigation);
  const { origin } = related;
  return origin.kind === 'embedded'
    ? ({ ...related, origin: { ...origin, within } } as CollectionResource | EntityResource)
    : related;
}

/** What all resources of a navigation property have in common. */
function placeOf(entity: EntityResource, navigation: NavigationProperty) {
  const { name, entityType, target } = navigation;
  const url = `${entity.url}/${encodeURIComponent(name)}`;
  return {
    path: `${entity.path}/${name}`,
    url,
    home: target?.name ?? url,
    // Contained entities belong to whoever contains them, where they have no grants of their own.
    resource: relatedResourceName(navigation) ?? entity.resource,
    entityType,
    entitySet: target,
    type: entityType,
    isCast: false,
    link: { owner: entity, navigation },
  };
}

const UNCHANGEABLE = { update: undefined, delete: undefined };

function embedded(
  entity: EntityResource,
  navigation: NavigationProperty,
): CollectionResource | EntityResource {
  const place = placeOf(entity, navigation);
  const property = navigation.name;
  if (navigation.collection) {
    const origin = { kind: 'embedded', owner: entity, property } as const;
    return { kind: 'collection', ...place, known: {}, origin };
  }
  const origin = { kind: 'embedded', property } as const;
  return { kind: 'entity', ...place, parent: entity, known: {}, origin, ...UNCHANGEABLE };
}

/** An entity behind a link can be changed where its set says so, a member of several be created and deleted, too. */
function linked(
  entity: EntityResource,
  navigation: NavigationProperty,
  operation: ListOperation,
): CollectionResource | EntityResource {
  const place = placeOf(entity, navigation);
  const { update, delete: remove } = place.entitySet ?? NO_OPERATIONS;
  if (!navigation.collection) {
    const origin = { kind: 'operation', operation, from: 'parent' } as const;
    return { kind: 'entity', ...place, parent: entity, known: {}, origin, update, delete: undefined };
  }
  const page = pageOf(place.entitySet, operation);
  const insert = linkedInsert(entity.type, navigation);
  const operations = { ...NO_OPERATIONS, list: operation, page, insert, update, delete: remove };
  const known = knownOfRelated(entity, navigation);
  return { kind: 'collection', ...place, known, origin: { kind: 'operations', operations, owner: entity } };
}

/** A list that comes in pages does so wherever it is asked for. */
function pageOf(target: EntitySet | undefined, { id }: ListOperation): EntitySet['page'] {
  return target?.page?.id === id ? target.page : undefined;
}

const NO_OPERATIONS: PlaceOperations = {
  list: undefined,
  read: undefined,
  insert: undefined,
  update: undefined,
  delete: undefined,
};

function below(
  model: Model,
  entity: EntityResource,
  navigation: NavigationProperty,
  places: readonly NavigationPlace[],
): CollectionResource | EntityResource {
  const found =
    placeBelow(entity, places) ??
    placeBelow(canonical(entity), places) ??
    placeBelow(inAnotherSet(model, entity, places), places);
  if (found === undefined) throw notImplemented(`"${navigation.name}" at this place`, navigation.name);
  const { owner, operations } = found;
  const place = { ...placeOf(entity, navigation), path: operations.path };
  if (navigation.collection) {
    const known = knownOfRelated(entity, navigation);
    return { kind: 'collection', ...place, known, origin: { kind: 'operations', operations, owner } };
  }
  if (operations.read === undefined) throw notImplemented(`A read of "${navigation.name}"`, navigation.name);
  const origin = { kind: 'operation', operation: operations.read, from: 'parent' } as const;
  return {
    kind: 'entity',
    ...place,
    parent: owner,
    known: {},
    origin,
    update: operations.update,
    delete: operations.delete,
  };
}

interface PlaceBelow {
  readonly owner: EntityResource;
  readonly operations: NavigationPlace;
}

function placeBelow(
  owner: EntityResource | undefined,
  places: readonly NavigationPlace[],
): PlaceBelow | undefined {
  const operations = places.find(({ path }) => path.slice(0, path.lastIndexOf('/')) === owner?.path);
  return owner === undefined || operations === undefined ? undefined : { owner, operations };
}

/** The entity of a set at the place of another set of its type: the same key means the same there. */
function inAnotherSet(
  model: Model,
  entity: EntityResource,
  places: readonly NavigationPlace[],
): EntityResource | undefined {
  const owners = places.map(({ path }) => path.slice(0, path.lastIndexOf('/')));
  const other = owners.find((path) => model.entitySets.get(path)?.entityType.name === entity.entityType.name);
  return entity.entitySet === undefined || other === undefined ? undefined : { ...entity, path: other };
}

/** The entity at the place of its set, wherever the path has met it. */
function canonical(entity: EntityResource): EntityResource | undefined {
  const { entitySet } = entity;
  return entitySet && { ...entity, path: entitySet.name };
}

/** What is known of the related entities where this is known of the owner. */
function knownOfRelated(
  owner: { readonly entityType: EntityType; readonly known: Row },
  navigation: NavigationProperty,
): Row {
  const known = referentialConstraints(owner.entityType, navigation).flatMap(({ own, related }) => {
    const value = owner.known[own];
    return value === undefined ? [] : [[related, value] as const];
  });
  return Object.fromEntries(known);
}
