import { type Row, TYPE, type Value } from '../../contract/row.ts';
import type { EntityType, NavigationProperty } from '../../model/edm.ts';
import { insertInSet } from '../../model/link-change.ts';
import type { SentType } from '../../model/operation.ts';
import { sentWithin } from '../../model/sent-type.ts';
import { type ModelType, qualifiedName } from '../typing/expression-type.ts';
import type { NavigationBinding, WrittenLink } from './entity-input.ts';
import { describe, type InputObject, isInputObject, type Mistakes, pathTo } from './mistakes.ts';
import { readMember as readEnumerationMember, readPrimitiveValue } from './primitive-input.ts';
import type { Placed, ReadChanges, Reading, ReadMember, ReadNested, ReadObject } from './reading.ts';
import { RelationInput } from './relation-input.ts';
import { checkOwnType } from './type-control.ts';

/** The input for related entities in an object of the body. */
export interface ReadRelated {
  readonly bindings?: readonly NavigationBinding[];
  readonly nested?: readonly ReadNested[];
  readonly changes?: readonly ReadChanges[];
  /** Embedded entities, which are sent with the entity's own JSON. */
  readonly values?: readonly [string, Value][];
}

/**
 * Reads control information: `Nav@odata.bind` links to entities (JSON Format 4.0, 8.5), and `Nav@delta`
 * changes related ones (4.01, 8.6). Others are ignored.
 */
export function readControl(reading: Reading, type: ModelType, name: string, placed: Placed): ReadRelated {
  const [owner = '', term = ''] = name.split(/@(?:odata\.)?/);
  if (owner === '' || (term !== 'bind' && term !== 'delta')) return {};
  const property = type.navigationProperties.get(owner);
  if (property === undefined) {
    reading.mistakes.add(placed.path, `a navigation property of ${qualifiedName(type)}`, 'another name');
    return {};
  }
  if (term === 'bind') return { bindings: readBinding(property, placed, reading.mistakes) };
  return readDelta(reading, type, property, placed);
}

function readDelta(
  reading: Reading,
  owner: ModelType,
  property: NavigationProperty,
  { json, path }: Placed,
): ReadRelated {
  const type = property.entityType;
  const items = property.collection ? relatedItems(property, json) : undefined;
  const isCreate = reading.kind === 'insert' && reading.isUpsert !== true;
  if (items === undefined || isCreate) {
    const expected = isCreate ? 'all of the related entities' : 'an array of objects';
    const found = isCreate ? 'a delta' : describe(json);
    reading.mistakes.add(path, property.collection ? expected : 'the delta of a collection', found);
    return {};
  }
  const entities = placedItems(property, items, path);
  checkNamed(type, entities, reading.mistakes);
  const related = { ...reading, sent: sentBehind(reading.sent, owner, property) };
  if (reading.kind === 'insert') return readAdded(related, property, { json: entities, path });
  const members = entities.map((each) => readRemoved(reading, type, each) ?? readMember(reading, type, each));
  return { changes: [{ property, path, whole: false, members }] };
}

/**
 * Reads the related entities of a new entity, to which nothing is related yet: what a delta adds is all of it (Part
 * 1, 11.4.4).
 */
function readAdded(
  reading: Reading,
  property: NavigationProperty,
  { json: entities, path }: Placed<readonly Placed<InputObject>[]>,
): ReadRelated {
  const added = entities.filter((each) => readRemoved(reading, property.entityType, each) === undefined);
  for (const { json, path: place } of added) {
    if (readReference(json).length === 0 || isReference(json)) continue;
    reading.mistakes.add(place, 'a reference or a new entity', 'a change of one that is there');
  }
  return readNew(reading, property, { json: added, path });
}

/** Related entities within the body: to be created or changed with this one, or references to some (JSON Format, 8.5). */
export function readNavigation(
  reading: Reading,
  owner: ModelType,
  property: NavigationProperty,
  { json, path }: Placed,
): ReadRelated {
  if (json instanceof RelationInput) return readRelation(reading, owner, property, { json, path });
  const type = property.entityType;
  const items = relatedItems(property, json);
  if (items === undefined) {
    reading.mistakes.add(path, property.collection ? 'an array of objects' : 'an object', describe(json));
    return {};
  }
  const entities = placedItems(property, items, path);
  checkNamed(type, entities, reading.mistakes);
  const related = { ...reading, sent: sentBehind(reading.sent, owner, property) };
  if (reading.kind === 'insert') return readNew(related, property, { json: entities, path });
  if (property.origin.kind === 'embedded') {
    return { values: [[property.name, readEmbedded(related, property, entities)]] };
  }
  if (!property.collection && items.every(isReference)) {
    return { bindings: [{ property, path, links: linksOf(entities) }] };
  }
  const members = entities.map((each) => readMember(reading, type, each));
  return { changes: [{ property, path, whole: true, members }] };
}

