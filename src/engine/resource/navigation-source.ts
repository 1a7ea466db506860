import type { Row } from '../../contract/row.ts';
import {
  type EntitySet,
  type EntityType,
  isA,
  type NavigationPlace,
  type NavigationProperty,
  type Singleton,
  type TypeUse,
} from '../../model/edm.ts';
import { linkedInsert, referentialConstraints } from '../../model/link-change.ts';
import type { Model } from '../../model/model.ts';
import type { ListOperation, Operation } from '../../model/operation.ts';
import { relatedResourceName } from '../../model/resource-grants.ts';
import { keyPredicate } from './entity-url.ts';
import {
  type BoundCall,
  type CollectionResource,
  type EntityResource,
  notImplemented,
  type PlaceOperations,
  type StreamResource,
  type ValueResource,
} from './resource.ts';

/** The entity of a collection with that key. */
export function entityByKey(collection: CollectionResource, key: Row): EntityResource {
  const { path, home, resource, entityType, entitySet, type, isCast, link, origin } = collection;
  const { origin: source } = unfiltered(collection);
  const operations: Partial<PlaceOperations> = source.kind === 'operations' ? source.operations : {};
  const read = origin === source ? operations.read : undefined;
  return {
    kind: 'entity',
    path,
    home,
    url: `${collection.url}${keyPredicate(type, key)}`,
    resource,
    entityType,
    entitySet,
    type,
    isCast,
    link,
    parent: source.kind === 'operations' || source.kind === 'embedded' ? source.owner : undefined,
    known: key,
    origin:
      read === undefined
        ? { kind: 'member', collection }
        : { kind: 'operation', operation: read, from: 'itself' },
    update: operations.update,
    delete: operations.delete,
  };
}

/** The operations on single entities of a collection, at its own place and at that of their set. */
export function itemOperations({ origin, entitySet }: CollectionResource): readonly Operation[] {
  const places = [origin.kind === 'operations' ? origin.operations : undefined, entitySet];
  return places.flatMap((each) =>
    [each?.read, each?.update, each?.delete].filter((one) => one !== undefined),
  );
}

/** The collection that `/$filter` segments take some of; itself where there are none. */
export function unfiltered(collection: CollectionResource): CollectionResource {
  const { origin } = collection;
  return origin.kind === 'filtered' ? unfiltered(origin.from) : collection;
}

/**
 * The same entity or entities as values of a derived type (4.11), or undefined where the name is no such
 * type's. 4.01 does without the namespace.
 */
export function castTo<Resource extends CollectionResource | EntityResource>(
  model: Model,
  resource: Resource,
  name: string,
): Resource | undefined {
  const type = model.entityTypes.get(name) ?? findEntityType(model, name);
  if (type === undefined || !isA(type, resource.type)) return undefined;
  return { ...resource, type, isCast: true, url: `${resource.url}/${type.namespace}.${type.name}` };
}

/** The entity type of a qualified name. */
export function findEntityType(model: Model, qualified: string): EntityType | undefined {
  const type = model.entityTypes.get(qualified.slice(qualified.lastIndexOf('.') + 1));
  return type !== undefined && `${type.namespace}.${type.name}` === qualified ? type : undefined;
}

type ResultResource = CollectionResource | EntityResource | ValueResource | StreamResource;

/** What a function returns, as a resource that a path may lead on from. */
export function resultResource(call: BoundCall): ResultResource {
  const { returns } = call.callable;
  if (returns === undefined) throw notImplemented('A function without a result', call.callable.name);
  const entityType = returns.type.kind === 'entity' ? returns.type : undefined;
  if (isStream(returns)) return { kind: 'stream', origin: { kind: 'call', call } };
  if (entityType === undefined) {
    return { kind: 'value', url: call.url, use: returns, origin: { kind: 'call', call, path: [] } };
  }
  const { url, resource, entitySet } = call;
  const home = entitySet?.name;
  const typed = { entityType, type: entityType, isCast: false };
  const place = { path: home ?? '', url, home, resource, ...typed, entitySet };
  if (returns.collection) return { kind: 'collection', ...place, known: {}, origin: { kind: 'call', call } };
  return {
    kind: 'entity',
    ...place,
    parent: undefined,
    known: {},
    origin: { kind: 'call', call },
    update: undefined,
    delete: undefined,
  };
}

/** Answered with as it is, without JSON around it (Part 1, 11.5.4.1). */
export function isStream({ type, collection }: Pick<TypeUse, 'type' | 'collection'>): boolean {
  return type.name === 'Edm.Stream' && !collection;
}

/** All entities of a set. */
export function collectionOf(entitySet: EntitySet): CollectionResource {
  const { name, entityType } = entitySet;
  return {
    kind: 'collection',
    path: name,
    url: name,
    home: name,
    resource: name,
    entityType,
    entitySet,
    type: entityType,
    isCast: false,
    known: {},
    origin: { kind: 'operations', operations: entitySet, owner: undefined },
  };
}

/** A singleton as the service has it (Part 2, 4.1). */
export function singletonResource({ name, entityType, read, update }: Singleton): EntityResource {
  return {
    kind: 'entity',
    path: name,
    url: name,
    home: name,
    resource: name,
    entityType,
    entitySet: undefined,
    type: entityType,
    isCast: false,
    parent: undefined,
    known: {},
    origin: { kind: 'operation', operation: read, from: 'parent' },
    update,
    delete: undefined,
  };
}

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
