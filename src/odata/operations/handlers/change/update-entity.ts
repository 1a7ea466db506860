import type { BudgetedRequest } from '../../../../contract/exchange.ts';
import { GatewayError } from '../../../../contract/gateway-error.ts';
import { fittingOperation, insertingOperation } from '../../../../engine/change/fitting-operation.ts';
import { updateEntity as changeBy } from '../../../../engine/change/update-entity.ts';
import { isNew } from '../../../../engine/change/upsert-entity.ts';
import type { EntityInput } from '../../../../engine/input/entity-input.ts';
import { entityTag, etagProperty, stateTag } from '../../../../engine/load/entity-state.ts';
import { demandEntity } from '../../../../engine/load/load.ts';
import { prepareEntity } from '../../../../engine/read/prepare-query.ts';
import type { EntityResource } from '../../../../engine/resource/resource.ts';
import type { QueryOptions } from '../../../../engine/tree/options-tree.ts';
import type { UpdateOperation } from '../../../../model/operation.ts';
import { demandJsonContent, readEntityBody } from '../../../payload/body/request-body.ts';
import { writeEntity } from '../../../payload/json/json.ts';
import { appliedHeaders, type DataStyle, dataStyle, shownPreferences } from '../../protocol/data-style.ts';
import { etagHeaders, taggedRow } from '../../protocol/entity-tag.ts';
import { noContent, success } from '../../protocol/response.ts';
import type { RequestHandler, Service } from '../../service/service.ts';
import { shapeOf } from '../../shape/entity-shape.ts';
import { changing } from './changing.ts';
import { createdAnswers } from './created-answer.ts';
import { insertAt } from './upsert-entity.ts';

/** Changes an entity: PATCH some of its properties (Part 1, 11.4.3), PUT all of them (11.4.4). */
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
  const answers = inserting !== undefined ? createdAnswers(service, entity, options) : undefined;
  return async (request, version) => {
    const style = dataStyle(options.format, request, version);
    demandJsonContent(request.headers);
    const read = readEntityBody(model, type, request.body, {
      kind,
      verbatim: false,
      headers: request.headers,
      sent: operation.sent,
    });
    demandNested(request, read);
    const site = changing(service, request);
    if (inserting !== undefined && answers !== undefined && (await isNew(site, entity, inserting))) {
      return insertAt(service, entity, inserting, { options, answers }, request, version);
    }
    const change = { method, input: read };
    const changed = await changeBy(site, entity, operation, change, prepared.wanted);
    if (!prefersRepresentation(style, options)) {
      const applied = appliedHeaders(style.preferences, ['return']);
      return noContent(version, { ...applied, ...etagHeaders(changed && entityTag(changed, etag)) });
    }
    const now = changed && { data: changed, version: undefined };
    const found = now ?? (await demandEntity(site, entity, prepared.wanted));
    const tag = stateTag(found, etag);
    const row = taggedRow(await prepared.run(site, found.data), tag, entity);
    const shown = await request.budget.run(writeEntity(shape(style), row, request.budget));
    const applied = appliedHeaders(style.preferences, shownPreferences(style.preferences));
    const headers = { ...applied, ...etagHeaders(tag) };
    return success(version, style.contentType, shown, headers);
  };
}

/** Only since 4.01 does a change have related entities in it (Part 1, 11.4.3.1). */
function demandNested({ headers }: BudgetedRequest, { changes }: EntityInput): void {
  const [first] = changes;
  if (first === undefined || headers['odata-version']?.trim() !== '4.0') return;
  const { path: target } = first;
  const message = `${target}: expected no related entities in a change by OData 4.0, found some.`;
  throw new GatewayError('BadRequest', message, { target });
}

function prefersRepresentation({ preferences }: DataStyle, { select, expand }: QueryOptions): boolean {
  return select !== undefined || expand !== undefined || preferences.return === 'representation';
}
