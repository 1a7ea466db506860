import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { performance } from 'node:perf_hooks';
import { Readable, type Transform } from 'node:stream';
import { promisify } from 'node:util';
import {
  brotliDecompress,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  gunzip,
  inflate,
} from 'node:zlib';
import type { Dispatcher } from 'undici';
import type { StreamBody } from '../../contract/exchange.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { MemoryReservation } from '../../contract/memory-allowance.ts';
import { concatenated } from '../../core/concatenated.ts';
import { inTurns } from '../../core/work.ts';
import type { CallRate } from '../../model/operation.ts';
import type { SignRequest } from './request-signature.ts';
import { BROKEN_CONNECTIONS, badResponse, NotSentError, upstreamFailure } from './upstream-failure.ts';

/** A request to the upstream, complete but for what the connection adds. */
export interface UpstreamRequest {
  /** Names what is asked for, whichever arguments it has: it fails by itself. */
  readonly operation: string;
  readonly method: string;
  /** Path and query, percent-encoded. */
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  /** Header fields that say nothing of the answer, unless `headers` has them: names and values in turn. */
  readonly trace?: readonly string[] | undefined;
  readonly body: Uint8Array | StreamBody | string | undefined;
  /** The user it is sent for, among whom places are shared; undefined for calls that no user has to answer for. */
  readonly asker?: string | undefined;
  /** Whether the request may be sent again whatever its method, like a GET. */
  readonly isRepeatable?: boolean;
  /** The answer may be given to others who wait for the very same. */
  readonly mayBeShared?: boolean;
  /** The owner of the credential that the request is sent with; empty or undefined for the gateway's. */
  readonly owner?: string;
  /** One of many calls of a request of the gateway. */
  readonly isBulk?: boolean;
  /** The rate that is declared for the operation, beside what answers declare. */
  readonly rate?: CallRate | undefined;
  /** Signs the request each time that it is sent. */
  readonly sign?: SignRequest | undefined;
}

export interface UpstreamAnswer {
  readonly kind: 'answer';
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** As received: its content coding is not undone. */
  readonly body: Buffer;
  /** The reserved memory, which the consumer releases. */
  readonly memory?: MemoryReservation | undefined;
  /** Others have been given the very same answer. */
  readonly isShared?: boolean;
  /** The answer was kept, and no call was made for it. */
  readonly isKept?: boolean;
}

/** An answer whose body is still to come. The connection is taken until the body is closed. */
export interface UpstreamStream {
  readonly kind: 'stream';
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** As received. It fails with a GatewayError where the answer breaks off. */
  readonly body: Readable;
}

export interface UpstreamFault {
  readonly kind: 'fault';
  readonly error: GatewayError;
  /** The methods that may be repeated: `any` if no byte of the request was sent. */
  readonly repeatable: 'any' | 'get' | 'none';
  /** Whether the upstream has answered, with a failure. */
  readonly isAnswered?: boolean;
  /** No byte of the request was sent. */
  readonly isUnsent?: boolean;
}

export type UpstreamOutcome = UpstreamAnswer | UpstreamStream | UpstreamFault;

/** In bytes. What is smaller is not counted: there are only as many as there are connections. */
const LARGE = 262_144;
/** Estimated memory per byte of a body: decoded data, rows, and the response. */
const WEIGHT = 4;

/**
 * One request on one connection. It settles exactly once; whatever ends it before the answer is
 * complete destroys the connection, so that no later call reads what is left.
 */
export class UpstreamExchange implements Dispatcher.DispatchHandler {
  readonly #settle: (outcome: UpstreamAnswer | UpstreamFault) => void;
  readonly #sizeLimit: number;
  #controller: Dispatcher.DispatchController | undefined;
  #settled = false;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #body: ReceivedBody | undefined;
  readonly #memory: MemoryReservation | undefined;
  readonly #cancellation: Cancellation | undefined;
  /** For so many bytes of the body there is room. */
  #room = 0;

  constructor(
    sizeLimit: number,
    settle: (outcome: UpstreamAnswer | UpstreamFault) => void,
    memory?: MemoryReservation,
    cancellation?: Cancellation,
  ) {
    this.#memory = memory;
    this.#cancellation = cancellation;
    this.#sizeLimit = sizeLimit;
    this.#settle = settle;
  }

