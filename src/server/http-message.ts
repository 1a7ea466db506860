import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  type BrokenEnd,
  type GatewayRequest,
  type GatewayResponse,
  isStreamBody,
  type StreamBody,
} from '../contract/exchange.ts';
import { clientClosed, GatewayError } from '../contract/gateway-error.ts';
import type { Log } from '../contract/log.ts';
import { retryAfter } from '../contract/memory-allowance.ts';
import type { Principal } from '../contract/principal.ts';
import { atClose } from './http-server.ts';
import { plainError } from './json-response.ts';
import type { Route } from './route.ts';
import type { PaceLimits, ReaderLimits } from './server-limits.ts';

/** The dependencies for writing responses. */
export interface AnswerDependencies {
  readonly log: Log;
  /** The limits for slow clients. */
  readonly reading: ReaderLimits;
  readonly isStopping: () => boolean;
}

/**
 * Writes the response of a route. The route's header fields replace the given ones. Writes nothing if the
 * client has disconnected. HEAD gets the fields without the body (RFC 9110, 9.3.2).
 *
 * A stream is written at the pace of the client, and completed when the promise resolves. If it fails, the
 * connection is closed, so that the client does not take the part for the whole.
 */
export function writeAnswer(
  response: ServerResponse,
  answer: GatewayResponse,
  request: GatewayRequest,
  headers: Readonly<Record<string, string>>,
  dependencies: AnswerDependencies,
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

/** Encodes a long text: Node would measure it, join it to the header and encode both. */
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

/** Destroys the stream in every case. */
async function writeStream(
  response: ServerResponse,
  { bytes, length, isHeld, breakOff }: StreamBody,
  writeHead: () => void,
  request: GatewayRequest,
  { log, reading }: AnswerDependencies,
): Promise<void> {
  try {
    if (response.destroyed) return;
    writeHead();
    if (isHeld === true) boundReading(response, length ?? 0, reading);
    else boundPace(response, reading);
    if (response.req.method === 'HEAD') response.end();
    else if (breakOff !== undefined) await writeWithTrailers(response, bytes, breakOff);
    else await pipeline(bytes, response);
  } catch (error) {
    if (!response.headersSent) throw error;
    response.destroy();
    if (error instanceof Error && 'code' in error && CLIENT_GONE.has(String(error.code))) return;
    const err = error instanceof GatewayError ? error.cause : error;
    log.warn({ id: request.id, err }, 'an answer broke off');
  } finally {
    bytes.destroy();
  }
}

/** Writes a stream. An error behind its first byte is sent in trailers, behind a malformed body; then the connection is closed. */
async function writeWithTrailers(
  response: ServerResponse,
  bytes: Readable,
  breakOff: (error: unknown) => BrokenEnd,
): Promise<void> {
  let failure: { readonly error: unknown } | undefined;
  const whole = async function* (): AsyncGenerator<Uint8Array | string> {
    try {
      yield* bytes;
    } catch (error) {
      failure = { error };
      const { content, trailers } = breakOff(error);
      response.addTrailers(trailers);
      if (content !== '') yield content;
    }
  };
  await pipeline(whole, response);
  if (failure !== undefined) throw failure.error;
}

/** Errors of a closed response: the gateway's own, and Node's. */
const CLIENT_GONE: ReadonlySet<string> = new Set([
  'ClientClosedRequest',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ECONNRESET',
  'EPIPE',
]);

/**
 * The response for any thrown value; errors other than GatewayError are hidden, and every cause is logged.
 */
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

/** The error for internal failures; the cause is logged. */
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

/** The length of a body in bytes; undefined if unknown. */
export function lengthOf(body: GatewayResponse['body']): number | undefined {
  if (body === undefined) return 0;
  if (typeof body === 'string') return Buffer.byteLength(body);
  return isStreamBody(body) ? body.length : body.byteLength;
}

/**
 * Removes Basic from the challenges of a 401 (RFC 9110, 11.6.1) for scripts of a page, because the browser
 * would show its own dialog before the script sees the response.
 */
function filterAuthChallenges(
  fields: GatewayResponse['headers'],
  { headers }: Pick<GatewayRequest, 'headers'>,
): GatewayResponse['headers'] {
  const challenges = fields['www-authenticate'];
  if (challenges === undefined || !isScript(headers)) return fields;
  return { ...fields, 'www-authenticate': challenges.replace(/, Basic realm="[^"]*"/, '') };
}

/** Only browsers send the site of the request; Node's fetch sends a mode, too. */
function isScript(headers: GatewayRequest['headers']): boolean {
  const isPage = 'sec-fetch-site' in headers && headers['sec-fetch-mode'] !== 'navigate';
  return isPage || 'x-requested-with' in headers;
}

/** Closes the connection if the client does not read the bytes in time, because they occupy memory. */
function boundReading(response: ServerResponse, bytes: number, limits: ReaderLimits): void {
  const time = limits.paceGraceMs + (bytes / limits.answerRate) * 1000;
  const timer = setTimeout(() => response.destroy(), Math.min(time, limits.answerTimeoutMs));
  atClose(response, () => clearTimeout(timer));
}

const PACE_CHECKS = 10;

/** Closes the connection if the client reads a stream too slowly. Only the time with unread data counts. */
function boundPace(response: ServerResponse, { answerRate, paceGraceMs }: ReaderLimits): void {
  const { socket } = response;
  if (socket === null) return;
  const before = socket.bytesWritten - socket.writableLength;
  const interval = paceGraceMs / PACE_CHECKS;
  let waited = 0;
  const timer = setInterval(() => {
    if (response.writableLength === 0) return;
    waited += interval;
    const read = socket.bytesWritten - socket.writableLength - before;
    if (read < ((waited - paceGraceMs) / 1000) * answerRate) response.destroy();
  }, interval);
  atClose(response, () => clearInterval(timer));
}

/**
 * Reads the whole body.
 *
 * Throws PayloadTooLarge (at once if the announced length exceeds the limit), Overloaded if too much memory
 * is in use, RequestTimeout or ClientClosedRequest. Further data from the client is read and discarded, so
 * that it can read the response.
 */
export function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  { timeout, take, ...length }: BodyLimits,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    assertInTime(request, response, timeout, reject);
    admitBody(request, response, length);
    collect(request, length, take).then(resolve, reject);
  });
}

