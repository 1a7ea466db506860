import { GatewayError } from '../../contract/gateway-error.ts';
import { PARTIAL, type Row, type Value } from '../../contract/row.ts';
import { callAction as callBound } from '../../engine/change/call-action.ts';
import { assertUnchangedEntity } from '../../engine/change/change-entity.ts';
import type { ChangeContext } from '../../engine/change/compensation.ts';
import { createEntity } from '../../engine/change/create-entity.ts';
import { deleteEntity } from '../../engine/change/delete-entity.ts';
import { breakLink, makeLink } from '../../engine/change/planned-link.ts';
import {
  assertNew,
  insertNewEntity,
  isNew,
  planNewEntity,
  updateEntity,
} from '../../engine/change/update-entity.ts';
import type { EntityInput } from '../../engine/input/entity-input.ts';
import { readEntityInput, readParameters } from '../../engine/input/read-input.ts';
import {
  assertViews,
  loadEntity,
  mayView,
  missingEntity,
  NOTHING,
  requireEntity,
} from '../../engine/load/load.ts';
import { type PreparedEntity, prepareEntity } from '../../engine/read/prepare-query.ts';
import type { LoadContext, LoadRequest } from '../../engine/resource/load-context.ts';
import { castTo, entityByKey, isStream, resultResource } from '../../engine/resource/navigation-source.ts';
import type { CollectionResource, EntityResource, Invocation, Link } from '../../engine/resource/resource.ts';
import type { EntityType } from '../../model/edm.ts';
import type {
  InsertOperation,
  Operation,
  ReferenceOperation,
  UpdateOperation,
} from '../../model/operation.ts';
import type { GraphQLContext } from '../context/graphql-context.ts';
import { fieldName } from '../context/names.ts';
import { exactJson } from '../query/expressions.ts';
import { type Selection, shownOptions } from '../query/read.ts';
import { byInput, type NamedInput } from './input-object.ts';

export interface InsertRequest {
  readonly collection: CollectionResource;
  readonly operation: InsertOperation;
  readonly type: EntityType;
}

/** Creates an entity and returns it, or null if the caller may not view it. */
export async function createShown(
  context: GraphQLContext,
  { collection, operation, type }: InsertRequest,
  input: NamedInput,
  below: Selection,
): Promise<Row | null> {
  const prepared = prepareShown(context, { ...collection, type, isCast: true }, below);
  const site = changing(context, input);
  const { model } = context.service;
  const read = (declared: EntityType, given: Row): EntityInput => {
    if (operation.verbatim) return verbatimInput(type, input);
    const { sent } = operation;
    return readEntityInput(model, declared, input.object, { kind: 'insert', sent, given });
  };
  const created = await byInputNames(input, () =>
    createEntity(site, collection, operation, read, prepared.wanted),
  );
  if (!mayView(context.service.source, collection.resource, context.call)) return null;
  const row = created[PARTIAL] === true ? await readBack(site, collection, prepared, created) : created;
  return prepared.run(site, row);
}

/** A forwarded input, which the schema has validated. */
function verbatimInput(entityType: EntityType, { object }: NamedInput): EntityInput {
  const verbatim = Buffer.from(exactJson(object));
  return { verbatim, entityType, values: {}, bindings: [], nested: [], changes: [] };
}

/** Reads the created entity; a failed read does not change that it was created. */
async function readBack(
  loading: LoadContext,
  collection: CollectionResource,
  { wanted }: PreparedEntity,
  told: Row,
): Promise<Row> {
  try {
    return (await loadEntity(loading, entityByKey(collection, told), wanted))?.data ?? told;
  } catch (error) {
    if (error instanceof GatewayError) return told;
    throw error;
  }
}

export interface UpdateRequest {
  readonly method: 'PATCH' | 'PUT';
  readonly operation: UpdateOperation;
  /** The type of the entity, which may be derived from the declared one. */
  readonly type: EntityType;
  readonly ifMatch: string | undefined;
  /** The condition if the client gives none, of a change that must not create an entity. */
  readonly unless: string | undefined;
}

/** Updates an entity and returns it. The permission to view it is checked before. */
export async function updateShown(
  context: GraphQLContext,
  entity: EntityResource,
  request: UpdateRequest,
  input: NamedInput,
  below: Selection,
): Promise<Row | null> {
  const { service, call } = context;
  const isShown = below.fields.some(({ field }) => !field.name.startsWith('__'));
  if (isShown) service.source.permit?.(entity.resource, 'View', call);
  const { type } = request;
  const isDerived = type.name !== entity.type.name;
  const ofType = (isDerived ? castTo(service.model, entity, type.name) : undefined) ?? entity;
  const prepared = prepareShown(context, ofType, below);
  const row = await changeOne(context, entity, request, input, prepared.wanted);
  const loading = { service, context: call };
  if (!mayView(service.source, entity.resource, call)) return null;
  return prepared.run(loading, row ?? (await requireEntity(loading, entity, prepared.wanted)).data);
}

