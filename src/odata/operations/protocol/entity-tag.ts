import { hash, randomBytes } from 'node:crypto';
import type { BudgetedRequest, GatewayResponse } from '../../../contract/exchange.ts';
import { type Row, TAG } from '../../../contract/row.ts';
import { failedPrecondition, isNamed } from '../../../engine/change/precondition.ts';
import type { EntityResource } from '../../../engine/resource/resource.ts';
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
const PROCESS = randomBytes(16).toString('base64url');

/** The tag of data that has a version in this process; undefined where it has none. */
export function versionTag(version: number | undefined): string | undefined {
  if (version === undefined) return undefined;
  return `W/"${hash('sha1', `${PROCESS} ${version}`, 'base64url')}"`;
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
  assertMatch(request, tag);
  const condition = request.headers['if-none-match'];
  if (etag === undefined || condition === undefined || !isNamed(condition, etag)) return response;
  const { 'content-type': _, ...unchanged } = response.headers;
  return { status: 304, headers: unchanged, body: undefined };
}

/** Whether a client that reads wants no other state than those it knows. */
export function assertMatch(
  { headers: { 'if-match': match } }: Pick<BudgetedRequest, 'headers'>,
  etag: string | undefined,
): void {
  if (match === undefined || isNamedInAnyForm(match, etag)) return;
  throw failedPrecondition('If-Match', `expected the ETag ${match}, found ${etag ?? 'none'}.`);
}

/** Whether the condition names the resource's tag, or that of any form of it. */
export function isNamedInAnyForm(condition: string, etag: string | undefined): boolean {
  if (condition.trim() === '*') return true;
  const sought = etag?.replace(/^W\//, '');
  return [...condition.matchAll(/"[^"]*"/g)].some(
    ([tag]) => tag === sought || tag.replace(FORM, '"') === sought,
  );
}
