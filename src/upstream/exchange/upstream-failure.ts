import type { StreamChange, StreamSnapshot } from '../../contract/entity-source.ts';
import type { CallContext } from '../../contract/exchange.ts';
import { type ErrorCode, GatewayError } from '../../contract/gateway-error.ts';
import type { Log } from '../../contract/log.ts';
import type { InsertOperation } from '../../model/edm.ts';

/** The errors for rejected input. */
export type Refusal = Extract<
  ErrorCode,
  | 'BadRequest'
  | 'Conflict'
  | 'Gone'
  | 'PreconditionFailed'
  | 'PayloadTooLarge'
  | 'UnsupportedMediaType'
  | 'RangeNotSatisfiable'
  | 'UnprocessableContent'
  | 'PreconditionRequired'
>;

type UpstreamErrorCode = Extract<
  ErrorCode,
  | Refusal
  | 'UpstreamBadResponse'
  | 'UpstreamUnavailable'
  | 'UpstreamTimeout'
  | 'OutcomeUnknown'
  | 'Overloaded'
  | 'UpstreamThrottled'
  | 'UpstreamBusy'
  | 'CircuitOpen'
  | 'ClientClosedRequest'
  | 'NotFound'
>;

const MESSAGES: Readonly<Record<UpstreamErrorCode, string>> = {
  UpstreamBadResponse: 'The upstream service sent an answer that cannot be used.',
  UpstreamUnavailable: 'The upstream service is not available.',
  UpstreamTimeout: 'The upstream service did not answer in time.',
  OutcomeUnknown:
    'The upstream service did not answer in time: the change may or may not have been made. Check before you send it again.',
  Overloaded: 'The gateway is too busy at the moment: try again shortly.',
  UpstreamThrottled: 'The upstream service accepts no more requests at the moment.',
  UpstreamBusy: 'Too many requests are waiting for the upstream service.',
  CircuitOpen: 'The upstream service has failed repeatedly and is not called for a while.',
  ClientClosedRequest: 'The client closed the request.',
  BadRequest: 'The upstream service rejected the request: something in it is not what it expects.',
  Conflict:
    'This conflicts with what already exists: it may have changed in the meantime, or the key may be taken.',
  Gone: 'This no longer exists.',
  PreconditionFailed: 'This has changed in the meantime: read it again before you change it.',
  PayloadTooLarge: 'This is larger than the upstream service accepts.',
  UnsupportedMediaType: 'The upstream service does not accept content of this media type.',
  RangeNotSatisfiable: 'The stream has no such range.',
  UnprocessableContent:
    'The upstream service rejected these values: one of them may be missing or not allowed.',
  PreconditionRequired: 'The upstream service only accepts changes of a known state: If-Match must name it.',
  NotFound: 'There is no such resource.',
};

/** An upstream failure as a client may see it; what really happened is in `cause`, for the log. */
export function upstreamFailure(
  code: UpstreamErrorCode,
  cause: unknown,
  headers: Readonly<Record<string, string>> = {},
): GatewayError {
  return new GatewayError(code, MESSAGES[code], { cause, headers });
}

/** The cause of a failure that the upstream reported by a status. */
export class UpstreamStatus extends Error {
  readonly status: number;
  /** The upstream's own Retry-After field. */
  readonly retryAfter: string | undefined;

