import type { GatewayRequest, GatewayResponse } from '../../../contract/exchange.ts';
import { GatewayError } from '../../../contract/gateway-error.ts';
import type { UpdateOperation } from '../../../model/operation.ts';
import type { EntityBody } from '../../payload/body/entity-body.ts';
import { extendedBody, readEntityBody } from '../../payload/body/request-body.ts';
import type { ODataVersion } from '../../payload/negotiation/version.ts';
import type { QueryOptions } from '../../url/tree.ts';
import { loadEntity, missingEntity, operationArguments } from '../load/load.ts';
import type { EntityResource } from '../resource/resource.ts';
import { notImplemented } from '../resource/resource-error.ts';
import type { Service } from '../service.ts';
import { boundBody } from './bound-body.ts';
import { toldRow } from './create-entity.ts';
import { type CreatedAnswers, createdStyle } from './created-answer.ts';
import { NOTHING } from './demand-owner.ts';
import { withOmitted } from './omitted-values.ts';

/** An upstream whose PUT creates what is not there is asked first: who may change need not be able to create. */
export async function isNew(
  service: Service,
  entity: EntityResource,
  operation: UpdateOperation,
  request: GatewayRequest,
): Promise<boolean> {
  if (operation.inserts !== true || entity.origin.kind !== 'operation') return false;
  if (entity.origin.from !== 'itself' || entity.cast !== undefined) return false;
  return (await loadEntity({ service, context: request }, entity, NOTHING)) === undefined;
}

/**
 * Creates the entity at a URL where there is none (Part 1, 11.4.4): all that it needs must be said, and the URL
 * gives its key. If-Match prevents it (8.2.4).
 */
export async function insertAt(
  service: Service,
  entity: EntityResource,
  operation: UpdateOperation,
  { options, answers }: { readonly options: QueryOptions; readonly answers: CreatedAnswers },
  request: GatewayRequest,
  version: ODataVersion,
): Promise<GatewayResponse> {
  const { model, source } = service;
  const { entityType, resource, known } = entity;
  if (request.headers['if-match'] !== undefined) throw prevented();
  source.permit?.(resource, 'Insert', request);
  const style = createdStyle(options.format, request, version);
  const read = readEntityBody(model, entityType, request.body, { kind: 'insert', verbatim: false });
  refuseNested(read);
  const isSettable = () => true;
  const bound = await boundBody({ service, request, isSettable }, entityType, read);
  const whole = withOmitted(model, entityType, operation, bound);
  const { bytes, values } = extendedBody(model, entityType, whole, { values: known, nested: whole.nested });
  const loading = { service, context: request };
  const args = await operationArguments(loading, operation, entity);
  if (args === undefined) throw missingEntity(entity);
  const { wanted } = answers.prepared;
  const properties = [...new Set([...wanted.properties, ...entityType.key])];
  const update = { resource, entityType, operation, arguments: args, ...wanted, properties, body: bytes };
  const row = await source.update(update, request);
  return answers.answer(loading, { ...(row ?? toldRow(properties, values)), ...known }, { style, version });
}

/** Related entities would need a key that is not there yet. */
function refuseNested({ nested, bindings }: EntityBody): void {
  const others = nested.filter(({ property }) => property.origin.kind !== 'embedded');
  const [first] = [...others, ...bindings.filter(({ property }) => property.constraints.length === 0)];
  if (first !== undefined) throw notImplemented(`"${first.property.name}" in a body`);
}

function prevented(): GatewayError {
  const message = 'If-Match: there is no entity that could be in the state that the request is meant for.';
  return new GatewayError('PreconditionFailed', message);
}
