import type { Arguments, InsertedContent } from '../../contract/entity-source.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import { PARTIAL, picked, type Row, signsOf, type Value } from '../../contract/row.ts';
import type { EntityType, NavigationProperty } from '../../model/edm.ts';
import { isByKey, referentialConstraints } from '../../model/link-change.ts';
import type { Model } from '../../model/model.ts';
import type { InsertOperation } from '../../model/operation.ts';
import type { EntityInput } from '../input/entity-input.ts';
import { assertParentExists, NOTHING, operationArguments, requireEntity } from '../load/load.ts';
import type { LoadContext, LoadRequest } from '../resource/load-context.ts';
import {
  castTo,
  collectionOf,
  entityByKey,
  itemOperations,
  relatedResource,
} from '../resource/navigation-source.ts';
import {
  type CollectionResource,
  type EntityResource,
  type Link,
  missingOwner,
} from '../resource/resource.ts';
import { completeInput, contentOf, extendedInput } from './bound-input.ts';
import { hasKey } from './change-entity.ts';
import { type ChangeContext, type CompletedChange, carryOut, createdEntity } from './compensation.ts';
import {
  type DeepInput,
  type Insertion,
  type InsertPlace,
  planInsertion,
  type RelatedInsertion,
} from './planned-insertion.ts';
import { linkPlanned, type PlannedLink } from './planned-link.ts';

/**
 * Creates an entity in a collection, with what else its input has (Part 1, 11.4.2); all that is known of it then. `read`
 * reads the input, where `given` is what the place says of the entity.
 */
export async function createEntity(
  site: ChangeContext,
  addressed: CollectionResource,
  operation: InsertOperation,
  read: (type: EntityType, given: Row) => EntityInput,
  wanted: LoadRequest,
): Promise<Row> {
  const { model } = site.service;
  const collection = createdIn(model, addressed);
  const { type } = collection;
  const given = await givenByLink(site, addressed);
  const input = await completeInput(site, operation, read(type, given));
  const place = { collection, operation };
  if (hasOthers(input)) return insertDeep(site, await planInsertion(site, place, input), wanted);
  return insertEntity(site, place, contentOf(type, input), wanted, input.values);
}

/** The collection in which a new entity is created: for a link, its own entity set. */
export function createdIn(model: Model, collection: CollectionResource): CollectionResource {
  const { entitySet, type, isCast } = collection;
  if (linkTo(collection) === undefined || entitySet === undefined) return collection;
  const home = collectionOf(entitySet);
  return (isCast ? castTo(model, home, type.name) : undefined) ?? home;
}

/** The values with which a new entity behind a link refers to its owner, which must exist. */
export async function givenByLink(loading: LoadContext, collection: CollectionResource): Promise<Row> {
  const link = linkTo(collection);
  if (link === undefined) return {};
  const { owner, navigation } = link;
  const keys = referentialConstraints(owner.type, navigation);
  const properties = keys.map(({ own }) => own);
  const { data } = await requireEntity(loading, owner, { properties, dynamic: false });
  const unset = properties.find((name) => (data[name] ?? null) === null);
  if (unset !== undefined) throw unlinkable(link, unset);
  return Object.fromEntries(keys.map(({ own, related }) => [related, data[own] ?? null]));
}

function linkTo({ link }: CollectionResource): Link | undefined {
  return link !== undefined && isByKey(link.navigation.origin) ? link : undefined;
}

function unlinkable({ owner, navigation }: Link, property: string): GatewayError {
  const url = decodeURIComponent(owner.url);
  const message = `${navigation.name}: nothing can belong to ${url} as long as its "${property}" is null.`;
  return new GatewayError('Conflict', message, { target: navigation.name });
}

/** Creates all of it; where a part fails, what was created is deleted again, and the error says what is left. */
export async function insertDeep(
  site: ChangeContext,
  insertion: Insertion,
  wanted: LoadRequest,
): Promise<Row> {
  return carryOut(site, (done) => insertOne(site, insertion, { wanted }, done));
}