  constructor(message: string, status: number, retryAfter?: string) {
    super(message);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

/** An answer that was received but cannot be used. `body` is quoted for the log, escaped and cut. */
export function badResponse(reason: string, body?: Uint8Array): GatewayError {
  return upstreamFailure('UpstreamBadResponse', new Error(withQuote(reason, body)));
}

function withQuote(reason: string, body: Uint8Array | undefined): string {
  return body === undefined ? reason : `${reason}; the body begins ${quoteBytes(body)}`;
}

/** The cause of a failure by the status of an answer. */
export function statusCause(
  reason: string,
  {
    status,
    headers,
  }: { readonly status: number; readonly headers: { readonly 'retry-after'?: string | undefined } },
  body?: Uint8Array,
): UpstreamStatus {
  return new UpstreamStatus(withQuote(reason, body), status, headers['retry-after']);
}

/** An answer that has one object in the place of a list, or a list in the place of one object. */
export function otherShape(expected: 'a list' | 'one object', { cause }: GatewayError): GatewayError {
  const found = expected === 'a list' ? 'one object' : 'a list';
  const message = `The upstream service answered with ${found} where its document describes ${expected}: an overlay can correct the schema of the answer.`;
  return new GatewayError('UpstreamBadResponse', message, { cause });
}

const QUOTED_BYTES = 200;

function quoteBytes(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.subarray(0, QUOTED_BYTES)).toString('latin1');
  return JSON.stringify(text).replace(/[\u007f-\u00ff]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`);
}

/** Whether what was sent may have had its effect: it was sent, or a part of it, and no answer came. */
export function mayHaveHappened(error: unknown): boolean {
  if (!(error instanceof GatewayError)) return false;
  const { cause } = error;
  if (cause instanceof NotSentError) return false;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (error.code === 'Overloaded') return cause instanceof GatewayError;
  if (error.code === 'UpstreamTimeout') return true;
  return error.code === 'UpstreamUnavailable' && BROKEN_CONNECTIONS.has(code);
}

/** The failure of a request of which no byte was sent. */
export class NotSentError extends Error {
  constructor(cause: unknown) {
    super(`nothing was sent: ${String(cause)}`, { cause });
  }
}

/** The error codes of Node and undici for a lost connection. */
export const BROKEN_CONNECTIONS: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** Undefined for the failure of a read that says that there is no such entity; throws any other. */
export function undefinedIfMissing(error: unknown): undefined {
  if (error instanceof GatewayError && error.code === 'NotFound') return undefined;
  throw error;
}

/** Discards the response to a change of a stream. */
export function changeOf(snapshot: StreamSnapshot): StreamChange {
  if (snapshot.kind === 'content') snapshot.bytes.destroy();
  return { etag: snapshot.etag };
}

export function missing(): never {
  throw upstreamFailure('NotFound', undefined);
}

/** The error for a rejected token of the upstream: the upstream does not know it any more. */
export function outdated(error: unknown): unknown {
  if (!(error instanceof GatewayError) || !UNKNOWN_TOKEN.has(error.code)) return error;
  const message = '$deltatoken: the changes since then are no longer known; read the collection again.';
  return new GatewayError('Gone', message, { target: '$deltatoken', cause: error });
}

const UNKNOWN_TOKEN: ReadonlySet<string> = new Set([
  'BadRequest',
  'Conflict',
  'Gone',
  'NotFound',
  'UnprocessableContent',
]);

export function refused(): never {
  throw new GatewayError('BadRequest', 'The parameters have values that the operation does not accept.');
}

/**
 * The declared failure of a create, with the cause for the log. A create that may have been made, or that is to be sent
 * again after a time, did not fail in that way.
 */
export function insertFailure({ failure }: InsertOperation, error: unknown): unknown {
  if (failure === undefined || !(error instanceof GatewayError) || OWN_FAULTS.has(error.code)) return error;
  if (error.headers['retry-after'] !== undefined) return error;
  return new GatewayError('InsertFailed', failure, { cause: error });
}

/** Of these, the last two are about a credential of the caller's own. */
const OWN_FAULTS: ReadonlySet<string> = new Set([
  'OutcomeUnknown',
  'ClientClosedRequest',
  'InternalError',
  'NotImplemented',
  'ApiDisabled',
  'Unauthorized',
  'Forbidden',
]);

/** Failures that are about the request and not about the upstream. */
const QUIET: ReadonlySet<ErrorCode> = new Set(['NotFound', 'ClientClosedRequest']);

/** Failures that follow from others, which were logged before. */
const FREQUENT: ReadonlySet<ErrorCode> = new Set(['CircuitOpen', 'UpstreamBusy']);

/** Logs the cause of a failed upstream call, which the client does not see. */
export function logFailure(log: Log, field: string, call: CallContext, error: unknown): void {
  if (!(error instanceof GatewayError)) {
    log.error({ request: call.id, field, error }, 'a root field failed');
    return;
  }
  const { code, cause } = error;
  // What is refused before anything is called has no cause.
  if (QUIET.has(code) || cause === undefined) return;
  const fields = { request: call.id, field, code, cause: String(cause) };
  if (error.status < 500) log.info(fields, 'the upstream rejected the request');
  else if (FREQUENT.has(code)) log.debug(fields, 'The upstream was not called');
  else log.warn(fields, 'the upstream failed');
}