  cancel(reason: GatewayError): void {
    const fault = { kind: 'fault', error: reason, repeatable: 'none' } as const;
    this.#finish(this.#controller === undefined ? unsent(fault) : fault);
    this.#controller?.abort(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#settled) controller.abort(new Error('given up before it was sent'));
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    this.#status = status;
    this.#headers = headers;
    const announced = Number(headers['content-length']);
    if (announced > this.#sizeLimit) this.cancel(this.#tooLarge());
    else {
      this.#body = new ReceivedBody(announced);
      if (announced >= LARGE) this.#makeRoom(announced, controller);
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const body = this.#body;
    if (body === undefined) return;
    if (body.size + chunk.length > this.#sizeLimit) this.cancel(this.#tooLarge());
    else {
      body.add(chunk);
      this.#makeRoom(body.size, controller);
    }
  }

  onResponseEnd(): void {
    const body = this.#body?.bytes() ?? Buffer.alloc(0);
    if (body instanceof Promise) void body.then((bytes) => this.#answer(bytes));
    else this.#answer(body);
  }

  onResponseError(_: unknown, error: Error): void {
    const fault = faultOf(error);
    this.#finish(this.#controller === undefined ? unsent(fault) : fault);
  }

  /** Nothing more is received of a large body until there is room for it. */
  #makeRoom(bytes: number, controller: Dispatcher.DispatchController): void {
    const missing = bytes - this.#room;
    if (this.#memory === undefined || bytes < LARGE || missing <= 0) return;
    const taken = Math.max(missing, LARGE);
    this.#room += taken;
    // The upstream does not owe the time in which nothing is read of it.
    controller.pause();
    this.#cancellation?.stopDeadline();
    this.#memory.take(taken * WEIGHT).then(
      () => {
        this.#cancellation?.resumeDeadline();
        controller.resume();
      },
      (reason: GatewayError) => this.cancel(reason),
    );
  }

  #answer(body: Buffer): void {
    const memory = this.#memory;
    this.#finish({ kind: 'answer', status: this.#status, headers: this.#headers, body, memory });
  }

  #tooLarge(): GatewayError {
    return badResponse(`the body is larger than ${this.#sizeLimit} bytes`);
  }

  #finish(outcome: UpstreamAnswer | UpstreamFault): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#body = undefined;
    if (outcome.kind === 'fault') this.#memory?.release();
    this.#settle(outcome);
  }
}

const TIMEOUTS: ReadonlySet<string> = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
]);

/** Of this process, or of the machine: no descriptor, port or memory is left. */
const SPENT: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EADDRNOTAVAIL']);

/** The gateway itself has given the connections up. */
const CLOSED: ReadonlySet<string> = new Set(['UND_ERR_CLOSED', 'UND_ERR_DESTROYED']);

/** The fault for a connection error. */
export function faultOf(error: Error): UpstreamFault {
  // The client's body ended early, which is not the upstream's fault.
  if (error instanceof GatewayError) return { kind: 'fault', error, repeatable: 'none' };
  const code = 'code' in error ? String(error.code) : '';
  if (TIMEOUTS.has(code)) return fault('UpstreamTimeout', error, 'none');
  if (SPENT.has(code)) return ownFault(error);
  if (code === 'ECONNREFUSED') return fault('UpstreamUnavailable', error, 'any');
  // A protocol that was not requested: undici closes the connection (RFC 9110, 15.2.2).
  if (error.message === 'bad upgrade') return fault('UpstreamBadResponse', error, 'none');
  if (BROKEN_CONNECTIONS.has(code)) return fault('UpstreamUnavailable', error, 'get');
  if (CLOSED.has(code)) return fault('UpstreamUnavailable', error, 'none');
  const isUnreadable = error.name === 'HTTPParserError' || code.startsWith('UND_ERR_');
  return fault(isUnreadable ? 'UpstreamBadResponse' : 'UpstreamUnavailable', error, 'none');
}

/**
 * The fault of a request of which no byte was sent: it may be sent again. A deadline that ends before that is the
 * gateway's own, a connection that cannot be made is a fault of the upstream.
 */
export function unsent(fault: UpstreamFault): UpstreamFault {
  const { error } = fault;
  const { code, cause } = error;
  if (code !== 'UpstreamTimeout' && code !== 'UpstreamUnavailable') return { ...fault, isUnsent: true };
  const reason = new NotSentError(cause);
  if (cause instanceof DeadlineError) return { ...ownFault(reason), isUnsent: true };
  return { kind: 'fault', error: upstreamFailure(code, reason), repeatable: 'any', isUnsent: true };
}

class DeadlineError extends Error {
  constructor(deadline: number) {
    super(`the deadline of ${deadline} ms is over`);
  }
}

