import type { Row } from '../../contract/entity-source.ts';
import type { GatewayRequest, GatewayResponse } from '../../contract/exchange.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { EntityType, Model } from '../../model/edm.ts';
import { demandEntity, type Loading } from './load.ts';
import type { EntityResource } from './resource.ts';

/** The property whose value tells the states of an entity apart (Core.OptimisticConcurrency), inherited or not. */
export function etagProperty(model: Model, type: EntityType): string | undefined {
  for (let next: EntityType | undefined = type; next !== undefined; ) {
    if (next.etag !== undefined) return next.etag;
    next = next.baseType === undefined ? undefined : model.entityTypes.get(next.baseType);
  }
  return undefined;
}

/** A weak tag: the same state is shown in many forms (Part 1, 8.3.2). */
export function entityTag(row: Row, property: string | undefined): string | undefined {
  const value = property === undefined ? undefined : row[property];
  return value === undefined || value === null ? undefined : `W/"${encodeURIComponent(String(value))}"`;
}

export function etagHeaders(tag: string | undefined): Readonly<Record<string, string>> {
  return tag === undefined ? {} : { etag: tag };
}

/** 304 instead of what the client has already (Part 1, 8.2.5; RFC 9110, 15.4.5). */
export function unlessKnown({ headers }: GatewayRequest, response: GatewayResponse): GatewayResponse {
  const { etag } = response.headers;
  const condition = headers['if-none-match'];
  if (etag === undefined || condition === undefined || !isNamed(condition, etag)) return response;
  const { 'content-type': _, ...unchanged } = response.headers;
  return { status: 304, headers: unchanged, body: undefined };
}

/**
 * Checks If-Match and If-None-Match against the entity as it is now (Part 1, 8.2.4 and 8.2.5). Between this
 * and the change there is a moment in which others may change it.
 */
export async function demandPrecondition(
  loading: Loading,
  entity: EntityResource,
  { headers }: Pick<GatewayRequest, 'headers'>,
): Promise<void> {
  const match = headers['if-match'];
  const noneMatch = headers['if-none-match'];
  if (match === undefined && noneMatch === undefined) return;
  const property = etagProperty(loading.service.model, entity.cast ?? entity.entityType);
  const properties = property === undefined ? [] : [property];
  const { data } = await demandEntity(loading, entity, { properties, dynamic: false });
  const tag = entityTag(data, property);
  if (match !== undefined && !isNamed(match, tag)) throw changed('If-Match');
  if (noneMatch !== undefined && isNamed(noneMatch, tag)) throw changed('If-None-Match');
}

function changed(header: string): GatewayError {
  const message = `${header}: the entity is not in the state that the request is meant for.`;
  return new GatewayError('PreconditionFailed', message, { target: header });
}

/** Tags are compared weakly: data has no others (RFC 9110, 8.8.3.2). `*` names any state. */
export function isNamed(condition: string, etag: string | undefined): boolean {
  if (condition.trim() === '*') return true;
  return [...condition.matchAll(/"[^"]*"/g)].some(([tag]) => tag === etag?.replace(/^W\//, ''));
}
