import type { InsertedContent, Row } from '../../contract/entity-source.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { InsertOperation } from '../../model/operation.ts';
import type { EntityInput } from '../input/entity-input.ts';
import type { InputObject } from '../input/input-value.ts';
import { readEntityInput } from '../input/read-input.ts';
import { demandOwner } from '../load/demand-owner.ts';
import { operationArguments } from '../load/load.ts';
import type { Loading, Wanted } from '../resource/loading.ts';
import { itemOperations, memberOf } from '../resource/place.ts';
import type { CollectionResource, EntityResource } from '../resource/resource.ts';
import { missingOwner } from '../resource/resource-error.ts';
import { createdIn, givenByLink } from './behind-link.ts';
import { hasKey } from './change-entity.ts';
import { completeInput } from './complete-input.ts';
import { insertDeep } from './deep-insert.ts';
import { contentOf } from './extended-input.ts';
import { type InsertPlace, planInsertion } from './planned-insertion.ts';
import { completed, createdRow } from './told-row.ts';
import { type Changing, createdEntity } from './undo-changes.ts';

/**
 * Creates an entity in a collection, of an object by the model's names, together with the related entities that are
 * within the object (Part 1, 11.4.2). The row is the entity as the upstream's answer describes it.
 */
export async function createEntity(
  site: Changing,
  addressed: CollectionResource,
  operation: InsertOperation,
  object: InputObject,
  wanted: Wanted,
): Promise<Row> {
  const { model } = site.service;
  const collection = createdIn(model, addressed);
  const type = collection.cast ?? collection.entityType;
  const given = await givenByLink(site, addressed);
  const { untypedText } = site;
  const { sent } = operation;
  const read = readEntityInput(model, type, object, { kind: 'insert', sent, given, untypedText });
  const input = await completeInput(site, operation, read);
  const place = { collection, operation };
  if (hasOthers(input)) return insertDeep(site, await planInsertion(site, place, input), wanted);
  return insertEntity(site, place, contentOf(model, type, input), wanted, input.values);
}

/** Has the upstream create one entity of that content; `values` are what is known of it. */
export async function insertEntity(
  site: Changing,
  { collection, operation }: InsertPlace,
  content: InsertedContent,
  wanted: Wanted,
  values: Row,
): Promise<Row> {
  const { service, context } = site;
  const entityType = collection.cast ?? collection.entityType;
  const owner = collection.origin.kind === 'operations' ? collection.origin.owner : undefined;
  const args = await operationArguments(site, operation, owner);
  if (args === undefined) throw missingOwner(collection.url);
  const { resource } = collection;
  const places = itemOperations(collection);
  const insert = { resource, entityType, operation, arguments: args, places, ...wanted, content };
  const created = await insertBelow(site, owner, () => service.source.insert(insert, context));
  const row = completed(entityType.key, createdRow(created, wanted.properties, values), values);
  if (hasKey(entityType, row)) site.done?.push(createdEntity({ ...memberOf(collection, row), known: row }));
  return row;
}

/** Whether others are to be created or linked with the entity. */
export function hasOthers({ nested, bindings }: EntityInput): boolean {
  if (bindings.some(({ links }) => links.length > 0)) return true;
  return nested.some(({ property, entities }) => property.origin.kind !== 'embedded' && entities.length > 0);
}

/** An upstream that takes nothing below what is not there refuses for that reason. */
async function insertBelow<Created>(
  loading: Loading,
  owner: EntityResource | undefined,
  insert: () => Promise<Created>,
): Promise<Created> {
  try {
    return await insert();
  } catch (error) {
    const isRefused = error instanceof GatewayError && REFUSALS.has(error.code);
    if (isRefused && owner !== undefined) await demandOwner(loading, owner);
    throw error;
  }
}

const REFUSALS: ReadonlySet<string> = new Set(['InsertFailed', 'NotFound', 'UnprocessableContent']);