/** Reads what is to be created, linked and unlinked. Nothing is related to a new entity yet. */
function readRelation(
  reading: Reading,
  owner: ModelType,
  property: NavigationProperty,
  { json: { created, linked, unlinked, isWhole }, path }: Placed<RelationInput>,
): ReadRelated {
  const { entityType: type, collection } = property;
  const given = referencingProperties(property);
  const sent = sentBehind(reading.sent, owner, property);
  const entities = created.map((each) =>
    reading.readEntity({ ...reading, kind: 'insert', sent }, type, each, given),
  );
  if (reading.kind === 'insert') {
    return {
      bindings: linked.length === 0 ? [] : [{ property, path, links: linked }],
      nested: entities.length === 0 ? [] : [{ property, entities }],
    };
  }
  if (!collection && entities.length === 0) return { bindings: [{ property, path, links: linked }] };
  const members: readonly ReadMember[] = [
    ...entities.map((entity, index) => {
      return { kind: 'created', path: created[index]?.path ?? path, entity } as const;
    }),
    ...linked.map((link) => ({ kind: 'link', link }) as const),
    ...unlinked.map((link) => {
      return { kind: 'removed', path: link.target, link, key: {}, isDeleted: false } as const;
    }),
  ];
  return { changes: [{ property, path, whole: isWhole, members }] };
}

/**
 * The body schema for related entities: within the entity's own, or that of the operation that creates them.
 */
export function sentBehind(
  sent: SentType | undefined,
  owner: ModelType,
  property: NavigationProperty,
): SentType | undefined {
  const { origin } = property;
  if (origin.kind === 'embedded') return sentWithin(sent, origin);
  const places = origin.kind === 'path' ? origin.places : [];
  const below = places.find(({ insert }) => insert?.verbatim === false)?.insert;
  const insert = below ?? ('key' in owner ? insertInSet(owner, property) : undefined);
  return insert?.sent;
}

/** Related entities with the path of each. */
function placedItems(
  { collection }: NavigationProperty,
  items: readonly InputObject[],
  path: string,
): readonly Placed<InputObject>[] {
  return items.map((json, index) => ({ json, path: collection ? pathTo(path, index) : path }));
}

/** References and removed entities must have the declared type, too. */
function checkNamed(type: EntityType, entities: readonly Placed<InputObject>[], mistakes: Mistakes): void {
  for (const { json, path } of entities) {
    const isNamed = isReference(json) || removedMember(json) !== undefined;
    if (isNamed) checkOwnType(json, { type, collection: false }, path, mistakes);
  }
}

function readNew(
  reading: Reading,
  property: NavigationProperty,
  { json: placed, path }: Placed<readonly Placed<InputObject>[]>,
): ReadRelated {
  const links = linksOf(placed);
  const given = referencingProperties(property);
  const entities = placed
    .filter(({ json }) => !isReference(json))
    .map((each) => reading.readEntity(reading, property.entityType, each, given));
  const isNone = placed.length === 0;
  return {
    bindings: links.length > 0 || (isNone && !property.collection) ? [{ property, path, links }] : [],
    nested: entities.length > 0 || (isNone && property.collection) ? [{ property, entities }] : [],
  };
}

function linksOf(placed: readonly Placed<InputObject>[]) {
  return placed
    .filter(({ json }) => isReference(json))
    .flatMap(({ json, path }) => readReference(json).map((url) => ({ url, target: path })));
}

/** Reads what stands in the entity's own JSON: a single object is merged, and a collection replaced (Part 1, 11.4.3). */
function readEmbedded(
  reading: Reading,
  { collection, entityType }: NavigationProperty,
  placed: readonly Placed<InputObject>[],
): Value {
  const kind = collection ? 'insert' : reading.kind;
  const rows = placed.map((each) => readHeld({ ...reading, kind }, entityType, each));
  return collection ? rows : (rows[0] ?? null);
}

/** Reads an entity that is sent as a part of something else, with those that stand in it: nothing else can be sent of it. */
export function readHeld(reading: Reading, type: EntityType, placed: Placed<InputObject>): Row {
  if (!isReference(placed.json))
    return rowOf(reading, reading.readEntity(reading, type, placed), placed.path);
  reading.mistakes.add(placed.path, 'the entity itself', 'a reference to it');
  return {};
}

function rowOf(reading: Reading, entity: ReadObject<EntityType>, path: string): Row {
  const { declared, type, values, bindings, nested, changes } = entity;
  const held = nested.filter(({ property }) => property.origin.kind === 'embedded');
  const others = nested.filter((each) => !held.includes(each));
  for (const { property } of [...bindings, ...changes, ...others]) {
    reading.mistakes.add(
      pathTo(path, property.name),
      'entities that stand in this one',
      'other related ones',
    );
  }
  const related = held.map(({ property, entities }) => {
    const rows = entities.map((each) => rowOf(reading, each, pathTo(path, property.name)));
    return [property.name, property.collection ? rows : (rows[0] ?? null)] as const;
  });
  const row = { ...values, ...Object.fromEntries(related) };
  return type === declared ? row : { ...row, [TYPE]: type.name };
}

