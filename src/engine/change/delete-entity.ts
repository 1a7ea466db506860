import { picked, type Row } from '../../contract/row.ts';
import { type EntityType, isReadable, withDerivedTypes } from '../../model/edm.ts';
import type { InsertOperation, Operation, SentType, UpdateOperation } from '../../model/operation.ts';
import { takenProperties } from '../../model/sent-type.ts';
import { NOTHING, operationArguments, requireArguments } from '../load/load.ts';
import { collectionOf } from '../resource/navigation-source.ts';
import type { EntityResource } from '../resource/resource.ts';
import { assertMember, assertPresence, presentEntity, readable } from './change-entity.ts';
import type { ChangeContext, CompletedChange } from './compensation.ts';
import { insertEntity } from './create-entity.ts';
import { assertPrecondition } from './precondition.ts';

/** Deletes an entity (Part 1, 11.4.5), which has to be in the state that the conditions name. */
export async function deleteEntity(
  site: ChangeContext,
  entity: EntityResource,
  operation: Operation,
): Promise<void> {
  await assertMember(site, entity);
  const conditions = await assertPrecondition(site, entity, operation);
  const args = await requireArguments(site, operation, entity);
  await assertPresence(site, entity);
  const removal = site.done && (await prepareRemoval(site, entity));
  const { resource } = entity;
  await site.service.source.delete({ resource, operation, arguments: args, conditions }, site.context);
  if (removal !== undefined) site.done?.push(removal);
}

/** Says what has been removed; reads before that what the entity is, so that it can be created again. */
async function prepareRemoval(site: ChangeContext, entity: EntityResource): Promise<CompletedChange> {
  const create = isWhole(entity) ? recreation(entity) : undefined;
  const row = create && (await readable(() => presentEntity(site, entity)));
  return {
    url: entity.url,
    undone: 'it is created again',
    left: 'it was deleted and cannot be created again',
    undo: row && ((undoing) => create(undoing, row)),
  };
}

/** Whether the entity's JSON has all that goes with it: no stream, and nothing with a URL of its own within it. */
function isWhole({ entityType, isCast, entitySet }: EntityResource): boolean {
  if (entitySet === undefined || isCast) return false;
  return withDerivedTypes(entityType).length === 1 && isPlain(entityType);
}

function isPlain({ stream, streams, navigationProperties, open }: EntityType): boolean {
  const contains = [...navigationProperties.values()].some(
    ({ containsTarget, origin }) => containsTarget && origin.kind !== 'embedded',
  );
  return stream === undefined && (streams?.size ?? 0) === 0 && !contains && !open;
}

type Recreate = (site: ChangeContext, row: Row) => Promise<void>;

/** The operation that recreates the entity with its key, if any. */
function recreation(entity: EntityResource): Recreate | undefined {
  const { entityType, entitySet, update } = entity;
  const insert = entitySet?.insert;
  if (update?.inserts === true && takesWhole(entityType, update.sent, update.nonUpdatableProperties)) {
    return (site, row) => putBack(site, entity, update, row);
  }
  if (entitySet === undefined || insert === undefined || insert.verbatim || insert.media !== undefined) {
    return undefined;
  }
  if (!takesKey(entityType, insert)) return undefined;
  return async (site, row) => {
    const values = takenValues(entityType, insert.sent, row);
    const place = { collection: collectionOf(entitySet), operation: insert };
    await insertEntity(site, place, { kind: 'values', values }, NOTHING, values);
  };
}

function takesKey(type: EntityType, { sent, nonInsertableProperties: not }: InsertOperation): boolean {
  const taken = takenProperties(type, sent);
  const isTaken = (name: string) => taken.get(name)?.computed === false && not?.includes(name) !== true;
  return type.key.every(isTaken) && takesWhole(type, sent, not);
}

/** Whether what the operation takes can all be read. */
function takesWhole(
  type: EntityType,
  sent: SentType | undefined,
  except: readonly string[] | undefined,
): boolean {
  const taken = [...takenProperties(type, sent).values()];
  return taken.every((property) => isReadable(property) || except?.includes(property.name) === true);
}

async function putBack(
  { service, context }: ChangeContext,
  entity: EntityResource,
  operation: UpdateOperation,
  row: Row,
): Promise<void> {
  const { resource, entityType } = entity;
  service.source.permit?.(resource, 'Insert', context);
  const args = await operationArguments({ service, context }, operation, entity);
  if (args === undefined) throw new Error(`The key of ${entity.url} is not known`);
  const values = { ...takenValues(entityType, operation.sent, row), ...keyOf(entityType, operation, row) };
  const { key: properties } = entityType;
  await service.source.update(
    { resource, entityType, operation, arguments: args, properties, values },
    context,
  );
}

function keyOf(type: EntityType, { sent }: UpdateOperation, row: Row): Row {
  const taken = takenProperties(type, sent);
  const names = type.key.filter((name) => taken.get(name)?.computed === false);
  return picked(row, names);
}

function takenValues(type: EntityType, sent: SentType | undefined, row: Row): Row {
  const taken = takenProperties(type, sent);
  return Object.fromEntries(Object.entries(row).filter(([name]) => taken.get(name)?.computed === false));
}
