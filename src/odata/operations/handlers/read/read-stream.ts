import type {
  Arguments,
  StreamConditions,
  StreamContent,
  StreamSnapshot,
} from '../../../../contract/entity-source.ts';
import type { BudgetedRequest, GatewayResponse } from '../../../../contract/exchange.ts';
import { GatewayError } from '../../../../contract/gateway-error.ts';
import { assertMember } from '../../../../engine/change/change-entity.ts';
import { changed, excluded, isNamed } from '../../../../engine/change/precondition.ts';
import {
  missingEntity,
  NOTHING,
  operationArguments,
  requireEntity,
  sentCall,
} from '../../../../engine/load/load.ts';
import { assertOnlyOptions } from '../../../../engine/query/pipeline.ts';
import type { LoadContext } from '../../../../engine/resource/load-context.ts';
import type { EntityResource, EntityStream, Invocation } from '../../../../engine/resource/resource.ts';
import type { QueryOptions } from '../../../../engine/tree/query-tree.ts';
import type { Operation as UpstreamOperation } from '../../../../model/operation.ts';
import { readActionParameters } from '../../../payload/body/request-body.ts';
import type { ODataVersion } from '../../../payload/negotiation/format.ts';
import {
  assertMatch,
  etagHeaders,
  mediaTypeOf,
  noContent,
  UNTRUSTED_CONTENT_HEADERS,
} from '../../protocol/response.ts';
import type { RequestHandler, Service } from '../../service/service.ts';

/** Reads a stream of an entity (Part 1, 11.2.3 and 11.2.5) and forwards it; 204 if the entity has none. */
export function readStream(
  service: Service,
  stream: EntityStream,
  operation: UpstreamOperation,
  options: QueryOptions,
): RequestHandler {
  assertOnlyOptions(options, ['schemaVersion'], 'a stream');
  return async (request, version) => {
    const loading = { service, context: request };
    const found = await openEntityStream(loading, stream.entity, operation, conditionsOf(request));
    return streamAnswer(request, version, found, () => statedType(loading, stream));
  };
}

/** Calls a function or an action that returns a stream (Part 1, 11.5.4.1 and 11.5.5.2). */
export function callForStream(service: Service, bound: Invocation, options: QueryOptions): RequestHandler {
  assertOnlyOptions(options, ['schemaVersion'], 'a stream');
  return async (request, version) => {
    const loading = { service, context: request };
    const call = await sentCall(loading, bound, parametersOf(service, bound, request));
    const conditions = bound.callable.kind === 'function' ? conditionsOf(request) : {};
    const found = await service.source.readStream({ ...call, kind: 'call', conditions }, request);
    return streamAnswer(request, version, found, async () => undefined);
  };
}

function parametersOf({ model }: Service, bound: Invocation, request: BudgetedRequest): Arguments {
  const { callable, parameters } = bound;
  return callable.kind === 'function' ? parameters : readActionParameters(model, callable, request);
}

/** A single range; for other ranges, the response is the whole stream (RFC 9110, 14.2). */
const RANGE = /^\s*bytes=(?:\d+-\d*|-\d+)\s*$/;

function conditionsOf({ headers }: Pick<BudgetedRequest, 'headers'>): StreamConditions {
  const { range, 'if-range': ifRange, 'if-none-match': ifNoneMatch } = headers;
  const known = ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch };
  if (range === undefined || !RANGE.test(range)) return known;
  return { ...known, range, ...(ifRange !== undefined && { 'if-range': ifRange }) };
}

/** The property with the media type, for upstreams that do not send it. */
async function statedType(
  loading: LoadContext,
  { entity, operations: { contentType } }: EntityStream,
): Promise<string | undefined> {
  if (contentType === undefined) return undefined;
  const wanted = { properties: [contentType], dynamic: false };
  const { data } = await requireEntity(loading, entity, wanted);
  const stated = data[contentType];
  return typeof stated === 'string' ? stated : undefined;
}