/** Updates or creates an entity; undefined if the API does not return it. */
export function changeOne(
  context: GraphQLContext,
  entity: EntityResource,
  { method, operation, type, ifMatch, unless }: UpdateRequest,
  input: NamedInput,
  wanted: LoadRequest,
): Promise<Row | undefined> {
  const { service } = context;
  const isDerived = type.name !== entity.type.name;
  const ofType = (isDerived ? castTo(service.model, entity, type.name) : undefined) ?? entity;
  const site = changing(context, input, ifMatch ?? unless);
  return byInputNames(input, async () => {
    const { type: declared } = entity;
    const { sent, inserts } = operation;
    const kind = method === 'PATCH' ? 'update' : 'replace';
    const read = readEntityInput(service.model, declared, input.object, { kind, sent });
    if (await isNew(site, entity, operation)) {
      if (unless !== undefined) throw missingEntity(entity);
      assertNew(site, entity);
      const options = { kind: 'insert', sent, upsertKey: entity.known } as const;
      const whole = readEntityInput(service.model, declared, input.object, options);
      const planned = await planNewEntity(site, entity, operation, whole);
      return insertNewEntity(site, entity, operation, planned, wanted);
    }
    // Without a condition, an upsert updates the entity in any state, and creates nothing in its place.
    const existing = inserts === true && ifMatch === undefined ? changing(context, input, '*') : site;
    if (isDerived) await requireEntity(existing, ofType, NOTHING);
    if (method === 'PATCH' && isEmpty(read)) return assertUnchangedEntity(existing, entity, operation);
    return updateEntity(existing, entity, operation, { method, input: read }, wanted);
  });
}

function isEmpty({ values, bindings, changes }: EntityInput): boolean {
  return Object.keys(values).length === 0 && bindings.length === 0 && changes.length === 0;
}

export async function deleteOne(
  context: GraphQLContext,
  entity: EntityResource,
  operation: Operation,
  ifMatch: string | undefined,
): Promise<void> {
  await deleteEntity(changing(context, undefined, ifMatch), entity, operation);
}

interface LinkRequest {
  readonly link: Link;
  readonly operation: ReferenceOperation;
  readonly ifMatch: string | undefined;
}

/** Adds a link to an existing entity. */
export async function addLink(
  context: GraphQLContext,
  { link, operation, ifMatch }: LinkRequest,
  related: EntityResource,
): Promise<void> {
  const written = { url: related.url, target: fieldName(link.navigation.name) };
  const change = { kind: 'operation', operation } as const;
  await makeLink(changing(context, undefined, ifMatch), link, change, related, written);
}

/** Removes an existing link. */
export async function removeLink(
  context: GraphQLContext,
  { link, operation, ifMatch }: LinkRequest,
  related: EntityResource,
): Promise<void> {
  await breakLink(changing(context, undefined, ifMatch), link, { kind: 'operation', operation }, related);
}

/** Calls an action and returns its result; true if it returns nothing. */
export async function callAction(
  context: GraphQLContext,
  call: Invocation,
  input: NamedInput,
  below: () => Selection,
): Promise<unknown> {
  const { returns } = call.callable;
  const { model } = context.service;
  const site = changing(context, input);
  const perform = () =>
    byInputNames(
      input,
      async () => (await callBound(site, call, readParameters(model, call.callable, input.object))).data,
    );
  if (returns === undefined || isStream(returns)) {
    await perform();
    return true;
  }
  const result = resultResource(call);
  if (result.kind !== 'collection' && result.kind !== 'entity') return perform();
  const prepared = prepareShown(context, result, below());
  const returned: Value = await perform();
  if (result.kind === 'entity') return returned === null ? null : prepared.run(site, returned as Row);
  return Promise.all(((returned ?? []) as readonly Row[]).map((row) => prepared.run(site, row)));
}

/** Checks the permissions for the selected related entities before the change. */
export function prepareShown(
  context: GraphQLContext,
  place: CollectionResource | EntityResource,
  { dependencies, fields }: Selection,
): PreparedEntity {
  const { type, entitySet } = place;
  const within = { ...dependencies, set: entitySet };
  const options = { ...shownOptions(within, type, fields), aliases: new Map() };
  const prepared = prepareEntity(context.service, place, options);
  assertViews({ service: context.service, context: context.call }, prepared.wanted);
  return prepared;
}

export function changing(
  { service, call, done }: GraphQLContext,
  input?: NamedInput,
  ifMatch?: string,
): ChangeContext {
  return {
    service,
    done,
    context: call,
    conditions: { 'if-match': ifMatch, 'if-none-match': undefined },
    entityOf: (link) => {
      if (input === undefined) throw new Error('Only inputs have links in them.');
      return input.entityOf(link);
    },
    log: service.log,
  };
}

export async function byInputNames<Result>(
  { places, root }: NamedInput,
  perform: () => Promise<Result>,
): Promise<Result> {
  try {
    return await perform();
  } catch (error) {
    throw error instanceof GatewayError ? byInput(error, places, root) : error;
  }
}
