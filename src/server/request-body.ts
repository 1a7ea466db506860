import type { IncomingMessage, ServerResponse } from 'node:http';
import { clientClosed, GatewayError } from '../contract/gateway-error.ts';
import { retryAfter } from '../contract/memory-allowance.ts';
import type { Principal } from '../contract/principal.ts';
import { atClose } from './http-server.ts';

/** Whether the request announces a body, be it an empty one (RFC 9112, 6). */
function hasBody(request: IncomingMessage): boolean {
  return (
    request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined
  );
}

/**
 * Reads the body to its end; undefined where there is none.
 *
 * Fails with PayloadTooLarge, at once where the announced length is beyond the limit, with Overloaded where too much is
 * held already, with RequestTimeout or with ClientClosedRequest. What a client sends after that is read and forgotten, so that it gets to see the answer.
 */
export function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  { timeout, take, ...length }: BodyLimits,
): Promise<Uint8Array> | undefined {
  if (!hasBody(request)) return undefined;
  return new Promise((resolve, reject) => {
    assertInTime(request, response, timeout, reject);
    admitBody(request, response, length);
    collect(request, length, take).then(resolve, reject);
  });
}

/** How long a body may be. */
export interface LengthLimit {
  /** In bytes. */
  readonly limit: number;
  /** The variable that sets it; undefined where none does. */
  readonly variable: string | undefined;
}

interface BodyLimits extends LengthLimit {
  /** Until it is complete, in milliseconds. */
  readonly timeout: number;
  readonly take: TakeRoom;
}

/** Whether a body is announced that is longer than that, or may be. */
export function mayExceed({ headers }: IncomingMessage, limit: number): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > limit;
}

/**
 * Tells RequestTimeout where a body is not complete in time, and ends the connection; at once where the request is
 * answered already.
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

export function lateBody(): GatewayError {
  return new GatewayError('RequestTimeout', 'The request did not arrive in time.');
}

/** Throws PayloadTooLarge where the announced length is beyond the limit, else lets the client send the body. */
export function admitBody(request: IncomingMessage, response: ServerResponse, length: LengthLimit): void {
  const expectsWord = request.headers.expect !== undefined;
  if (Number(request.headers['content-length'] ?? 0) > length.limit) {
    // Whether a client that asked first sends its body after a no is its choice (RFC 9110, 10.1.1).
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

export function tooLarge({ limit, variable }: LengthLimit): GatewayError {
  const named = variable === undefined ? '' : ` (${variable})`;
  return new GatewayError('PayloadTooLarge', `The body is larger than ${limit} bytes${named}.`, {
    ...(variable !== undefined && { limit: variable }),
  });
}

/** What strangers may have of it: those who have signed in are not to wait for them. */
const STRANGERS_SHARE = 0.25;

/** Charges what comes of one body, and fails with Overloaded where there is no more room. */
type TakeRoom = (bytes: number) => void;

/** How many bytes of bodies the process holds at once, whoever sends them and however many there are. */
export class BodyAllowance {
  readonly #limit: number;
  #held = 0;
  #heldForStrangers = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Room for one body, until it is answered. */
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
