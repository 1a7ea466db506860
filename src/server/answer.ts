import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import {
  type GatewayRequest,
  type GatewayResponse,
  isStreamBody,
  type StreamBody,
} from '../contract/exchange.ts';
import { GatewayError } from '../contract/gateway-error.ts';
import type { Log } from '../contract/log.ts';
import { atClose } from './http-server.ts';
import { plainError } from './json-response.ts';
import type { Route } from './route.ts';
import type { RouteDependencies } from './route-dependencies.ts';
import type { ReaderLimits } from './server-limits.ts';

/**
 * Writes the answer of a route under the header fields given; the route's own replace them. Writes nothing
 * where the client is gone. HEAD gets the fields without the body (RFC 9110, 9.3.2).
 *
 * A stream is written no faster than the client reads, and done when the promise is. What breaks off breaks
 * the connection off, so that nobody takes it for the whole.
 */
export function writeAnswer(
  response: ServerResponse,
  answer: GatewayResponse,
  request: GatewayRequest,
  headers: Readonly<Record<string, string>>,
  dependencies: RouteDependencies,
): Promise<void> | undefined {
  const body = encoded(answer.body);
  const writeHead = (): void => {
    if (dependencies.isStopping()) response.shouldKeepAlive = false;
    const fields = filterAuthChallenges(fieldsOf(answer, body), request);
    response.writeHead(answer.status, { ...headers, ...fields, 'x-request-id': request.id });
  };
  if (isStreamBody(body)) return writeStream(response, body, writeHead, request, dependencies);
  if (response.destroyed) return undefined;
  writeHead();
  const bytes = lengthOf(body) ?? 0;
  if (bytes >= LONG_TEXT) boundReading(response, bytes, dependencies.reading);
  response.end(response.req.method === 'HEAD' ? undefined : body);
  return undefined;
}

const LONG_TEXT = 65_536;

/** Node would measure a text, join it to the header and encode the two: for a long one it is cheaper to be bytes. */
function encoded(body: GatewayResponse['body']): GatewayResponse['body'] {
  return typeof body === 'string' && body.length >= LONG_TEXT ? Buffer.from(body) : body;
}

function fieldsOf(
  { status, headers }: GatewayResponse,
  body: GatewayResponse['body'],
): Readonly<Record<string, string>> {
  const length = mayHaveBody(status) ? lengthOf(body) : undefined;
  return length === undefined ? headers : { ...headers, 'content-length': String(length) };
}

/** Whatever becomes of the answer, nothing of the stream is left open. */
async function writeStream(
  response: ServerResponse,
  { bytes, length, isHeld }: StreamBody,
  writeHead: () => void,
  request: GatewayRequest,
  { log, reading }: RouteDependencies,
): Promise<void> {
  try {
    if (response.destroyed) return;
    writeHead();
    if (isHeld === true) boundReading(response, length ?? 0, reading);
    if (response.req.method === 'HEAD') response.end();
    else await pipeline(bytes, response);
  } catch (error) {
    if (!response.headersSent) throw error;
    response.destroy();
    if (isClientGone(error)) return;
    const err = error instanceof GatewayError ? error.cause : error;
    log.warn({ id: request.id, err }, 'an answer broke off');
  } finally {
    bytes.destroy();
  }
}

function isClientGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && CLIENT_GONE.has(String(error.code));
}

/** Ours, and Node's where the answer was closed before its end. */
const CLIENT_GONE: ReadonlySet<string> = new Set([
  'ClientClosedRequest',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ECONNRESET',
  'EPIPE',
]);

/** The answer to whatever was thrown; what is no GatewayError is hidden, and every cause is logged. */
export function errorAnswer(
  error: unknown,
  route: Route,
  request: GatewayRequest,
  log: Log,
): GatewayResponse {
  const shown = error instanceof GatewayError ? error : internalError(error);
  if (shown.cause !== undefined && !request.signal.aborted) logCause(shown, request, log);
  try {
    return (route.errorResponse ?? plainError)(shown, request);
  } catch (fault) {
    const internal = internalError(fault);
    logCause(internal, request, log);
    return plainError(internal);
  }
}

/** The error that stands for a fault of ours; the cause is for the log. */
export function internalError(cause: unknown): GatewayError {
  return new GatewayError('InternalError', 'The gateway failed to answer this request.', { cause });
}

function logCause(error: GatewayError, request: GatewayRequest, log: Log): void {
  const fields = { id: request.id, code: error.code, err: error.cause };
  if (error.code === 'InternalError') log.error(fields, error.message);
  else log.warn(fields, error.message);
}

// RFC 9110, 8.6: no Content-Length in 1xx and 204; in 304 it would be that of the unchanged body.
function mayHaveBody(status: number): boolean {
  return status >= 200 && status !== 204 && status !== 304;
}

/** The length of a body in bytes; undefined where it is not known yet. */
export function lengthOf(body: GatewayResponse['body']): number | undefined {
  if (body === undefined) return 0;
  if (typeof body === 'string') return Buffer.byteLength(body);
  return isStreamBody(body) ? body.length : body.byteLength;
}

/**
 * Header fields with the challenges of a 401 (RFC 9110, 11.6.1) as they suit the client: those for a page's
 * script go without Basic, for which a browser would open a window of its own before the script hears of it.
 */
function filterAuthChallenges(
  fields: GatewayResponse['headers'],
  { headers }: Pick<GatewayRequest, 'headers'>,
): GatewayResponse['headers'] {
  const challenges = fields['www-authenticate'];
  if (challenges === undefined || !isScript(headers)) return fields;
  return { ...fields, 'www-authenticate': challenges.replace(/, Basic realm="[^"]*"/, '') };
}

/** Browsers alone say for which site they ask; Node's fetch names a mode, too. */
function isScript(headers: GatewayRequest['headers']): boolean {
  const isPage = 'sec-fetch-site' in headers && headers['sec-fetch-mode'] !== 'navigate';
  return isPage || 'x-requested-with' in headers;
}

/** Every client has so much time, however short the answer. */
const GRACE_MS = 10_000;

/** Breaks off where the client has not read so many bytes in time: they are held until it has. */
function boundReading(response: ServerResponse, bytes: number, limits: ReaderLimits): void {
  const time = GRACE_MS + (bytes / limits.answerRate) * 1000;
  const timer = setTimeout(() => response.destroy(), Math.min(time, limits.answerTimeoutMs));
  atClose(response, () => clearTimeout(timer));
}