/** The fault of a call that the gateway itself could not make. */
export function ownFault(cause: Error): UpstreamFault {
  const error = upstreamFailure('Overloaded', cause, { 'retry-after': '1' });
  return { kind: 'fault', error, repeatable: 'none' };
}

function fault(
  code: 'UpstreamTimeout' | 'UpstreamUnavailable' | 'UpstreamBadResponse',
  cause: Error,
  repeatable: UpstreamFault['repeatable'],
): UpstreamFault {
  return { kind: 'fault', error: upstreamFailure(code, cause), repeatable };
}

/** Below, chunks are put together at the end: there are few of them, or one. */
const LARGE_BODY = 65_536;

/**
 * The bytes of an answer as they come in. Where there are many and their number is known, each chunk is put in
 * its place at once: while the next one is waited for there is time for that.
 */
class ReceivedBody {
  readonly #announced: number;
  #whole: Buffer | undefined;
  readonly #chunks: Buffer[] = [];
  #size = 0;

  /** `announced` is what Content-Length says; NaN where it says nothing. */
  constructor(announced: number) {
    this.#announced = announced;
  }

  get size(): number {
    return this.#size;
  }

  add(chunk: Buffer): void {
    if (this.#announced >= LARGE_BODY) {
      // Only now: an answer may announce a body that it does not have (RFC 9110, 8.6).
      this.#whole ??= Buffer.allocUnsafeSlow(this.#announced);
      this.#whole.set(chunk, this.#size);
    } else this.#chunks.push(chunk);
    this.#size += chunk.length;
  }

