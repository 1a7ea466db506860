/**
 * The cause of an error, in one word that both protocols show. The set is closed, so clients may switch on
 * it.
 */
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
  /** A list has more than the gateway can read; a part is never returned as the whole. */
  | 'UpstreamIncomplete'
  | 'UpstreamUnavailable'
  | 'UpstreamTimeout'
  /** A change got no response and may have been made. */
  | 'OutcomeUnknown'
  | 'UpstreamThrottled'
  | 'UpstreamBusy'
  | 'CircuitOpen'
  | 'Overloaded'
  | 'InsertFailed'
  | 'InsufficientStorage'
  | 'AccountsUnavailable'
  | 'ReadOnly'
  /** The API is disabled at the moment. */
  | 'ApiDisabled'
  /** The gateway listens but does not serve yet. */
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

/** 503 if the upstream's Retry-After says when to try again, else 502 (RFC 9110, 15.6.4). */
function statusOf(code: ErrorCode, headers: GatewayErrorOptions['headers'] = {}): number {
  return code === 'UpstreamUnavailable' && headers['retry-after'] !== undefined ? 503 : STATUS[code];
}

/** One of several mistakes in the same request. */
export interface ErrorDetail {
  readonly code: ErrorCode;
  readonly message: string;
  readonly target?: string;
}

export interface GatewayErrorOptions {
  /** The part of the request that is wrong: a query option, a property, a header. */
  readonly target?: string;
  readonly details?: readonly ErrorDetail[];
  /** The underlying error. Written to the log, never sent to clients. */
  readonly cause?: unknown;
  /** Header fields of the response, such as Allow or Retry-After. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The variable of the exceeded limit. */
  readonly limit?: string;
  /**
   * The status with which the upstream rejected a call. For decisions of the gateway, never sent to clients.
   */
  readonly refusal?: number;
}

/**
 * The only error class of the gateway; any other error is an internal one.
 *
 * Clients see the message. It says what was expected, what was found and where, and never contains the
 * upstream's URL, headers or body.
 */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly code: ErrorCode;
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

  /** Copies the error with another message or additional options. */
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

/** The error for a part of a request with an unexpected value. */
export function unexpectedValue(target: string, expected: string, found: string): GatewayError {
  return new GatewayError('BadRequest', `${target}: expected ${expected}, found ${found}.`, { target });
}

/** The error for a request without a credential, with the accepted schemes (RFC 9110, 11.6.1). */
export function signInRequired(): GatewayError {
  return new GatewayError('Unauthorized', 'Sign in first.', {
    headers: { 'www-authenticate': 'Bearer realm="duogate", Basic realm="duogate"' },
  });
}

export function nothingHere(): GatewayError {
  return new GatewayError('NotFound', 'There is nothing at this path.');
}

/** The error for an unsupported method, with the supported ones (RFC 9110, 15.5.6). */
export function methodNotAllowed(allow: string): GatewayError {
  return new GatewayError('MethodNotAllowed', `Allowed here: ${allow}.`, { headers: { allow } });
}

/** Never sent: cancels the work for a client that has disconnected. */
export function clientClosed(): GatewayError {
  return new GatewayError('ClientClosedRequest', 'The client closed the connection.');
}
