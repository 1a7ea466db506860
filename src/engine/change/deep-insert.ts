import type { Row, Value } from '../../contract/row.ts';
import type { EntityType, NavigationProperty } from '../../model/edm.ts';
import { NOTHING } from '../load/assert-parent-exists.ts';
import { operationArguments } from '../load/load.ts';
import type { Wanted } from '../resource/loading.ts';
import { entityByKey, itemOperations } from '../resource/place.ts';
import { relatedResource } from '../resource/related-resource.ts';
import type { EntityResource } from '../resource/resource.ts';
import { missingOwner } from '../resource/resource-error.ts';
import { type Changing, type CompletedChange, carryOut, createdEntity } from './compensation.ts';
import { completed, createdRepresentation } from './created-representation.ts';
import { contentOf, extendedInput } from './extended-input.ts';
import { fixedByEntity, sentContent } from './fixed-by-entity.ts';
import type { DeepInput, Insertion, RelatedInsertion } from './planned-insertion.ts';
import { linkPlanned } from './planned-link.ts';

/** Creates all of it; where a part fails, what was created is deleted again, and the error says what is left. */
export async function insertDeep(site: Changing, insertion: Insertion, wanted: Wanted): Promise<Row> {
  return carryOut(site, (done) => insertOne(site, insertion, { wanted }, done));
}

/** What the entity is given by others, and what is wanted of it when it is there. */
interface Dealings {
  readonly given?: Row;
  readonly wanted?: Wanted;
  /** What those that refer to it have to know. */
  readonly needed?: readonly string[];
}

async function insertOne(
  site: Changing,
  insertion: Insertion,
  { given = {}, wanted = NOTHING, needed = [] }: Dealings,
  done: CompletedChange[],
): Promise<Row> {
  const { service, context } = site;
  const { collection, operation, body } = insertion;
  const { type: entityType } = collection;
  const owner = collection.origin.kind === 'operations' ? collection.origin.owner : undefined;
  const known = [...needed, ...ownKeys(entityType, insertion)];
  const properties = [...new Set([...wanted.properties, ...known])];
  return insertAmong(site, insertion, done, async (foreignKeys) => {
    const values = { ...given, ...foreignKeys };
    const sent = extendedInput(body, { values, nested: body.nested });
    const args = await operationArguments(site, operation, owner);
    if (args === undefined) throw missingOwner(collection.url);
    const { resource } = collection;
    const places = itemOperations(collection);
    const asked = { ...args, ...fixedByEntity(operation, sent.values) };
    const insert = { resource, entityType, operation, arguments: asked, places };
    const content = sentContent(operation, contentOf(entityType, sent));
    const what = { ...wanted, properties, content };
    const answered = await service.source.insert({ ...insert, ...what }, context);
    const row = completed(known, createdRepresentation(answered, properties, sent.values), sent.values);
    return { ...entityByKey(collection, keyOf(entityType, row)), known: row };
  });
}

/** Creates an entity between those that it needs and those that need it; all that is known of it then. */
export async function insertAmong(
  site: Changing,
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

/** What the others that were created before give the entity for foreign keys. */
export async function insertBefore(
  site: Changing,
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
  site: Changing,
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
      if (!isBelow && keys.length === 0) await linkCreated(site, parent, property, place, row, done);
    }
  }
}

/** Of what has no key of the other, an operation of its own says that they are related. */
async function linkCreated(
  site: Changing,
  owner: EntityResource,
  navigation: NavigationProperty,
  { collection }: Insertion,
  row: Row,
  done: CompletedChange[],
): Promise<void> {
  const { addReference: operation } = navigation;
  if (operation === undefined) return;
  const related = { ...entityByKey(collection, keyOf(collection.entityType, row)), known: row };
  const written = { url: related.url, target: navigation.name };
  const change = { kind: 'operation', operation } as const;
  await linkPlanned(site, owner, { navigation, change, related, written, before: {} }, done, true);
}

/** The key as far as it is known. */
function keyOf({ key }: EntityType, row: Row): Row {
  return Object.fromEntries(key.map((name) => [name, row[name] ?? null]));
}
