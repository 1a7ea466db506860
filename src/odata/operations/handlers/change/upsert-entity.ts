import type { BudgetedRequest, GatewayResponse } from '../../../../contract/exchange.ts';
import { demandNew, insertNewEntity, planNewEntity } from '../../../../engine/change/upsert-entity.ts';
import type { EntityInput } from '../../../../engine/input/entity-input.ts';
import type { EntityResource } from '../../../../engine/resource/resource.ts';
import type { QueryOptions } from '../../../../engine/tree/options-tree.ts';
import type { UpdateOperation } from '../../../../model/operation.ts';
import { readEntityBody } from '../../../payload/body/request-body.ts';
import type { ODataVersion } from '../../../payload/negotiation/version.ts';
import type { Service } from '../../service/service.ts';
import { changing } from './changing.ts';
import { type CreatedAnswers, createdAnswers, createdStyle } from './created-answer.ts';
import { expandedOptions } from './deep-expansions.ts';

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
  const site = changing(service, request);
  demandNew(site, entity);
  const style = createdStyle(options.format, request, version);
  const created = await planNewEntity(site, entity, operation, readNew(service, entity, operation, request));
  const expanded = expandedOptions(options, created);
  const shown = expanded === options ? answers : createdAnswers(service, entity, expanded, options);
  const row = await insertNewEntity(site, entity, operation, created, shown.prepared.wanted);
  return shown.answer(site, row, { style, version });
}

/** The body as that of a new entity. */
function readNew(
  { model }: Service,
  entity: EntityResource,
  { sent }: UpdateOperation,
  { headers, body }: BudgetedRequest,
): EntityInput {
  const options = { kind: 'insert', verbatim: false, headers, sent, upsertKey: entity.known } as const;
  return readEntityBody(model, entity.type, body, options);
}
