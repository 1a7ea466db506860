import { GatewayError } from '../../contract/gateway-error.ts';
import type { Row } from '../../contract/row.ts';
import { type EntityType, etagProperty, isReadable } from '../../model/edm.ts';
import { isUpdatable } from '../../model/link-change.ts';
import type { UpdateOperation } from '../../model/operation.ts';
import { takenProperties } from '../../model/sent-type.ts';
import type { EntityInput, NestedChange } from '../input/entity-input.ts';
import { entityTag, stateTag } from '../load/entity-state.ts';
import { loadEntity, NOTHING, requireArguments, requireEntity } from '../load/load.ts';
import type { LoadRequest } from '../resource/load-context.ts';
import type { EntityResource } from '../resource/resource.ts';
import { boundInput, extendedInput, sentValues, withOmitted } from './bound-input.ts';
import { changeEntity, readable } from './change-entity.ts';
import { type ChangeContext, type CompletedChange, carryOut, unconditional } from './compensation.ts';
import { completed, createdRepresentation, insertAmong, ownKeys } from './create-entity.ts';
import { type DeepInput, planDeepInput } from './planned-insertion.ts';
import { assertPrecondition } from './precondition.ts';
import { notOffered, type PlannedUpdate, planRelatedChanges } from './related-changes.ts';

/** A change of an entity. */
export interface EntityChange {
  /** PATCH: some of its properties; PUT: all of them (Part 1, 11.4.3 and 11.4.4). */
  readonly method: 'PATCH' | 'PUT';
  readonly input: EntityInput;
}

/**
 * Changes an entity, with the related entities that the input changes, too (Part 1, 11.4.3.1). The row is the entity as
 * it is then; undefined where the upstream's answer does not say it, so that it is to be read.
 */
export async function updateEntity(
  site: ChangeContext,
  entity: EntityResource,
  operation: UpdateOperation,
  { method, input }: EntityChange,
  wanted: LoadRequest,
): Promise<Row | undefined> {
  const isSettable = (of: EntityType, property: string) => isUpdatable(of, operation, property);
  const body = await boundInput({ site, isSettable, sent: operation.sent }, input);
  const isNoted = site.done !== undefined;
  if (!isDeepChange(body) && !isNoted)
    return changeEntity(site, entity, operation, { method, ...body }, wanted);
  const { run } = await planUpdate(site, entity, operation, { method, body }, wanted);
  return carryOut(site, run);
}

/** Whether related entities are to be changed, too. */
function isDeepChange({ changes, bindings }: EntityInput): boolean {
  return changes.length > 0 || bindings.length > 0;
}

/** Checks a change of an entity together with related ones (Part 1, 11.4.3.1), and who may make it. */
async function planUpdate(
  site: ChangeContext,
  entity: EntityResource,
  operation: UpdateOperation,
  { method, body }: WholeChange,
  wanted: LoadRequest = NOTHING,
): Promise<PlannedUpdate> {
  const { service, context } = site;
  service.source.permit?.(entity.resource, 'Update', context);
  await assertPrecondition(site, entity, operation);
  const how = { operation, isWhole: method === 'PUT', planNested };
  const related = await planRelatedChanges(unconditional(site), entity, how, body);
  const note = await prepareRestoring(site, entity, operation, { method, body });
  const { entityType } = body;
  return {
    async run(done) {
      const values: Record<string, Row[string]> = { ...body.values };
      for (const step of related.before) Object.assign(values, await step(done));
      const isChanged = method === 'PUT' || Object.keys(values).length > 0;
      const changed = isChanged
        ? await changeEntity(site, entity, operation, { method, entityType, values }, wanted)
        : undefined;
      if (isChanged) done.push(await note(unconditional(site), changed));
      for (const step of related.after) await step(done);
      return related.after.length === 0 ? changed : undefined;
    },
  };
}