function relatedItems({ collection }: NavigationProperty, json: unknown): readonly InputObject[] | undefined {
  if (collection) return Array.isArray(json) && json.every(isInputObject) ? json : undefined;
  if (json === null) return [];
  return isInputObject(json) ? [json] : undefined;
}

/** The properties by which related entities refer to the one that they are within. */
export function referencingProperties({ partner }: NavigationProperty): readonly string[] {
  return partner?.constraints.map(({ property }) => property) ?? [];
}

/** One of the entities that are to be related: a reference to one, or what it is to be (Part 1, 11.4.3.1). */
function readMember(reading: Reading, type: EntityType, placed: Placed<InputObject>): ReadMember {
  const { json, path } = placed;
  const link = linkOf(placed);
  if (link !== undefined && isReference(json)) return { kind: 'link', link };
  const entity = reading.readEntity({ ...reading, kind: 'update', sent: undefined }, type, placed);
  const key = readKey(reading, entity.type, placed);
  return { kind: 'entity', path, link, key, etag: controlOf(json, 'etag'), entity, json };
}

/** An entity that a delta takes out (JSON Format 4.01, 15.3); undefined for any other. */
function readRemoved(
  reading: Reading,
  type: EntityType,
  placed: Placed<InputObject>,
): ReadMember | undefined {
  const { json, path } = placed;
  const name = removedMember(json);
  if (name === undefined) return undefined;
  const removed = json[name];
  const reason = isInputObject(removed) ? (removed['reason'] ?? 'changed') : undefined;
  if (reason !== 'changed' && reason !== 'deleted') {
    reading.mistakes.add(pathTo(path, name), 'the reason "changed" or "deleted"', describe(removed));
  }
  const link = linkOf(placed);
  const key = readKey(reading, type, placed);
  if (link === undefined && Object.keys(key).length < type.key.length) {
    reading.mistakes.add(path, 'the id or the key of an entity', 'neither');
  }
  return { kind: 'removed', path, link, key, isDeleted: reason === 'deleted' };
}

function removedMember(json: InputObject): string | undefined {
  return ['@removed', '@odata.removed'].find((each) => Object.hasOwn(json, each));
}

function linkOf({ json, path }: Placed<InputObject>): WrittenLink | undefined {
  const [url] = readReference(json);
  return url === undefined ? undefined : { url, target: path };
}

function controlOf(json: InputObject, name: string): string | undefined {
  const value = json[`@${name}`] ?? json[`@odata.${name}`];
  return typeof value === 'string' ? value : undefined;
}

/** The properties of the key that are said. */
function readKey(reading: Reading, type: EntityType, { json, path }: Placed<InputObject>): Row {
  const entries = type.key.flatMap((name): readonly (readonly [string, Value])[] => {
    const property = type.structuralProperties.get(name);
    const value = json[name];
    if (property === undefined || value === undefined) return [];
    const { type: held } = property;
    const place = pathTo(path, name);
    if (held.kind === 'enumeration') return [[name, readEnumerationMember(reading, held, value, place)]];
    return held.kind === 'primitive' ? [[name, readPrimitiveValue(reading, property, value, place)]] : [];
  });
  return Object.fromEntries(entries);
}

/** Reads `Nav@odata.bind`: links to entities (JSON Format 4.0, 8.5). */
function readBinding(
  property: NavigationProperty,
  { json, path }: Placed,
  mistakes: Mistakes,
): readonly NavigationBinding[] {
  const urls = readUrls(property, json);
  if (urls === undefined) {
    mistakes.add(path, property.collection ? 'an array of URLs' : 'a URL', describe(json));
    return [];
  }
  const { collection } = property;
  const links = urls.map((url, index) => ({ url, target: collection ? pathTo(path, index) : path }));
  return [{ property, path, links }];
}

function readUrls({ collection }: NavigationProperty, json: unknown): readonly string[] | undefined {
  if (!collection) {
    if (json === null) return [];
    return typeof json === 'string' ? [json] : undefined;
  }
  return Array.isArray(json) && json.every((url) => typeof url === 'string') ? json : undefined;
}

/** Whether an object has an entity's id and no properties, and so refers to an existing entity (14). */
function isReference(object: InputObject): boolean {
  const names = Object.keys(object);
  return readReference(object).length === 1 && names.every((name) => name.startsWith('@'));
}

/** The URL in an entity reference. */
export function readReference(object: InputObject): readonly string[] {
  const url = object['@odata.id'] ?? object['@id'];
  return typeof url === 'string' ? [url] : [];
}