/** Values from others, and the properties to return. */
interface Dealings {
  readonly given?: Row;
  readonly wanted?: LoadRequest;
  /** The properties that referring entities need. */
  readonly needed?: readonly string[];
}

async function insertOne(
  site: ChangeContext,
  insertion: Insertion,
  { given = {}, wanted = NOTHING, needed = [] }: Dealings,
  done: CompletedChange[],
): Promise<Row> {
  const { collection, body } = insertion;
  const { type: entityType } = collection;
  const known = [...needed, ...ownKeys(entityType, insertion)];
  const properties = [...new Set([...wanted.properties, ...known])];
  return insertAmong(site, insertion, done, async (foreignKeys) => {
    const values = { ...given, ...foreignKeys };
    const sent = extendedInput(body, { values, nested: body.nested });
    const content = contentOf(entityType, sent);
    const row = await insertRow(site, insertion, content, { ...wanted, properties }, sent.values);
    const whole = completed(known, row, sent.values);
    return { ...entityByKey(collection, picked(whole, entityType.key)), known: whole };
  });
}

/** Creates an entity between those that it needs and those that need it; all that is known of it then. */
export async function insertAmong(
  site: ChangeContext,
  others: Omit<DeepInput, 'body'>,
  done: CompletedChange[],
  create: (foreignKeys: Row) => Promise<EntityResource>,
): Promise<Row> {
  const entity = await create(await insertBefore(site, others, done));
  done.push(createdEntity(entity));
  await insertAfter(site, others.after, entity, done);
  for (const link of others.links) await linkPlanned(site, entity, link, done, true);
  return entity.known;
}

export function ownKeys({ key }: EntityType, { after, links }: Omit<DeepInput, 'body'>): readonly string[] {
  const linked = links.flatMap(({ change }) => (change.kind === 'related' ? change.keys : []));
  return [...key, ...[...after.flatMap(({ keys }) => keys), ...linked].map(({ own }) => own)];
}

/** The foreign keys of the entity to those that were created before. */
export async function insertBefore(
  site: ChangeContext,
  { before }: Pick<DeepInput, 'before'>,
  done: CompletedChange[],
): Promise<Row> {
  const values: [string, Value][] = [];
  for (const { keys, insertions } of before) {
    for (const insertion of insertions) {
      const row = await insertOne(site, insertion, { needed: keys.map(({ related }) => related) }, done);
      values.push(...keys.map(({ own, related }) => [own, row[related] ?? null] as [string, Value]));
    }
  }
  return Object.fromEntries(values);
}

/** Creates what needs the key of an entity that is there now. */
export async function insertAfter(
  site: ChangeContext,
  after: readonly RelatedInsertion[],
  parent: EntityResource,
  done: CompletedChange[],
): Promise<void> {
  for (const { property, keys, insertions } of after) {
    const given = Object.fromEntries(keys.map(({ own, related }) => [related, parent.known[own] ?? null]));
    for (const insertion of insertions) {
      const isBelow = insertion.collection.link !== undefined;
      const below = isBelow ? relatedResource(site.service.model, parent, property) : insertion.collection;
      const place = below.kind === 'collection' ? { ...insertion, collection: below } : insertion;
      const row = await insertOne(site, place, isBelow ? {} : { given }, done);
      const link = isBelow || keys.length > 0 ? undefined : linkToNew(place, row, property);
      if (link !== undefined) await linkPlanned(site, parent, link, done, true);
    }
  }
}

/** The link to an entity that has just been created, where neither has the other's key: by an operation of its own. */
function linkToNew(
  { collection }: Insertion,
  row: Row,
  navigation: NavigationProperty,
): PlannedLink | undefined {
  const { addReference: operation } = navigation;
  if (operation === undefined) return undefined;
  const related = { ...entityByKey(collection, picked(row, collection.entityType.key)), known: row };
  const written = { url: related.url, target: navigation.name };
  return { navigation, change: { kind: 'operation', operation }, related, written, before: {} };
}

