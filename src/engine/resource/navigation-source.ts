import { GatewayError } from '../../contract/gateway-error.ts';
import { plainDigits, type Row, type Value } from '../../contract/row.ts';
import { segmentMistake } from '../../core/segment-mistake.ts';
import {
  type EntitySet,
  type EntityType,
  isA,
  type NavigationPlace,
  type NavigationProperty,
  type ReferentialConstraint,
  type Singleton,
  type StructuralProperty,
  type TypeUse,
  type ValueType,
} from '../../model/edm.ts';
import { linkedInsert, referentialConstraints } from '../../model/link-change.ts';
import type { Model } from '../../model/model.ts';
import type { ListOperation, Operation } from '../../model/operation.ts';
import { relatedResourceName } from '../../model/resource-grants.ts';
import { type ArgumentReader, argumentOfText, argumentValue } from '../bind/argument-value.ts';
import type { Argument, PathSegment } from '../tree/query-tree.ts';
import { findEntityType, qualifiedName } from '../typing/expression-type.ts';
import {
  type CollectionResource,
  type EntityResource,
  type Invocation,
  notImplemented,
  type PlaceOperations,
  type StreamResource,
  unknownResource,
  type ValueResource,
} from './resource.ts';

/** The entity of a collection with that key. */
export function entityByKey(collection: CollectionResource, key: Row): EntityResource {
  const { path, home, resource, entityType, entitySet, type, isCast, link, origin } = collection;
  const { origin: source } = unfiltered(collection);
  const operations: Partial<PlaceOperations> = source.kind === 'operations' ? source.operations : {};
  const read = origin === source ? operations.read : undefined;
  const isListed = operations.list !== undefined && !fillsPath(read, key);
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
      read === undefined || isListed
        ? { kind: 'member', collection }
        : { kind: 'operation', operation: read, from: 'itself' },
    ...(read === undefined || isListed
      ? withOperationsOfSet(collection, operations)
      : { update: operations.update, delete: operations.delete }),
  };
}

/** The changes of an entity that is found among its owner's: by operations below the owner, else by those of its set. */
function withOperationsOfSet(
  collection: CollectionResource,
  { update, delete: remove }: Partial<PlaceOperations>,
): Pick<EntityResource, 'update' | 'delete'> {
  const { link, entitySet, resource } = collection;
  const isEmbedded = unfiltered(collection).origin.kind === 'embedded';
  const set = link !== undefined && !isEmbedded && entitySet?.name === resource ? entitySet : undefined;
  return { update: update ?? set?.update, delete: remove ?? set?.delete };
}

/** Whether the key can stand in the path of a read: an empty text cannot, but a list may have an entity with such a key. */
function fillsPath(read: Operation | undefined, key: Row): boolean {
  const own = read?.parameters.filter(({ up = 0 }) => up === 0) ?? [];
  return own.every(({ property }) => {
    const value = key[property];
    return typeof value !== 'string' || segmentMistake(value) === undefined;
  });
}

/** The operations on single entities of a collection, at its own place and at that of their set. */
export function itemOperations({ origin, entitySet }: CollectionResource): readonly Operation[] {
  const places = [origin.kind === 'operations' ? origin.operations : undefined, entitySet];
  return places.flatMap((each) =>
    [each?.read, each?.update, each?.delete].filter((one) => one !== undefined),
  );
}

/** The collection without its `/$filter` segments. */
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
  return { ...resource, type, isCast: true, url: `${resource.url}/${qualifiedName(type)}` };
}

type ResultResource = CollectionResource | EntityResource | ValueResource | StreamResource;