/** Plans the change of an existing entity, under the condition in its body, if any (JSON Format, 4.5.9). */
async function planNested(
  site: ChangeContext,
  entity: EntityResource,
  { body: read, etag, path }: NestedChange,
): Promise<PlannedUpdate> {
  const stated =
    etag === undefined ? site : { ...site, conditions: { ...site.conditions, 'if-match': etag } };
  const operation = entity.update;
  const isEmpty = Object.keys(read.values).length === 0 && !isDeepChange(read);
  if (isEmpty && etag === undefined) return { run: async () => undefined };
  if (operation === undefined) throw notOffered(path, `changes ${decodeURIComponent(entity.url)}`);
  const isSettable = (of: EntityType, property: string) => isUpdatable(of, operation, property);
  const body = await boundInput({ site: stated, isSettable, sent: operation.sent }, read);
  return planUpdate(stated, entity, operation, { method: 'PATCH', body });
}

/** A change with its method. */
interface WholeChange {
  readonly method: 'PATCH' | 'PUT';
  /** With the foreign keys of what it refers to. */
  readonly body: EntityInput;
}

/** Says what has been done, once the change is made; `changed` is the entity then, where the upstream has said so. */
export type NoteChange = (site: ChangeContext, changed: Row | undefined) => Promise<CompletedChange>;

/**
 * Reads the values that a change will overwrite, to undo it later. Undoing is impossible if another client
 * may have changed the entity since, as its entity tag shows, or if the values cannot be read.
 */
async function prepareRestoring(
  site: ChangeContext,
  entity: EntityResource,
  operation: UpdateOperation,
  change: WholeChange,
): Promise<NoteChange> {
  const { entityType } = change.body;
  const names = changedNames(operation, change);
  const declared = names.flatMap((name) => entityType.structuralProperties.get(name) ?? []);
  const properties = declared.filter(isReadable).map(({ name }) => name);
  const etag = etagProperty(entity.type);
  const found = await readable(() =>
    requireEntity(site, entity, { properties, dynamic: false, whole: true }),
  );
  if (found === undefined || properties.length < names.length) {
    return async () => ({ url: entity.url, ...CHANGED, undo: undefined });
  }
  const isTagged = etag !== undefined || found.etag !== undefined;
  return async (now, changed) => {
    const newTag = changed && entityTag(changed, etag);
    const tag = isTagged ? (newTag ?? (await presentTag(now, entity, etag))) : undefined;
    const undo =
      isTagged && tag === undefined ? undefined : restoring(entity, operation, entityType, found.data, tag);
    return { url: entity.url, ...CHANGED, undo };
  };
}

const CHANGED = {
  undone: 'it is as it was before',
  left: 'it was changed and cannot be changed back',
};

function restoring(
  entity: EntityResource,
  operation: UpdateOperation,
  entityType: EntityType,
  values: Row,
  tag: string | undefined,
): NonNullable<CompletedChange['undo']> {
  const back = { method: 'PATCH', entityType, values } as const;
  const match = tag ?? (operation.precondition?.required === true ? '*' : undefined);
  return async (site) => {
    const conditions = match === undefined ? site.conditions : { ...site.conditions, 'if-match': match };
    await changeEntity({ ...site, conditions }, entity, operation, back, NOTHING);
  };
}