/** Creates one entity of that content; `values` are what is known of it. */
export async function insertEntity(
  site: ChangeContext,
  place: InsertPlace,
  content: InsertedContent,
  wanted: LoadRequest,
  values: Row,
): Promise<Row> {
  const { collection } = place;
  const { type: entityType } = collection;
  const row = completed(entityType.key, await insertRow(site, place, content, wanted, values), values);
  if (hasKey(entityType, row))
    site.done?.push(createdEntity({ ...entityByKey(collection, row), known: row }));
  return row;
}

/** Has the upstream create one entity; what it says of that. */
async function insertRow(
  site: ChangeContext,
  { collection, operation }: InsertPlace,
  content: InsertedContent,
  wanted: LoadRequest,
  values: Row,
): Promise<Row> {
  const { service, context } = site;
  const { type: entityType } = collection;
  const owner = collection.origin.kind === 'operations' ? collection.origin.owner : undefined;
  const args = await operationArguments(site, operation, owner);
  if (args === undefined) throw missingOwner(collection.url);
  const { resource } = collection;
  const places = itemOperations(collection);
  const insert = {
    resource,
    entityType,
    operation,
    arguments: { ...args, ...fixedByEntity(operation, values) },
    places,
    ...wanted,
    content: sentContent(operation, content),
  };
  const created = await insertBelow(site, owner, () => service.source.insert(insert, context));
  return createdRepresentation(created, wanted.properties, values);
}

/** Whether others are to be created or linked with the entity. */
export function hasOthers({ nested, bindings }: EntityInput): boolean {
  if (bindings.some(({ links }) => links.length > 0)) return true;
  return nested.some(({ property, entities }) => property.origin.kind !== 'embedded' && entities.length > 0);
}

/** An upstream that takes nothing below what is not there refuses for that reason. */
async function insertBelow<Created>(
  loading: LoadContext,
  owner: EntityResource | undefined,
  insert: () => Promise<Created>,
): Promise<Created> {
  try {
    return await insert();
  } catch (error) {
    const isRefused = error instanceof GatewayError && REFUSALS.has(error.code);
    if (isRefused && owner !== undefined) await assertParentExists(loading, owner);
    throw error;
  }
}

const REFUSALS: ReadonlySet<string> = new Set(['InsertFailed', 'NotFound', 'UnprocessableContent']);

/** The parameters of a create that are filled from the new entity; throws for missing values. */
function fixedByEntity({ fixed = [] }: InsertOperation, values: Row): Arguments {
  const given = fixed.map(({ name, property }): [string, Value] => {
    const value = values[property] ?? null;
    if (value === null) throw missingValue(property);
    return [name, value];
  });
  return Object.fromEntries(given);
}

/**
 * The content of the body, without properties that are sent as parameters. Forwarded bytes are not changed.
 */
function sentContent({ unsent = [] }: InsertOperation, content: InsertedContent): InsertedContent {
  if (content.kind === 'verbatim' || unsent.length === 0) return content;
  const values = Object.entries(content.values).filter(([name]) => !unsent.includes(name));
  return { ...content, values: Object.assign(Object.fromEntries(values), signsOf(content.values)) };
}

function missingValue(property: string): GatewayError {
  const message = `${property}: expected a value, found none: it says where the entity is created`;
  return new GatewayError('BadRequest', message, { target: property });
}

/**
 * An entity that was created, as the upstream's answer describes it: what that leaves out is null. Of an upstream that
 * says nothing but where the entity is, or not even that, it is known what it was sent.
 */
export function createdRepresentation(
  answered: Row | undefined,
  properties: readonly string[],
  sent: Row,
): Row {
  if (answered !== undefined && answered[PARTIAL] !== true) return answered;
  return { ...picked(sent, properties), ...answered };
}

/**
 * Completes a row by what others refer to, as URLs do to its key: that must be known, whether or not the upstream
 * repeats it.
 */
export function completed(needed: readonly string[], row: Row, sent: Row): Row {
  const missing = needed.filter((name) => (row[name] ?? null) === null);
  return { ...row, ...picked(sent, missing) };
}