/** The maximum length of a body. */
interface LengthLimit {
  readonly limit: number;
  /** The variable of the limit, if any. */
  readonly variable: string | undefined;
}

interface BodyLimits extends LengthLimit {
  /** For the complete body, in milliseconds. */
  readonly timeout: number;
  readonly take: TakeRoom;
}

/** Whether the body is announced as longer than the limit, or with no length. */
export function mayExceed({ headers }: IncomingMessage, limit: number): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > limit;
}

/**
 * Responds with RequestTimeout if the body is not complete in time, and closes the connection; closes it at
 * once if the request has a response already.
 */
function assertInTime(
  request: IncomingMessage,
  response: ServerResponse,
  timeout: number,
  tell: (error: GatewayError) => void,
): void {
  const timer = setTimeout(() => {
    response.shouldKeepAlive = false;
    if (response.headersSent) request.destroy();
    else tell(lateBody());
  }, timeout);
  request.once('close', () => clearTimeout(timer));
}

function lateBody(): GatewayError {
  return new GatewayError('RequestTimeout', 'The request did not arrive in time.');
}

function slowBody(rate: number): GatewayError {
  const message = `The body arrives too slowly: at least ${rate} bytes a second are expected (UPLOAD_RATE_KIB).`;
  return new GatewayError('RequestTimeout', message, { limit: 'UPLOAD_RATE_KIB' });
}

/** Throws PayloadTooLarge if the announced length exceeds the limit, else sends 100 Continue. */
function admitBody(request: IncomingMessage, response: ServerResponse, length: LengthLimit): void {
  const expectsWord = request.headers.expect !== undefined;
  if (Number(request.headers['content-length'] ?? 0) > length.limit) {
    // After a rejection, the client may or may not send the body (RFC 9110, 10.1.1), so the connection cannot
    // be reused.
    if (expectsWord) response.shouldKeepAlive = false;
    throw tooLarge(length);
  }
  if (expectsWord) response.writeContinue();
}

function collect(request: IncomingMessage, length: LengthLimit, take: TakeRoom): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const add = (chunk: Buffer): void => {
      try {
        size += chunk.length;
        if (size > length.limit) throw tooLarge(length);
        take(chunk.length);
        chunks.push(chunk);
      } catch (error) {
        chunks.length = 0;
        request.off('data', add).resume();
        reject(error);
      }
    };
    request.on('data', add);
    request.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    request.on('close', () => {
      if (!request.complete) reject(clientClosed());
    });
  });
}

