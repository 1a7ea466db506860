import { createHash, randomBytes } from 'node:crypto';
import { type EntitySnapshot, type Row, TAG, type WriteConditions } from '../../contract/entity-source.ts';
import type { BudgetedRequest, GatewayResponse } from '../../contract/exchange.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import { etagProperty, stateTag } from '../../engine/load/entity-state.ts';
import { demandEntity } from '../../engine/load/load.ts';
import type { Loading } from '../../engine/resource/loading.ts';
import type { EntityResource } from '../../engine/resource/resource.ts';
import type { Operation, Precondition } from '../../model/operation.ts';
import { type DataStyle, FORM_LENGTH } from './data-style.ts';

/**
 * The entity as it is shown. The payload says its tag, too, for those who will change it (JSON Format, 4.5.7):
 * where nobody can, the header field alone does.
 */
export function taggedRow(
  row: Row,
  tag: string | undefined,
  { update, delete: remove }: Pick<EntityResource, 'update' | 'delete'>,
): Row {
  const { [TAG]: _, ...untagged } = row;
  return tag === undefined || (update ?? remove) === undefined ? untagged : { ...untagged, [TAG]: tag };
}

/** Versions are counted by each process for itself. */
const PROCESS = randomBytes(16);

/** The tag of data that has a version in this process; undefined where it has none. */
export function versionTag(version: number | undefined): string | undefined {
  if (version === undefined) return undefined;
  return `W/"${createHash('sha1').update(PROCESS).update(String(version)).digest('base64url')}"`;
}

/**
 * The entity tag of one form of a resource: no two forms share a tag (RFC 9110, 8.8.3), so that a cache gives
 * nobody another than the one that was asked for.
 */
export function formTag(tag: string | undefined, { form }: Pick<DataStyle, 'form'>): string | undefined {
  if (tag === undefined || form === '') return tag;
  return `${tag.slice(0, -1)}~${form}"`;
}

/** What follows the tag of the resource in that of a form. */
const FORM = new RegExp(`~[\\w-]{${FORM_LENGTH}}"$`);

export function etagHeaders(tag: string | undefined): Readonly<Record<string, string>> {
  return tag === undefined ? {} : { etag: tag };
}

/** The answer with its entity tag: that may change where nothing else of the answer does. */
export function withTag(response: GatewayResponse, tag: string | undefined): GatewayResponse {
  return tag === undefined ? response : { ...response, headers: { ...response.headers, etag: tag } };
}

/**
 * What a read is answered with under its conditions (Part 1, 8.2.4 and 8.2.5; RFC 9110, 13.2.2): PreconditionFailed
 * where If-Match names other states than this one, 304 instead of what the client has already. `tag` is that of the
 * resource, where the answer's is that of a form of it.
 */
export function underConditions(
  request: BudgetedRequest,
  response: GatewayResponse,
  tag: string | undefined = response.headers['etag'],
): GatewayResponse {
  const { etag } = response.headers;
  demandMatch(request, tag);
  const condition = request.headers['if-none-match'];
  if (etag === undefined || condition === undefined || !isNamed(condition, etag)) return response;
  const { 'content-type': _, ...unchanged } = response.headers;
  return { status: 304, headers: unchanged, body: undefined };
}

/** Whether a client that reads wants no other state than those it knows. */
export function demandMatch(
  { headers: { 'if-match': match } }: Pick<BudgetedRequest, 'headers'>,
  etag: string | undefined,
): void {
  if (match === undefined || isNamedInAnyForm(match, etag)) return;
  throw failedPrecondition('If-Match', `expected the ETag ${match}, found ${etag ?? 'none'}.`);
}

/**
 * Checks If-Match and If-None-Match against the entity as it is now (Part 1, 8.2.4 and 8.2.5), and says what
 * the upstream is to check again: between this and the change there is a moment in which others may change it.
 */
export async function demandPrecondition(
  loading: Loading,
  entity: EntityResource,
  { headers }: Pick<BudgetedRequest, 'headers'>,
  operation?: Operation,
): Promise<WriteConditions> {
  const match = headers['if-match'];
  const noneMatch = headers['if-none-match'];
  if (match === undefined && operation?.precondition?.required === true) throw unconditional();
  if (match === undefined && noneMatch === undefined) return {};
  const property = etagProperty(loading.service.model, entity.cast ?? entity.entityType);
  const properties = property === undefined ? [] : [property];
  const found = await demandEntity(loading, entity, { properties, dynamic: false });
  const tag = stateTag(found, property);
  if (match !== undefined && !isNamedInAnyForm(match, tag)) throw changed('entity');
  if (noneMatch !== undefined && isNamedInAnyForm(noneMatch, tag)) throw excluded('entity', noneMatch, tag);
  const known = match === undefined ? undefined : understoodTag(match, found, operation?.precondition);
  return known === undefined ? {} : { 'if-match': known };
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
  return failedPrecondition('If-Match', `the ${what} was changed meanwhile: read it again.`);
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

/** Without a target: clients take that for a part of the resource (Part 1, 9.4). */
function failedPrecondition(header: 'If-Match' | 'If-None-Match', message: string): GatewayError {
  return new GatewayError('PreconditionFailed', `${header}: ${message}`);
}

/** Tags are compared weakly: data has no others (RFC 9110, 8.8.3.2). `*` names any state. */
export function isNamed(condition: string, etag: string | undefined): boolean {
  if (condition.trim() === '*') return true;
  return [...condition.matchAll(/"[^"]*"/g)].some(([tag]) => tag === etag?.replace(/^W\//, ''));
}

/** Whether the condition names the resource's tag, or that of any form of it. */
export function isNamedInAnyForm(condition: string, etag: string | undefined): boolean {
  if (condition.trim() === '*') return true;
  const sought = etag?.replace(/^W\//, '');
  return [...condition.matchAll(/"[^"]*"/g)].some(
    ([tag]) => tag === sought || tag.replace(FORM, '"') === sought,
  );
}