async function streamAnswer(
  { headers }: BudgetedRequest,
  version: ODataVersion,
  found: StreamSnapshot,
  statedTypeOf: () => Promise<string | undefined>,
): Promise<GatewayResponse> {
  if (found.kind === 'absent') return noContent(version);
  if (found.kind === 'unchanged') return unchanged(version, found.etag);
  try {
    assertMatch({ headers }, found.etag);
    const condition = headers['if-none-match'];
    if (condition !== undefined && found.etag !== undefined && isNamed(condition, found.etag)) {
      found.bytes.destroy();
      return unchanged(version, found.etag);
    }
    const mediaType = mediaTypeOf(found.mediaType) ?? mediaTypeOf(await statedTypeOf()) ?? UNKNOWN;
    return contentAnswer(version, found, mediaType);
  } catch (error) {
    found.bytes.destroy();
    throw error;
  }
}

function unchanged(version: ODataVersion, etag: string | undefined): GatewayResponse {
  return { status: 304, headers: { ...commonHeaders(version), ...etagHeaders(etag) }, body: undefined };
}

function contentAnswer(
  version: ODataVersion,
  { bytes, length, etag, range, divisible }: StreamContent,
  mediaType: string,
): GatewayResponse {
  return {
    status: range === undefined ? 200 : 206,
    headers: {
      ...commonHeaders(version),
      ...etagHeaders(etag),
      'content-type': mediaType,
      'accept-ranges': divisible ? 'bytes' : 'none',
      ...(range !== undefined && { 'content-range': range }),
    },
    body: { bytes, length },
  };
}

/** Also sent with 304, so that caches update their stored fields (RFC 9111, 4.3.4). */
function commonHeaders(version: ODataVersion): Readonly<Record<string, string>> {
  return {
    'odata-version': version,
    'cache-control': 'private, no-cache',
    vary: 'odata-maxversion',
    ...UNTRUSTED_CONTENT_HEADERS,
  };
}

const UNKNOWN = 'application/octet-stream';

/** The arguments of a stream operation. Throws NotFound if the entity does not exist. */
export async function streamCall(loading: LoadContext, entity: EntityResource, operation: UpstreamOperation) {
  await assertMember(loading, entity);
  const args = await operationArguments(loading, operation, entity);
  if (args === undefined) throw missingEntity(entity);
  return { resource: entity.resource, operation, arguments: args };
}

/** The stream of an entity; absent if the entity exists and has none. */
async function openEntityStream(
  loading: LoadContext,
  entity: EntityResource,
  operation: UpstreamOperation,
  conditions: StreamConditions,
): Promise<StreamSnapshot> {
  const call = await streamCall(loading, entity, operation);
  const read = { ...call, kind: 'stream', body: undefined, conditions } as const;
  return unlessMissing(loading, entity, loading.service.source.readStream(read, loading.context), ABSENT);
}

const ABSENT: StreamSnapshot = { kind: 'absent', etag: undefined };

/** Undefined for a missing stream, which is not an error. */
export async function unlessMissing<Outcome>(
  loading: LoadContext,
  entity: EntityResource,
  outcome: Promise<Outcome>,
  otherwise: Outcome,
): Promise<Outcome> {
  try {
    return await outcome;
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== 'NotFound') throw error;
    await requireEntity(loading, entity, NOTHING);
    return otherwise;
  }
}

/**
 * Checks If-Match and If-None-Match against the current stream (Part 1, 8.2.4 and 8.2.5), because upstreams
 * may ignore them. A stream that cannot be read has no state to compare.
 */
export async function assertStreamState(
  loading: LoadContext,
  { entity, operations: { get } }: EntityStream,
  { headers }: Pick<BudgetedRequest, 'headers'>,
): Promise<void> {
  const match = headers['if-match'];
  const noneMatch = headers['if-none-match'];
  if (match === undefined && noneMatch === undefined) return;
  const current = get && (await openEntityStream(loading, entity, get, {}));
  if (current?.kind === 'content') current.bytes.destroy();
  const isThere = current?.kind === 'content';
  if (match !== undefined && !(isThere && isNamed(match, current.etag))) throw changed('stream');
  if (noneMatch === undefined) return;
  if (get === undefined)
    throw new GatewayError('PreconditionFailed', 'If-None-Match: expected a stream whose state can be read.');
  if (isThere && isNamed(noneMatch, current.etag)) throw excluded('stream', noneMatch, current.etag);
}
