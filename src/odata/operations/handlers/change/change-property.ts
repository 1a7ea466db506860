import type { BudgetedRequest } from '../../../../contract/exchange.ts';
import type { Row, Value } from '../../../../contract/row.ts';
import { nestedRow } from '../../../../contract/row.ts';
import { assertUnchangedEntity, changeEntity } from '../../../../engine/change/change-entity.ts';
import { entityTag } from '../../../../engine/load/entity-state.ts';
import { loadValue } from '../../../../engine/load/load-value.ts';
import { assertOnlyOptions } from '../../../../engine/query/pipeline.ts';
import type { LoadContext } from '../../../../engine/resource/load-context.ts';
import type { PropertyResource } from '../../../../engine/resource/resource.ts';
import type { QueryOptions } from '../../../../engine/tree/query-tree.ts';
import { etagProperty } from '../../../../model/edm.ts';
import type { Model } from '../../../../model/model.ts';
import type { UpdateOperation } from '../../../../model/operation.ts';
import { type TakenValue, takenProperties, takenValue } from '../../../../model/sent-type.ts';
import { jsonOfRawValue, readPropertyValue } from '../../../payload/body/request-body.ts';
import { assertNoCoding } from '../../../payload/negotiation/media-content.ts';
import { appliedHeaders, dataStyle, etagHeaders, noContent, success } from '../../protocol/response.ts';
import type { RequestHandler, Service } from '../../service/service.ts';
import { valueAnswer } from '../read/read-value.ts';
import { changing } from './change-context.ts';

export type PropertyMethod = 'PUT' | 'PATCH' | 'DELETE';

/**
 * Changes a property (Part 1, 11.4.9) through the operation for its entity: PUT sets the value, PATCH updates
 * a complex value, DELETE sets null, or an empty collection.
 */
export function changeProperty(
  service: Service,
  value: PropertyResource,
  operation: UpdateOperation,
  method: PropertyMethod,
  options: QueryOptions,
): RequestHandler {
  assertOnlyOptions(options, ['format', 'schemaVersion'], 'a change of a property');
  const { entity, path } = value.origin;
  const { type: entityType } = entity;
  const etag = etagProperty(entityType);
  const taken = takenValue(entityType, operation.sent, path, value.use);
  const answer = valueAnswer(service, value, options);
  const wanted = { properties: etag === undefined ? [] : [etag], dynamic: false };
  return async (request, version) => {
    const site = changing(service, request);
    const style = dataStyle(options.format, request, version);
    const given = newValue(service.model, taken, value.use.collection, method, request);
    const change = { method: 'PATCH', entityType, values: nestedRow(path, given) } as const;
    const changed = (await isWithinUnsetComplex(site, value, given))
      ? await assertUnchangedEntity(site, entity, operation)
      : await changeEntity(site, entity, operation, change, wanted);
    const headers = {
      ...appliedHeaders(style.preferences, ['return']),
      ...etagHeaders(changed && entityTag(changed, etag)),
    };
    if (style.preferences.return !== 'representation' || !value.origin.readable)
      return noContent(version, headers);
    const { data } = await loadValue(site, value);
    if (data === null) return noContent(version, headers);
    const body = await answer.write(data, style, request.budget);
    return success(version, style.contentType, body, headers);
  };
}

function newValue(
  model: Model,
  taken: TakenValue,
  collection: boolean,
  method: PropertyMethod,
  request: BudgetedRequest,
): Value {
  if (method === 'DELETE') return collection ? [] : null;
  if (method === 'PATCH') return readPropertyValue(model, taken, request, 'update');
  const value = readPropertyValue(model, taken, request, 'replace');
  const { type } = taken.use;
  if (collection || type.kind !== 'complex' || value === null) return value;
  const unset = [...takenProperties(type, taken.sent).values()]
    .filter(({ nullable, collection }) => nullable || collection)
    .map(({ name, collection }) => [name, collection ? [] : null] as const);
  return { ...Object.fromEntries(unset), ...(value as Row) };
}

/**
 * Whether the property is null or empty already because its complex value is null (Part 2, 5.1.1.15). Setting
 * it would create a complex value of nulls.
 */
async function isWithinUnsetComplex(
  loading: LoadContext,
  value: PropertyResource,
  given: Value,
): Promise<boolean> {
  const { origin } = value;
  const isNothing = given === null || (Array.isArray(given) && given.length === 0);
  const within = origin.path.slice(0, -1);
  if (!isNothing || within.length === 0 || !origin.readable) return false;
  const { data } = await loadValue(loading, { ...value, origin: { ...origin, path: within } }, true);
  return data === null;
}

/** Sets a property to its raw value (Part 1, 11.4.9.1) or to null (11.4.9.2). */
export function changeRawValue(
  service: Service,
  value: PropertyResource,
  operation: UpdateOperation,
  method: 'PUT' | 'DELETE',
  options: QueryOptions,
): RequestHandler {
  const change = changeProperty(service, value, operation, method, options);
  if (method === 'DELETE') return change;
  return async (request, version) => {
    assertNoCoding(request.headers);
    const body = jsonOfRawValue(value.use.type, request.headers['content-type'], request.body);
    const headers = { ...request.headers, 'content-type': 'application/json' };
    return change({ ...request, headers, body }, version);
  };
}
