import type { EntitySnapshot, WriteConditions } from '../../contract/entity-source.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import { etagProperty } from '../../model/edm.ts';
import type { Operation, Precondition } from '../../model/operation.ts';
import { stateTag } from '../load/entity-state.ts';
import { requireEntity } from '../load/load.ts';
import type { EntityResource } from '../resource/resource.ts';
import type { ChangeContext } from './compensation.ts';

/**
 * Checks If-Match and If-None-Match against the entity as it is now (Part 1, 8.2.4 and 8.2.5), and says what
 * the upstream is to check again: between this and the change there is a moment in which others may change it.
 */
export async function assertPrecondition(
  site: Pick<ChangeContext, 'service' | 'context' | 'conditions' | 'names'>,
  entity: EntityResource,
  operation?: Operation,
): Promise<WriteConditions> {
  const { names = isNamed } = site;
  const { 'if-match': match, 'if-none-match': noneMatch } = site.conditions;
  if (noneMatch === undefined) assertMatch(match, operation);
  if (match === undefined && noneMatch === undefined) return {};
  const property = etagProperty(entity.type);
  const properties = property === undefined ? [] : [property];
  const found = await requireEntity(site, entity, { properties, dynamic: false });
  const tag = stateTag(found, property);
  if (match !== undefined && !names(match, tag)) throw changed('entity');
  if (noneMatch !== undefined && names(noneMatch, tag)) throw excluded('entity', noneMatch, tag);
  assertMatch(match, operation);
  const known = match === undefined ? undefined : understoodTag(match, found, operation?.precondition);
  return known === undefined ? {} : { 'if-match': known };
}

function assertMatch(match: string | undefined, operation: Operation | undefined): void {
  if (match === undefined && operation?.precondition?.required === true) throw unconditional();
}

/** A weak tag of the upstream's matches nothing there (RFC 9110, 13.1.1), unless the document says that it does. */
function understoodTag(
  match: string,
  { etag }: EntitySnapshot,
  precondition: Precondition | undefined,
): string | undefined {
  if (match.trim() === '*') return precondition && '*';
  const isStrong = etag?.startsWith('"') === true;
  if (isStrong || (etag !== undefined && precondition?.parameter !== undefined)) return etag;
  return precondition?.required === true ? match : undefined;
}

/** Part 1, 8.2.4; RFC 6585, 3. */
function unconditional(): GatewayError {
  const message = 'If-Match: expected the ETag of the entity, found none.';
  return new GatewayError('PreconditionRequired', message);
}

export function changed(what: 'entity' | 'stream'): GatewayError {
  return failedPrecondition('If-Match', `the ${what} has changed in the meantime: read it again.`);
}

/** If-None-Match names the state that there is, or any. */
export function excluded(
  what: 'entity' | 'stream',
  condition: string,
  etag: string | undefined,
): GatewayError {
  const found =
    condition.trim() === '*'
      ? `expected no ${what} here, found one.`
      : `expected the ${what} in another state, found ${etag}.`;
  return failedPrecondition('If-None-Match', found);
}

/**
 * The error for a condition that does not hold. It has no target: clients take that for a part of the resource (Part
 * 1, 9.4).
 */
export function failedPrecondition(header: 'If-Match' | 'If-None-Match', message: string): GatewayError {
  return new GatewayError('PreconditionFailed', `${header}: ${message}`);
}

/** Tags are compared weakly: data has no others (RFC 9110, 8.8.3.2). `*` names any state. */
export function isNamed(condition: string, etag: string | undefined): boolean {
  if (condition.trim() === '*') return true;
  return [...condition.matchAll(/"[^"]*"/g)].some(([tag]) => tag === etag?.replace(/^W\//, ''));
}
