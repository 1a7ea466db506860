/** What went wrong, in one word that both protocols show. The set is closed: clients may switch on it. */
export type ErrorCode =
  | 'BadRequest'
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  | 'MethodNotAllowed'
  | 'NotAcceptable'
  | 'RequestTimeout'
  | 'Conflict'
  | 'Gone'
  | 'PreconditionFailed'
  | 'PayloadTooLarge'
  | 'UriTooLong'
  | 'UnsupportedMediaType'
  | 'RangeNotSatisfiable'
  | 'UnprocessableContent'
  | 'FailedDependency'
  | 'PreconditionRequired'
  | 'TooManyRequests'
  | 'ClientClosedRequest'
  | 'InternalError'
  | 'NotImplemented'
  | 'UpstreamBadResponse'
  /** A list has more than the gateway can get of it: a part is never shown as the whole. */
  | 'UpstreamIncomplete'
  | 'UpstreamUnavailable'
  | 'UpstreamTimeout'
  /** No answer came to a change, which may have been made. */
  | 'OutcomeUnknown'
  | 'UpstreamThrottled'
  | 'UpstreamBusy'
  | 'CircuitOpen'
  | 'Overloaded'
  | 'InsertFailed'
  | 'InsufficientStorage'
  | 'AccountsUnavailable'
  /** READ_ONLY is on: no change is sent to any API. */
  | 'ReadOnly'
  /** The API is turned off at the moment. */
  | 'ApiDisabled'
  /** The gateway listens, and does not serve yet. */
  | 'Starting';

const STATUS: Readonly<Record<ErrorCode, number>> = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  RequestTimeout: 408,
  Conflict: 409,
  Gone: 410,
  PreconditionFailed: 412,
  PayloadTooLarge: 413,
  UriTooLong: 414,
  UnsupportedMediaType: 415,
  RangeNotSatisfiable: 416,
  UnprocessableContent: 422,
  FailedDependency: 424,
  PreconditionRequired: 428,
  TooManyRequests: 429,
  ClientClosedRequest: 499,
  InternalError: 500,
  NotImplemented: 501,
  UpstreamBadResponse: 502,
  UpstreamIncomplete: 502,
  UpstreamUnavailable: 502,
  UpstreamTimeout: 504,
  OutcomeUnknown: 504,
  UpstreamThrottled: 503,
  UpstreamBusy: 503,
  CircuitOpen: 503,
  Overloaded: 503,
  InsertFailed: 400,
  InsufficientStorage: 507,
  AccountsUnavailable: 503,
  Starting: 503,
  ReadOnly: 403,
  ApiDisabled: 503,
};

/** An upstream that says when to ask again is not available for a time (RFC 9110, 15.6.4): clients wait for 503, not 502. */
function statusOf(code: ErrorCode, headers: GatewayErrorOptions['headers'] = {}): number {
  return code === 'UpstreamUnavailable' && headers['retry-after'] !== undefined ? 503 : STATUS[code];
}

/** One of several mistakes found in the same request. */
export interface ErrorDetail {
  readonly code: ErrorCode;
  readonly message: string;
  readonly target?: string;
}

export interface GatewayErrorOptions {
  /** The part of the request that is wrong: a query option, a property, a header. */
  readonly target?: string;
  readonly details?: readonly ErrorDetail[];
  /** What really happened. It goes to the log and never to a client. */
  readonly cause?: unknown;
  /** Header fields that the answer must carry, such as Allow or Retry-After. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The variable of the limit that the request goes beyond. */
  readonly limit?: string;
  /** The status with which the upstream refused a call. The gateway decides by it; no client sees it. */
  readonly refusal?: number;
}

/**
 * The one error of this gateway: everything else that is thrown is a fault of ours.
 *
 * The message is shown to clients. It says what was expected, what was found and where, and holds
 * nothing of the upstream: neither its URL nor its headers nor its body.
 */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly code: ErrorCode;
  /** The HTTP status that the code stands for. */
  readonly status: number;
  readonly target: string | undefined;
  readonly details: readonly ErrorDetail[];
  readonly headers: Readonly<Record<string, string>>;
  readonly limit: string | undefined;
  readonly refusal: number | undefined;

  constructor(code: ErrorCode, message: string, options: GatewayErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.status = statusOf(code, options.headers);
    this.target = options.target;
    this.details = options.details ?? [];
    this.headers = options.headers ?? {};
    this.limit = options.limit;
    this.refusal = options.refusal;
  }

  /** The same error with another message, or with other options beside its own. */
  with({
    message = this.message,
    ...others
  }: GatewayErrorOptions & { readonly message?: string }): GatewayError {
    const { code, cause, target, details, headers, limit, refusal } = this;
    return new GatewayError(code, message, {
      cause,
      details,
      headers,
      ...(target !== undefined && { target }),
      ...(limit !== undefined && { limit }),
      ...(refusal !== undefined && { refusal }),
      ...others,
    });
  }
}

/** The error for a part of a request that does not hold what it should. */
export function misfit(target: string, expected: string, found: string): GatewayError {
  return new GatewayError('BadRequest', `${target}: expected ${expected}, found ${found}.`, { target });
}

/** The error for whoever has shown no credential; it says which kind is taken (RFC 9110, 11.6.1). */
export function signInRequired(): GatewayError {
  return new GatewayError('Unauthorized', 'Sign in first.', {
    headers: { 'www-authenticate': 'Bearer realm="duogate", Basic realm="duogate"' },
  });
}

/** The error for a path at which nothing is served. */
export function nothingHere(): GatewayError {
  return new GatewayError('NotFound', 'There is nothing at this path.');
}

/** The error for a method that a path does not have; it names those that it has (RFC 9110, 15.5.6). */
export function methodNotAllowed(allow: string): GatewayError {
  return new GatewayError('MethodNotAllowed', `Allowed here: ${allow}.`, { headers: { allow } });
}

/** Told to nobody: whatever is under way for the client is given up. */
export function clientClosed(): GatewayError {
  return new GatewayError('ClientClosedRequest', 'The client closed the connection.');
}
