import type { Row } from '../../contract/row.ts';
import type { EntityType, TypeUse } from '../../model/edm.ts';
import { isA } from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import type { Operation } from '../../model/operation.ts';
import { keyPredicate } from './entity-url.ts';
import type {
  BoundCall,
  CollectionResource,
  EntityResource,
  PlaceOperations,
  StreamResource,
  ValueResource,
} from './resource.ts';
import { notImplemented } from './resource-error.ts';

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
