import type { BudgetedRequest, GatewayResponse } from '../../../../contract/exchange.ts';
import { GatewayError } from '../../../../contract/gateway-error.ts';
import {
  assertNew,
  updateEntity as changeBy,
  fittingOperation,
  insertingOperation,
  insertNewEntity,
  isNew,
  planNewEntity,
} from '../../../../engine/change/update-entity.ts';
import type { EntityInput } from '../../../../engine/input/entity-input.ts';
import { entityTag, stateTag } from '../../../../engine/load/entity-state.ts';
import { requireEntity } from '../../../../engine/load/load.ts';
import { prepareEntity } from '../../../../engine/read/prepare-query.ts';
import type { EntityResource } from '../../../../engine/resource/resource.ts';
import type { QueryOptions } from '../../../../engine/tree/query-tree.ts';
import { etagProperty } from '../../../../model/edm.ts';
import type { UpdateOperation } from '../../../../model/operation.ts';
import { readEntityBody } from '../../../payload/body/request-body.ts';
import { writeEntity } from '../../../payload/json/json.ts';
import type { ODataVersion } from '../../../payload/negotiation/format.ts';
import {
  appliedHeaders,
  type DataStyle,
  dataStyle,
  etagHeaders,
  noContent,
  representation,
  taggedRow,
} from '../../protocol/response.ts';
import type { RequestHandler, Service } from '../../service/service.ts';
import { shapeOf } from '../../shape/entity-shape.ts';
import { changing } from './change-context.ts';
import { type CreatedAnswers, createdAnswers, createdStyle, expandedOptions } from './create-entity.ts';

/** Updates an entity: PATCH some properties (Part 1, 11.4.3), PUT all (11.4.4). */
export function updateEntity(
  service: Service,
  entity: EntityResource,
  update: UpdateOperation,
  method: 'PATCH' | 'PUT',
  options: QueryOptions,
): RequestHandler {
  const { model } = service;
  const operation = fittingOperation(update, method);
  const inserting = insertingOperation(update);
  const { type } = entity;
  const prepared = prepareEntity(service, entity, options);
  const shape = shapeOf(service, entity, options, prepared);
  const etag = etagProperty(type);
  const kind = method === 'PATCH' ? 'update' : 'replace';
  const upsert = inserting && {
    entity,
    operation: inserting,
    options,
    answers: createdAnswers(service, entity, options),
  };
  return async (request, version) => {
    const style = dataStyle(options.format, request, version);
    const read = readEntityBody(model, type, request, { kind, sent: operation.sent });
    assertNested(request, read);
    const site = changing(service, request);
    if (upsert !== undefined && (await isNew(site, entity, upsert.operation))) {
      return insertAt(service, upsert, request, version);
    }
    const change = { method, input: read };
    const changed = await changeBy(site, entity, operation, change, prepared.wanted);
    if (!prefersRepresentation(style, options)) {
      const applied = appliedHeaders(style.preferences, ['return']);
      return noContent(version, { ...applied, ...etagHeaders(changed && entityTag(changed, etag)) });
    }
    const now = changed && { data: changed, version: undefined };
    const found = now ?? (await requireEntity(site, entity, prepared.wanted));
    const tag = stateTag(found, etag);
    const row = taggedRow(await prepared.run(site, found.data), tag, entity);
    const shown = await request.budget.run(writeEntity(shape(style), row, request.budget));
    return representation(style, shown, etagHeaders(tag));
  };
}

/** Rejects nested entities in a 4.0 request; they are new in 4.01 (Part 1, 11.4.3.1). */
function assertNested({ headers }: BudgetedRequest, { changes }: EntityInput): void {
  const [first] = changes;
  if (first === undefined || headers['odata-version']?.trim() !== '4.0') return;
  const { path: target } = first;
  const message = `${target}: expected no related entities in a change by OData 4.0, found some.`;
  throw new GatewayError('BadRequest', message, { target });
}

function prefersRepresentation({ preferences }: DataStyle, { select, expand }: QueryOptions): boolean {
  return select !== undefined || expand !== undefined || preferences.return === 'representation';
}

/** The operation that may create the entity at the URL, and the response for it. */
interface Upsert {
  readonly entity: EntityResource;
  readonly operation: UpdateOperation;
  readonly options: QueryOptions;
  readonly answers: CreatedAnswers;
}

/**
 * Creates a missing entity at its URL (Part 1, 11.4.4), including nested entities. The body must be complete,
 * and the URL determines the key. If-Match prevents it (8.2.4).
 */
async function insertAt(
  service: Service,
  { entity, operation, options, answers }: Upsert,
  request: BudgetedRequest,
  version: ODataVersion,
): Promise<GatewayResponse> {
  const site = changing(service, request);
  assertNew(site, entity);
  const style = createdStyle(options.format, request, version);
  const asNew = { kind: 'insert', sent: operation.sent, upsertKey: entity.known } as const;
  const body = readEntityBody(service.model, entity.type, request, asNew);
  const created = await planNewEntity(site, entity, operation, body);
  const expanded = expandedOptions(options, created);
  const shown = expanded === options ? answers : createdAnswers(service, entity, expanded, options);
  const row = await insertNewEntity(site, entity, operation, created, shown.prepared.wanted);
  return shown.answer(site, row, style);
}