function tooLarge({ limit, variable }: LengthLimit): GatewayError {
  const named = variable === undefined ? '' : ` (${variable})`;
  return new GatewayError('PayloadTooLarge', `The body is larger than ${limit} bytes${named}.`, {
    ...(variable !== undefined && { limit: variable }),
  });
}

/** The share of anonymous clients, so that users are not blocked by them. */
const STRANGERS_SHARE = 0.25;

/** Counts received bytes; throws Overloaded if there is no room. */
type TakeRoom = (bytes: number) => void;

/** Limits the bytes of all request bodies in memory. */
export class BodyAllowance {
  readonly #limit: number;
  #held = 0;
  #heldForStrangers = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Reserves room for one body until the response is finished. */
  forRequest(response: ServerResponse, { kind }: Principal): TakeRoom {
    const isStranger = kind === 'anonymous';
    let taken = 0;
    const add = (bytes: number): void => {
      taken += bytes;
      this.#held += bytes;
      if (isStranger) this.#heldForStrangers += bytes;
    };
    atClose(response, () => add(-taken));
    return (bytes) => {
      if (response.destroyed) throw clientClosed();
      if (!this.#hasRoom(bytes, isStranger)) throw noRoom();
      add(bytes);
    };
  }

  #hasRoom(bytes: number, isStranger: boolean): boolean {
    const isFull = this.#held + bytes > this.#limit;
    return !isFull && !(isStranger && this.#heldForStrangers + bytes > this.#limit * STRANGERS_SHARE);
  }
}

function noRoom(): GatewayError {
  return new GatewayError(
    'Overloaded',
    'The gateway is reading too many request bodies: try again later (BODIES_MIB).',
    {
      headers: { 'retry-after': retryAfter() },
    },
  );
}

export interface UploadLimits extends LengthLimit {
  /** Longest silence of the client while the gateway waits for data, in milliseconds. */
  readonly silence: number;
  readonly pace: PaceLimits;
}

/**
 * The body of a request as a stream, read at the pace of its consumer. Fails with PayloadTooLarge, with
 * RequestTimeout if the client is silent or too slow, and with ClientClosedRequest.
 */
export function openUpload(
  request: IncomingMessage,
  response: ServerResponse,
  limits: UploadLimits,
): StreamBody {
  admitBody(request, response, limits);
  const length = request.headers['content-length'];
  const bytes = Readable.from(chunksOf(request, limits), { objectMode: false });
  // The consumer gets the error; without a listener, an error before would end the process.
  bytes.on('error', () => undefined);
  return { bytes, length: length === undefined ? undefined : Number(length) };
}

async function* chunksOf(request: IncomingMessage, limits: UploadLimits): AsyncGenerator<Buffer> {
  // The connection is still needed for the response.
  const chunks = request.iterator({ destroyOnReturn: false });
  const { uploadRate, paceGraceMs } = limits.pace;
  let read = 0;
  let waited = 0;
  for (;;) {
    const start = performance.now();
    const left = paceGraceMs + (read / uploadRate) * 1000 - waited;
    const { done, value } =
      left < limits.silence
        ? await inTime(chunks.next(), left, () => slowBody(uploadRate))
        : await inTime(chunks.next(), limits.silence, lateBody);
    waited += performance.now() - start;
    if (done === true) return;
    read += value.length;
    if (read > limits.limit) throw tooLarge(limits);
    yield value;
  }
}

async function inTime<Result>(
  result: Promise<Result>,
  time: number,
  late: () => GatewayError,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), time);
  });
  try {
    // The only failure of a request's body is that the rest never arrives.
    return await Promise.race([result.catch(() => Promise.reject(clientClosed())), tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

/** Discards the unread rest of a body, so that the client can read the response. */
export function closeUpload({ bytes }: StreamBody, request: IncomingMessage): void {
  bytes.destroy();
  request.resume();
}

/** Whether the target is the path or below it. Nothing is decoded: `/odat%61` is not `/odata`. */
export function isBelow(path: string, target: string): boolean {
  if (!target.startsWith(path)) return false;
  const next = target.charCodeAt(path.length);
  return Number.isNaN(next) || next === SLASH || next === QUESTION_MARK || next === NUMBER_SIGN;
}

const SLASH = 0x2f;
const QUESTION_MARK = 0x3f;
const NUMBER_SIGN = 0x23;
