import type { Row, Value } from '../../../contract/entity-source.ts';
import type { EntityType } from '../../../model/edm.ts';
import { type EqualProperties, equalProperties } from '../../../model/equal-properties.ts';
import type { InsertOperation } from '../../../model/operation.ts';
import type { NavigationProperty } from '../../../model/structured-type.ts';
import type { EntityBody, NestedEntities } from '../../payload/body/entity-body.ts';
import { extendedBody } from '../../payload/body/request-body.ts';
import { operationArguments, type Wanted } from '../load/load.ts';
import { collectionOf } from '../resource/entity-set-resource.ts';
import { itemOperations, memberOf } from '../resource/place.ts';
import { relatedResource } from '../resource/related-resource.ts';
import type { CollectionResource, EntityResource } from '../resource/resource.ts';
import { missingOwner, notImplemented } from '../resource/resource-error.ts';
import type { Service } from '../service.ts';
import { NOTHING } from './demand-owner.ts';
import { completeBody } from './inserted-body.ts';
import { linkPlanned, type PlannedLink, planLink } from './planned-link.ts';
import { type ChangeSite, carryOut, createdEntity, type Done } from './undo-changes.ts';

/** Where an entity is created, and by what. */
interface InsertPlace {
  readonly collection: CollectionResource;
  readonly operation: InsertOperation;
}

/** An entity that is to be created, with others that must be there before it or can only be after it. */
export interface Insertion extends InsertPlace {
  readonly body: EntityBody;
  /** Of these, the entity has the keys. */
  readonly before: readonly RelatedInsertion[];
  /** These have the entity's key, in their path or in a property. */
  readonly after: readonly RelatedInsertion[];
  /** These lead to entities that are there already. */
  readonly links: readonly PlannedLink[];
}

/** Entities that are to be created behind a navigation property of another one. */
export interface RelatedInsertion {
  readonly property: NavigationProperty;
  readonly keys: readonly EqualProperties[];
  /** Whoever creates them may see them. */
  readonly isVisible: boolean;
  readonly insertions: readonly Insertion[];
}

/**
 * Checks what is to be created, and who may do it, before the first of it is sent (Part 1, 11.4.2.2).
 * NotImplemented where the upstream has no operation for a part of it.
 */
export async function planInsertion(
  site: ChangeSite,
  place: InsertPlace,
  body: EntityBody,
): Promise<Insertion> {
  const embedded = body.nested.filter(({ property }) => property.origin.kind === 'embedded');
  const others = body.nested.filter((each) => !embedded.includes(each) && each.entities.length > 0);
  const owner = memberOf(place.collection, {});
  const related = await Promise.all(others.map((nested) => planRelated(site, owner, body, nested)));
  const links = body.bindings.flatMap((binding) =>
    binding.links.map((written) => planLink(site, owner, binding.property, written)),
  );
  const isBefore = ({ property }: RelatedInsertion) => property.constraints.length > 0;
  return {
    ...place,
    body: { ...body, nested: embedded },
    before: related.filter(isBefore),
    after: related.filter((each) => !isBefore(each)),
    links: await Promise.all(links),
  };
}

/** Entities within another one: `owner` may be one that is not there yet. */
export async function planRelated(
  site: ChangeSite,
  owner: EntityResource,
  { entityType }: Pick<EntityBody, 'entityType'>,
  { property, entities }: NestedEntities,
): Promise<RelatedInsertion> {
  const { service, request } = site;
  const place = placeOfRelated(service, owner, entityType, property);
  service.source.permit?.(place.collection.resource, 'Insert', request);
  const insertions = entities.map(async (entity) => {
    const { collection: related, operation } = place;
    return planInsertion(site, place, await completeBody(site, operation, related.entityType, entity));
  });
  const keys = equalProperties(service.model, entityType, property);
  const isVisible = mayView(site, place.collection.resource);
  return { property, keys, isVisible, insertions: await Promise.all(insertions) };
}

function mayView({ service: { source }, request }: ChangeSite, resource: string): boolean {
  try {
    source.permit?.(resource, 'View', request);
    return true;
  } catch {
    return false;
  }
}

/** Below the entity's path, or in the set of the related entities where a foreign key or a link says whose they are. */
function placeOfRelated(
  { model }: Service,
  owner: EntityResource,
  entityType: EntityType,
  property: NavigationProperty,
): InsertPlace {
  if (property.origin.kind === 'path' && property.collection) {
    const below = relatedResource(model, owner, property);
    const insert = below.origin.kind === 'operations' ? below.origin.operations.insert : undefined;
    if (below.kind === 'collection' && insert?.verbatim === false) {
      return { collection: below, operation: insert };
    }
  }
  const set = model.entitySets.get(property.target ?? '');
  const isLinked =
    property.addReference !== undefined || equalProperties(model, entityType, property).length > 0;
  if (set?.insert?.verbatim !== false || !isLinked) throw notImplemented(`"${property.name}" in a body`);
  return { collection: collectionOf(set), operation: set.insert };
}