/** The result of a function as a resource that a path may continue from. */
export function resultResource(call: Invocation): ResultResource {
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
    case 'referring':
      return referring(entity, navigation, origin.foreignKey);
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

/** The common members of the resources behind a navigation property. */
function relatedPlace(entity: EntityResource, navigation: NavigationProperty) {
  const { name, entityType, target } = navigation;
  const url = `${entity.url}/${encodeURIComponent(name)}`;
  return {
    path: `${entity.path}/${name}`,
    url,
    home: target?.name ?? url,
    // Contained entities without grants of their own belong to their container.
    resource: relatedResourceName(navigation) ?? entity.resource,
    entityType,
    entitySet: target,
    type: entityType,
    isCast: false,
    link: { owner: entity, navigation },
  };
}

function referring(
  owner: EntityResource,
  navigation: NavigationProperty,
  foreignKey: ReferentialConstraint,
): CollectionResource | EntityResource {
  const { target } = navigation;
  if (target === undefined) throw notImplemented(`"${navigation.name}"`, navigation.name);
  const place = relatedPlace(owner, navigation);
  const collection: CollectionResource = {
    kind: 'collection',
    ...place,
    known: knownOfRelated(owner, navigation),
    origin: {
      kind: 'referring',
      owner,
      from: collectionOf(target),
      foreignKey,
      insert: linkedInsert(owner.type, navigation),
    },
  };
  if (navigation.collection) return collection;
  const { update } = target;
  const origin = { kind: 'only', collection } as const;
  return { kind: 'entity', ...place, parent: owner, known: {}, origin, update, delete: undefined };
}

const UNCHANGEABLE = { update: undefined, delete: undefined };

function embedded(
  entity: EntityResource,
  navigation: NavigationProperty,
): CollectionResource | EntityResource {
  const place = relatedPlace(entity, navigation);
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
  const place = relatedPlace(entity, navigation);
  const { update, delete: remove } = place.entitySet ?? NO_OPERATIONS;
  if (!navigation.collection) {
    const origin = { kind: 'operation', operation, from: 'parent' } as const;
    return { kind: 'entity', ...place, parent: entity, known: {}, origin, update, delete: undefined };
  }
  const page = place.entitySet?.page?.id === operation.id ? place.entitySet.page : undefined;
  const insert = linkedInsert(entity.type, navigation);
  const operations = { ...NO_OPERATIONS, list: operation, page, insert, update, delete: remove };
  const known = knownOfRelated(entity, navigation);
  return { kind: 'collection', ...place, known, origin: { kind: 'operations', operations, owner: entity } };
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
  const place = { ...relatedPlace(entity, navigation), path: operations.path };
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

/** The known properties of related entities, from those of the owner. */
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

/** Compiles the canonical URL of entities relative to the service root (Part 2, 4.3.1), percent-encoded. */
export function entityUrl(entitySet: string, entityType: EntityType): (row: Row) => string {
  return predicateWriter(entityType, entitySet);
}

/**
 * The key of an entity in parentheses, percent-encoded: one property without its name, several with theirs
 * in the order of the model.
 */
export function keyPredicate(entityType: EntityType, row: Row): string {
  return predicateWriter(entityType, '')(row);
}

function predicateWriter(entityType: EntityType, path: string): (row: Row) => string {
  const { key } = entityType;
  const [first] = key;
  if (first !== undefined && key.length === 1) return keyLiteral(entityType, first, `${path}(`, ')');
  const parts = key.map((name) => keyLiteral(entityType, name, `${name}=`, ''));
  return (row) => `${path}(${parts.map((part) => part(row)).join(',')})`;
}

/** The literal between two texts, which a plain string is joined to at once together with its quotes. */
function keyLiteral(
  { structuralProperties, namespace }: EntityType,
  name: string,
  before: string,
  after: string,
): (row: Row) => string {
  const type = structuralProperties.get(name)?.type;
  if (type === undefined) return () => `${before}null${after}`;
  const isString = type.name === 'Edm.String';
  const opened = `${before}'`;
  const closed = `'${after}`;
  return (row) => {
    const value = row[name] ?? null;
    if (isString && typeof value === 'string' && isUnreserved(value)) return opened + value + closed;
    const literal = primitiveLiteral(namespace, type, value);
    // No URL has half a surrogate pair: encoding it would throw.
    return before + (isUnreserved(literal) ? literal : encodeURIComponent(literal.toWellFormed())) + after;
  };
}

/** Whether all of it stands in a URL as it is: most keys do, and are too short for a regular expression to pay. */
function isUnreserved(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    if (UNRESERVED[text.charCodeAt(index)] !== true) return false;
  }
  return true;
}

/** The unreserved characters, without the apostrophe, which ends a string. */
const UNRESERVED: readonly boolean[] = Array.from({ length: 128 }, (_, code) =>
  /[\w.-]/.test(String.fromCharCode(code)),
);

/**
 * primitiveLiteral of the ABNF, in the form that 4.0 knows, too: with prefixes and quotes where it demands
 * them. The namespace is that of enumeration types.
 */
export function primitiveLiteral(namespace: string, type: ValueType, value: Value): string {
  if (value === null) return 'null';
  if (type.kind === 'enumeration') return `${namespace}.${type.name}'${String(value)}'`;
  switch (type.name) {
    case 'Edm.String':
      return quoted(String(value));
    case 'Edm.Duration':
      return `duration'${String(value)}'`;
    case 'Edm.Binary':
      return `binary'${String(value)}'`;
    case 'Edm.Decimal':
    case 'Edm.Int64':
      return plainDigits(String(value));
    case 'Edm.Double':
    case 'Edm.Single':
      return floatingLiteral(Number(value));
    default:
      return String(value);
  }
}

function quoted(text: string): string {
  return text.includes("'") ? `'${text.replaceAll("'", "''")}'` : `'${text}'`;
}

function floatingLiteral(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? 'INF' : '-INF';
}

/**
 * keyPredicate (Part 2, 4.3.1): one value without a name, or every property of the key by its name, in any
 * order. `given` is what the path before it has said already (4.3.4): those parts of the key may be left
 * out.
 */
export function bindKey(
  reader: ArgumentReader,
  type: EntityType,
  predicate: readonly Argument[],
  given: Row = {},
): Row {
  const open = type.key.filter((name) => !(name in given));
  const [only] = predicate;
  const isUnnamed = predicate.length === 1 && only !== undefined && only.name === undefined;
  const expected = isUnnamed && open.length === 1 ? open : type.key;
  const named = isUnnamed && expected.length === 1 ? [{ ...only, name: expected[0] }] : predicate;
  const missing = type.key.filter((name) => !named.some((argument) => argument.name === name));
  const isUnknown = named.some(({ name }) => name === undefined || !type.key.includes(name));
  if (isUnknown || missing.some((name) => !(name in given))) throw wrongKey(type);
  return Object.fromEntries(type.key.map((name) => [name, keyValue(reader, type, name, named, given)]));
}

function keyValue(
  reader: ArgumentReader,
  type: EntityType,
  name: string,
  predicate: readonly Argument[],
  given: Row,
): Value {
  const argument = predicate.find((candidate) => candidate.name === name);
  if (argument === undefined) return given[name] ?? null;
  return argumentValue(reader, keyProperty(type, name), argument.value, `Key of ${type.name}, ${name}`);
}

/** The key in the leading segments of a path, and their number. */
interface SegmentKey {
  readonly values: Row;
  readonly length: number;
}

/** Key as segment (Part 2, 4.3.6): unquoted, each part of the key that is not given yet, in their order. */
export function bindKeySegments(
  reader: ArgumentReader,
  type: EntityType,
  segments: readonly PathSegment[],
  given: Row,
): SegmentKey {
  const open = type.key.filter((name) => !(name in given));
  const parts = open.map((name, index) => [name, segmentValue(reader, type, name, segments, index)] as const);
  if (parts.length === 0) throw unknownResource(segments[0]);
  return { values: { ...given, ...Object.fromEntries(parts) }, length: parts.length };
}

/** Throws NotFound for a segment that is not a value of the key's type. */
function segmentValue(
  reader: ArgumentReader,
  type: EntityType,
  name: string,
  segments: readonly PathSegment[],
  index: number,
): Value {
  const segment = segments[index];
  if (segment?.kind !== 'name' || segment.arguments !== undefined)
    throw unknownResource(segment ?? segments[0]);
  try {
    return argumentOfText(reader, keyProperty(type, name), segment.name, name);
  } catch {
    throw unknownResource(segment);
  }
}

function keyProperty(type: EntityType, name: string): StructuralProperty {
  const property = type.structuralProperties.get(name);
  if (property === undefined) throw wrongKey(type);
  return property;
}

function wrongKey(type: EntityType): GatewayError {
  const key = type.key.join(' and ');
  return new GatewayError('BadRequest', `Key of ${type.name}: expected a value for ${key}, each once.`);
}