  /** A promise where there is much to be put together: others go first in between. */
  bytes(): Buffer | Promise<Buffer> {
    if (this.#whole !== undefined) return this.#whole.subarray(0, this.#size);
    const [first, second] = this.#chunks;
    if (first !== undefined && second === undefined) return first;
    return this.#size < LARGE_BODY
      ? Buffer.concat(this.#chunks, this.#size)
      : inTurns(concatenated(this.#chunks, this.#size));
  }
}

type Decoder = (body: Uint8Array, options: { maxOutputLength: number }) => Promise<Buffer>;

const DECODERS: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
]);

const STREAM_DECODERS: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/** True where the body is sent as it is. */
export function isIdentity(coding: string | undefined): coding is undefined | '' | 'identity' {
  return coding === undefined || coding === '' || coding === 'identity';
}

/** Decodes a content coding to at most `limit` bytes, because a small body may decode to a huge one. */
export async function decodeBody(body: Buffer, coding: string, limit: number): Promise<Buffer> {
  const decode = DECODERS.get(coding.toLowerCase());
  if (decode === undefined) throw unexpectedCoding(coding);
  try {
    return await decode(body, { maxOutputLength: limit });
  } catch (error) {
    throw badResponse(`${coding} body cannot be decoded within ${limit} bytes: ${String(error)}`, body);
  }
}

/** Undoes a content coding while the body comes. */
export function streamDecoder(coding: string): Transform {
  const create = STREAM_DECODERS.get(coding.toLowerCase());
  if (create === undefined) throw unexpectedCoding(coding);
  return create();
}

function unexpectedCoding(coding: string): GatewayError {
  return badResponse(`content coding ${JSON.stringify(coding)} was not asked for`);
}

/** Header fields of an answer that say something of the pages of a list, by their names in lower case. */
export type PageHeaders = Readonly<Record<string, string>>;

const NAMES = [
  'link',
  'x-next-page',
  'x-next-cursor',
  'x-ms-continuation',
  'x-continuation-token',
  'x-total-count',
  'x-total',
  'x-wp-total',
  'total-count',
  'content-range',
] as const;

/** Undefined without such fields, which is usual. */
export function pageHeaders(headers: IncomingHttpHeaders): PageHeaders | undefined {
  let found: Record<string, string> | undefined;
  for (const name of NAMES) {
    const value = headers[name];
    if (value === undefined) continue;
    found ??= {};
    found[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return found;
}

export function haveSamePages(one: PageHeaders | undefined, other: PageHeaders | undefined): boolean {
  return NAMES.every((name) => one?.[name] === other?.[name]);
}

/** RFC 9110, section 8.8.3. */
const ENTITY_TAG = /^(W\/)?"[\x21\x23-\x7e]*"$/;

/** The entity tag of an answer; none where it has not the form of one. */
export function entityTag({ etag }: IncomingHttpHeaders): string | undefined {
  return etag !== undefined && ENTITY_TAG.test(etag) ? etag : undefined;
}

const DIGESTS = new WeakMap<Buffer, string>();

/** A weak entity tag for the bytes of an answer that has none: the same for the same bytes, wherever they are read. */
export function digestOf({ body }: { readonly body: Buffer }): string {
  const known = DIGESTS.get(body);
  if (known !== undefined) return known;
  const digest = `W/"${hash('sha1', body, 'base64url')}"`;
  DIGESTS.set(body, digest);
  return digest;
}

/**
 * Ends a call when its client goes away or its deadline is over, whatever it is doing just then.
 *
 * A call does one thing at a time, so one function that ends it is enough; an AbortSignal for each
 * step would cost more than all else that is done for a call.
 */
export class Cancellation {
  readonly #signal: AbortSignal;
  readonly #deadline: number;
  #timer: NodeJS.Timeout;
  /** The rest of the deadline at the start of the timer, in milliseconds. */
  #left: number;
  #startedAt = performance.now();
  readonly #onAbort: () => void;
  readonly #loop = performance.eventLoopUtilization();
  #reason: GatewayError | undefined;
  #step: ((reason: GatewayError) => void) | undefined;

  /** Milliseconds: the deadline, and what has passed of it. */
  constructor(signal: AbortSignal, deadline: number, spent = 0) {
    this.#signal = signal;
    this.#deadline = deadline;
    this.#onAbort = () => this.cancel(upstreamFailure('ClientClosedRequest', signal.reason));
    this.#left = deadline - spent;
    this.#timer = this.#startTimer();
    if (signal.aborted) this.#onAbort();
    else signal.addEventListener('abort', this.#onAbort);
  }

  /** Why the call must end, once it must. */
  get reason(): GatewayError | undefined {
    return this.#reason;
  }

  /** Whether the process has been at work ever since, so that what came may not have been looked at. */
  wasBusy(): boolean {
    return performance.eventLoopUtilization(this.#loop).utilization > BUSY;
  }

  /** Says what ends the step that begins now; it is called at most once, and not after the next step. */
  enter(step: (reason: GatewayError) => void): void {
    this.#step = step;
  }

  /** The deadline is to be counted from now on. */
  renewDeadline(): void {
    this.#left = this.#deadline;
    this.resumeDeadline();
  }

  /** Stops the clock, until {@link resumeDeadline}. */
  stopDeadline(): void {
    clearTimeout(this.#timer);
    this.#left -= performance.now() - this.#startedAt;
  }

  resumeDeadline(): void {
    clearTimeout(this.#timer);
    if (this.#step !== undefined) this.#timer = this.#startTimer();
  }

  /** From now on, only the client's going away ends the call. */
  liftDeadline(): void {
    clearTimeout(this.#timer);
  }

  /** Ends the call, for the first reason that is given. */
  cancel(reason: GatewayError): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#step?.(reason);
  }

  close(): void {
    this.#step = undefined;
    clearTimeout(this.#timer);
    this.#signal.removeEventListener('abort', this.#onAbort);
  }

  #startTimer(): NodeJS.Timeout {
    this.#startedAt = performance.now();
    return setTimeout(() => this.cancel(timeout(this.#deadline)), this.#left);
  }
}

/** The share of the time from which the process counts as busy. */
const BUSY = 0.95;

function timeout(deadline: number): GatewayError {
  return upstreamFailure('UpstreamTimeout', new DeadlineError(deadline));
}

interface SentUpload {
  readonly body: Readable;
  readonly headers: string[];
  /** The cancellation has a deadline for that, which begins when the upload is complete. */
  readonly headersTimeout: number;
}

/** The request options for a streamed body. */
export function uploadOf(
  { bytes, length }: StreamBody,
  headers: readonly string[],
  cancellation: Cancellation,
): SentUpload {
  const announced = length === undefined ? [] : ['content-length', String(length)];
  const body = Readable.from(paced(bytes, cancellation), { objectMode: false });
  return { body, headers: [...headers, ...announced], headersTimeout: 0 };
}

/** The deadline is that of the upstream for each chunk and then for its answer: waiting for the client does not count. */
async function* paced(bytes: Readable, cancellation: Cancellation): AsyncGenerator<Buffer> {
  cancellation.liftDeadline();
  for await (const chunk of bytes) {
    cancellation.renewDeadline();
    yield chunk;
    cancellation.liftDeadline();
  }
  cancellation.renewDeadline();
}

/** A path with further parameters in its query. */
export function withQuery(path: string, query: string): string {
  return query === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`;
}