/** Creates all of it; where a part fails, what was created is deleted again, and the error says what is left. */
export async function insertDeep(site: ChangeSite, insertion: Insertion, wanted: Wanted): Promise<Row> {
  return carryOut(site, (done) => insertOne(site, insertion, {}, wanted, done));
}

async function insertOne(
  site: ChangeSite,
  insertion: Insertion,
  given: Row,
  wanted: Wanted,
  done: Done[],
): Promise<Row> {
  const { service, request } = site;
  const { collection, operation, body } = insertion;
  const entityType = collection.cast ?? collection.entityType;
  const values = { ...given, ...(await insertBefore(site, insertion, done)) };
  const { nested } = body;
  const { bytes, ...sent } = extendedBody(service.model, entityType, body, { values, nested });
  const owner = collection.origin.kind === 'operations' ? collection.origin.owner : undefined;
  const args = await operationArguments({ service, context: request }, operation, owner);
  if (args === undefined) throw missingOwner(collection.url);
  const { resource } = collection;
  const properties = [...new Set([...wanted.properties, ...ownKeys(entityType, insertion)])];
  const places = itemOperations(collection);
  const insert = {
    resource,
    entityType,
    operation,
    arguments: args,
    places,
    ...wanted,
    properties,
    body: bytes,
  };
  const answered = (await service.source.insert(insert, request)) ?? {};
  const row = completed(properties, answered, sent.values);
  const entity = { ...memberOf(collection, keyOf(entityType, row)), known: row };
  done.push(createdEntity(entity));
  await insertAfter(site, insertion.after, entity, done);
  for (const link of insertion.links) await linkPlanned(site, entity, link, done, true);
  return row;
}

/** What others refer to must be known, whether or not the upstream repeats it. */
function completed(properties: readonly string[], row: Row, sent: Row): Row {
  const missing = properties.filter((name) => (row[name] ?? null) === null);
  return { ...row, ...Object.fromEntries(missing.map((name) => [name, sent[name] ?? null])) };
}

function ownKeys({ key }: EntityType, { after, links }: Insertion): readonly string[] {
  const linked = links.flatMap(({ change }) => (change.kind === 'related' ? change.keys : []));
  return [...key, ...[...after.flatMap(({ keys }) => keys), ...linked].map(({ own }) => own)];
}

/** What the others that were created before give the entity for foreign keys. */
export async function insertBefore(
  site: ChangeSite,
  { before }: Pick<Insertion, 'before'>,
  done: Done[],
): Promise<Row> {
  const values: [string, Value][] = [];
  for (const { keys, insertions } of before) {
    for (const insertion of insertions) {
      const wanted = { properties: keys.map(({ related }) => related), dynamic: false };
      const row = await insertOne(site, insertion, {}, wanted, done);
      values.push(...keys.map(({ own, related }) => [own, row[related] ?? null] as [string, Value]));
    }
  }
  return Object.fromEntries(values);
}

/** Creates what needs the key of an entity that is there now. */
export async function insertAfter(
  site: ChangeSite,
  after: readonly RelatedInsertion[],
  parent: EntityResource,
  done: Done[],
): Promise<void> {
  for (const { property, keys, insertions } of after) {
    const given = Object.fromEntries(keys.map(({ own, related }) => [related, parent.known[own] ?? null]));
    for (const insertion of insertions) {
      const isBelow = insertion.collection.link !== undefined;
      const below = isBelow ? relatedResource(site.service.model, parent, property) : insertion.collection;
      const place = below.kind === 'collection' ? { ...insertion, collection: below } : insertion;
      const row = await insertOne(site, place, isBelow ? {} : given, NOTHING, done);
      if (!isBelow && keys.length === 0) await linkCreated(site, parent, property, place, row, done);
    }
  }
}

/** Of what has no key of the other, an operation of its own says that they are related. */
async function linkCreated(
  site: ChangeSite,
  owner: EntityResource,
  navigation: NavigationProperty,
  { collection }: Insertion,
  row: Row,
  done: Done[],
): Promise<void> {
  const { addReference: operation } = navigation;
  if (operation === undefined) return;
  const related = { ...memberOf(collection, keyOf(collection.entityType, row)), known: row };
  const written = { url: related.url, target: navigation.name };
  const change = { kind: 'operation', operation } as const;
  await linkPlanned(site, owner, { navigation, change, related, written, before: {} }, done, true);
}

/** The key as far as it is known. */
function keyOf({ key }: EntityType, row: Row): Row {
  return Object.fromEntries(key.map((name) => [name, row[name] ?? null]));
}