/** The tag of the state that the change has left behind; undefined where it cannot be read: the change is made. */
async function presentTag(
  site: ChangeContext,
  entity: EntityResource,
  etag: string | undefined,
): Promise<string | undefined> {
  const wanted = { properties: etag === undefined ? [] : [etag], dynamic: false };
  try {
    const found = await requireEntity(site, entity, wanted);
    return stateTag({ ...found, digest: undefined }, etag);
  } catch (error) {
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}

/** The given properties and the resulting foreign keys; for PUT, also all others. */
function changedNames(
  operation: UpdateOperation,
  { method, body: { entityType, values, changes } }: WholeChange,
): readonly string[] {
  const keys = changes.flatMap(({ property }) => property.constraints.map((each) => each.property));
  const all = [...entityType.structuralProperties.keys()].filter((name) =>
    isUpdatable(entityType, operation, name),
  );
  return [...new Set([...Object.keys(values), ...keys, ...(method === 'PUT' ? all : [])])];
}

/**
 * The operation by which a change goes out: whole entities go to a PUT where the document has one (Part 1, 11.4.3 and
 * 11.4.4).
 */
export function fittingOperation(update: UpdateOperation, method: 'PATCH' | 'PUT'): UpdateOperation {
  return method === 'PUT' ? (update.replacing ?? update) : update;
}

/** The operation that creates an entity which is not there (Part 1, 11.4.4); undefined where none does. */
export function insertingOperation(update: UpdateOperation): UpdateOperation | undefined {
  return [update, update.replacing].find((operation) => operation?.inserts === true);
}

/** An upstream whose PUT creates what is not there is asked first: who may change need not be able to create. */
export async function isNew(
  site: ChangeContext,
  entity: EntityResource,
  operation: UpdateOperation,
): Promise<boolean> {
  if (operation.inserts !== true || entity.origin.kind !== 'operation') return false;
  if (entity.origin.from !== 'itself' || entity.isCast) return false;
  return (await loadEntity(site, entity, NOTHING)) === undefined;
}

/**
 * Rejects the creation of a missing entity (Part 1, 11.4.4) without the permission, and if If-Match requires
 * it to exist (8.2.4).
 */
export function assertNew(
  { service, context, conditions }: ChangeContext,
  { resource }: EntityResource,
): void {
  if (conditions['if-match'] !== undefined) throw prevented();
  service.source.permit?.(resource, 'Insert', context);
}

/** Plans an entity that is new at its place, with what else its input has; its key is that of the place. */
export async function planNewEntity(
  site: ChangeContext,
  entity: EntityResource,
  operation: UpdateOperation,
  input: EntityInput,
): Promise<DeepInput> {
  const { sent } = operation;
  const { type } = entity;
  const isSettable = (of: EntityType, name: string) => isTaken(of, operation, name);
  const bound = await boundInput({ site, isSettable, sent }, input);
  const whole = withOmitted(operation, bound);
  const { nested, bindings } = whole;
  const key = Object.entries(entity.known).filter(([name]) => isSettable(type, name));
  const keyed = { ...extendedInput(whole, { values: Object.fromEntries(key), nested }), bindings };
  return planDeepInput(site, entity, keyed);
}

/** Creates what was planned; all that is known of the entity then. */
export async function insertNewEntity(
  site: ChangeContext,
  entity: EntityResource,
  operation: UpdateOperation,
  planned: DeepInput,
  wanted: LoadRequest,
): Promise<Row> {
  return carryOut(site, (done) =>
    insertAmong(site, planned, done, (values) => {
      const { body } = planned;
      const whole = extendedInput(body, { values, nested: body.nested });
      return putNew(site, entity, operation, { ...planned, body: whole }, wanted);
    }),
  );
}

/** Whether the input of a create may contain the property, including immutable ones. */
function isTaken(type: EntityType, { nonUpdatableProperties, sent }: UpdateOperation, name: string): boolean {
  const property = takenProperties(type, sent).get(name);
  return property?.computed === false && nonUpdatableProperties?.includes(name) !== true;
}

/** Has the upstream create the entity; all that is known of it then. */
async function putNew(
  { service, context }: ChangeContext,
  entity: EntityResource,
  operation: UpdateOperation,
  { body, ...others }: DeepInput,
  wanted: LoadRequest,
): Promise<EntityResource> {
  const { resource, entityType, known } = entity;
  const args = await requireArguments({ service, context }, operation, entity);
  const needed = ownKeys(entity.type, others);
  const properties = [...new Set([...wanted.properties, ...needed])];
  const change = { resource, entityType, operation, arguments: args };
  const update = {
    ...change,
    ...wanted,
    properties,
    values: sentValues(entity.type, body),
  };
  const answered = await service.source.update(update, context);
  const row = createdRepresentation(answered, properties, body.values);
  return { ...entity, known: { ...completed(needed, row, body.values), ...known } };
}

function prevented(): GatewayError {
  const message = 'If-Match: expected an entity in the given state, found none.';
  return new GatewayError('PreconditionFailed', message);
}
