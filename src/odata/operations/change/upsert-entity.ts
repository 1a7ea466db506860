import type { BudgetedRequest, GatewayResponse } from '../../../contract/exchange.ts';
import { GatewayError } from '../../../contract/gateway-error.ts';
import type { EntityInput } from '../../../engine/change/entity-input.ts';
import { extendedInput, sentValues } from '../../../engine/change/extended-input.ts';
import { NOTHING } from '../../../engine/load/demand-owner.ts';
import { loadEntity, missingEntity, operationArguments } from '../../../engine/load/load.ts';
import type { Wanted } from '../../../engine/resource/loading.ts';
import type { EntityResource } from '../../../engine/resource/resource.ts';
import type { QueryOptions } from '../../../engine/tree/options-tree.ts';
import type { EntityType } from '../../../model/edm.ts';
import type { UpdateOperation } from '../../../model/operation.ts';
import { takenProperties } from '../../../model/sent-type.ts';
import { readEntityBody } from '../../payload/body/request-body.ts';
import { bodyVersion, type ODataVersion } from '../../payload/negotiation/version.ts';
import type { Service } from '../service.ts';
import { boundBody } from './bound-body.ts';
import { type CreatedAnswers, createdAnswers, createdStyle } from './created-answer.ts';
import { expandedOptions } from './deep-expansions.ts';
import { insertAmong, ownKeys } from './deep-insert.ts';
import { withOmitted } from './omitted-values.ts';
import { type DeepBody, planDeepBody } from './planned-insertion.ts';
import { completed, createdRow } from './told-row.ts';
import { type ChangeSite, carryOut } from './undo-changes.ts';

/** An upstream whose PUT creates what is not there is asked first: who may change need not be able to create. */
export async function isNew(
  service: Service,
  entity: EntityResource,
  operation: UpdateOperation,
  request: BudgetedRequest,
): Promise<boolean> {
  if (operation.inserts !== true || entity.origin.kind !== 'operation') return false;
  if (entity.origin.from !== 'itself' || entity.cast !== undefined) return false;
  return (await loadEntity({ service, context: request }, entity, NOTHING)) === undefined;
}

/**
 * Creates the entity at a URL where there is none (Part 1, 11.4.4), together with what else its body has: all that
 * it needs must be said, and the URL gives its key. If-Match prevents it (8.2.4).
 */
export async function insertAt(
  service: Service,
  entity: EntityResource,
  operation: UpdateOperation,
  { options, answers }: { readonly options: QueryOptions; readonly answers: CreatedAnswers },
  request: BudgetedRequest,
  version: ODataVersion,
): Promise<GatewayResponse> {
  if (request.headers['if-match'] !== undefined) throw prevented();
  service.source.permit?.(entity.resource, 'Insert', request);
  const site = { service, request };
  const style = createdStyle(options.format, request, version);
  const created = await planDeepBody(site, entity, await newBody(site, entity, operation));
  const expanded = expandedOptions(options, created);
  const shown = expanded === options ? answers : createdAnswers(service, entity, expanded, options);
  const row = await carryOut(site, (done) =>
    insertAmong(site, created, done, (foreignKeys) => {
      const { body } = created;
      const given = { values: foreignKeys, nested: body.nested };
      const whole = extendedInput(body, given);
      return putNew(site, entity, operation, { ...created, body: whole }, shown.prepared.wanted);
    }),
  );
  return shown.answer({ service, context: request }, row, { style, version });
}

/** The body as that of a new entity. */
async function newBody(
  { service, request }: ChangeSite,
  entity: EntityResource,
  operation: UpdateOperation,
): Promise<EntityInput> {
  const { model } = service;
  const type = declaredType(entity);
  const { sent } = operation;
  const version = bodyVersion(request.headers);
  const options = { kind: 'insert', verbatim: false, version, sent, upsertKey: entity.known } as const;
  const read = readEntityBody(model, type, request.body, options);
  const isSettable = (of: EntityType, name: string) => isTaken(of, operation, name);
  const bound = await boundBody({ service, request, isSettable, sent }, read);
  const whole = withOmitted(model, operation, bound);
  const { nested, bindings } = whole;
  const key = Object.entries(entity.known).filter(([name]) => isSettable(type, name));
  return { ...extendedInput(whole, { values: Object.fromEntries(key), nested }), bindings };
}

/** Whether a body that creates may have the property: even what nobody can change later. */
function isTaken(type: EntityType, { nonUpdatableProperties, sent }: UpdateOperation, name: string): boolean {
  const property = takenProperties(type, sent).get(name);
  return property?.computed === false && nonUpdatableProperties?.includes(name) !== true;
}

/** Has the upstream create the entity; all that is known of it then. */
async function putNew(
  { service, request }: ChangeSite,
  entity: EntityResource,
  operation: UpdateOperation,
  { body, ...others }: DeepBody,
  wanted: Wanted,
): Promise<EntityResource> {
  const { resource, entityType, known } = entity;
  const args = await operationArguments({ service, context: request }, operation, entity);
  if (args === undefined) throw missingEntity(entity);
  const needed = ownKeys(declaredType(entity), others);
  const properties = [...new Set([...wanted.properties, ...needed])];
  const change = { resource, entityType, operation, arguments: args };
  const update = {
    ...change,
    ...wanted,
    properties,
    values: sentValues(service.model, declaredType(entity), body),
  };
  const answered = await service.source.update(update, request);
  const row = createdRow(answered, properties, body.values);
  return { ...entity, known: { ...completed(needed, row, body.values), ...known } };
}

function declaredType({ cast, entityType }: EntityResource): EntityType {
  return cast ?? entityType;
}

function prevented(): GatewayError {
  const message = 'If-Match: there is no entity that could be in the state that the request is meant for.';
  return new GatewayError('PreconditionFailed', message);
}
