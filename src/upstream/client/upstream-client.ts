import { setTimeout as sleep } from 'node:timers/promises';
import { type buildConnector, type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';
import { isStreamBody } from '../../contract/exchange.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { Log } from '../../contract/log.ts';
import { retryAfter } from '../../contract/memory-allowance.ts';
import type { ClientTls } from '../../sources/project-source.ts';
import {
  Cancellation,
  ownFault,
  type UpstreamAnswer,
  UpstreamExchange,
  type UpstreamFault,
  type UpstreamOutcome,
  type UpstreamRequest,
  type UpstreamStream,
  uploadOf,
} from '../exchange/upstream-exchange.ts';
import { upstreamFailure } from '../exchange/upstream-failure.ts';
import { classifyResponse, final, SharedFetches } from './shared-fetches.ts';
import { StreamingExchange } from './streaming-exchange.ts';
import type { UpstreamLimits } from './upstream-limits.ts';

interface UpstreamClientOptions {
  /** Names the upstream in the log. */
  readonly name: string;
  /** Scheme, host and port: every request goes there, and a redirect is never followed. */
  readonly origin: string;
  readonly limits: UpstreamLimits;
  readonly log: Log;
  /** Makes the connections, where not every address may be connected to. */
  readonly connector?: buildConnector.connector | undefined;
  /** What connections that no connector makes have of TLS. */
  readonly tls?: ClientTls;
  /** What it answers may hold secrets, and is quoted in no log. */
  readonly isConfidential?: boolean;
}

/** Calls one upstream, within the limits. */
export interface UpstreamClient {
  /**
   * The upstream's answer of any status but 429 and 5xx. All else is a GatewayError; a GET is sent
   * once more where that may help, another method only where no byte of it had been sent. `spent` is what has
   * passed of the deadline, in milliseconds.
   */
  send(request: UpstreamRequest, signal: AbortSignal, spent?: number): Promise<UpstreamAnswer>;
  /**
   * Sends a request as {@link send} does and hands its answer on as it comes, with no end to its length: the
   * deadline is that of the answer's headers.
   */
  open(
    request: UpstreamRequest,
    signal: AbortSignal,
    spent?: number,
  ): Promise<UpstreamAnswer | UpstreamStream>;
  /** Lets the calls under way come to their end. */
  close(): Promise<void>;
}

interface Parts {
  readonly origin: string;
  readonly connections: Dispatcher;
  readonly queue: UpstreamQueue;
  readonly breakers: OperationBreakers;
  readonly budget: RetryBudget;
  readonly shared: SharedFetches;
  readonly limits: UpstreamLimits;
  readonly isQuoted: boolean;
}

export function createUpstreamClient(options: UpstreamClientOptions): UpstreamClient {
  const { limits, log, name } = options;
  const parts: Parts = {
    origin: options.origin,
    connections: openConnections(options),
    queue: new UpstreamQueue(limits),
    breakers: new OperationBreakers(limits, (state, operation) => {
      const place = operation === undefined ? { upstream: name } : { upstream: name, operation };
      log.warn({ ...place, breaker: state }, `The circuit breaker is ${state}`);
    }),
    budget: new RetryBudget(limits.retryBudget),
    shared: new SharedFetches(limits),
    limits,
    isQuoted: options.isConfidential !== true,
  };
  return {
    send: (request, signal, spent) => send(parts, request, signal, collect, spent),
    open: (request, signal, spent) => send(parts, request, signal, handOn, spent),
    close: () => close(parts),
  };
}

async function close({ connections, shared }: Parts): Promise<void> {
  await shared.finish();
  if (!isClosed(connections)) await connections.close();
}

function isClosed(
  connections: Dispatcher & { readonly closed?: boolean; readonly destroyed?: boolean },
): boolean {
  return connections.closed === true || connections.destroyed === true;
}

/** Starts an exchange, whose outcome is given to `settle`. */
type Exchanging<Good extends UpstreamOutcome> = (
  limits: UpstreamLimits,
  settle: (outcome: Good | UpstreamFault) => void,
) => Dispatcher.DispatchHandler & { cancel(reason: GatewayError): void };

const collected: Exchanging<UpstreamAnswer> = ({ bodySize, memory }, settle) =>
  new UpstreamExchange(bodySize, settle, memory?.reserve());

const handedOn: Exchanging<UpstreamAnswer | UpstreamStream> = ({ bodySize }, settle) =>
  new StreamingExchange(bodySize, settle);

/** Calls once, within whatever is left of the request's time. */
type Attempt<Good extends UpstreamOutcome> = (
  parts: Parts,
  request: UpstreamRequest,
  cancellation: Cancellation,
) => Promise<Good | UpstreamFault>;

const handOn: Attempt<UpstreamAnswer | UpstreamStream> = (parts, request, cancellation) =>
  attempt(parts, request, cancellation, handedOn);

const collect: Attempt<UpstreamAnswer> = (parts, request, cancellation) => {
  const alone = (own: Cancellation) => attempt(parts, request, own, collected);
  const isShared = request.mayBeShared === true && parts.limits.sharedReads;
  return isShared ? parts.shared.fetch(shareKey(request), cancellation, alone) : alone(cancellation);
};

/** The key of a request: equal for requests whose answers say the same, credentials included. */
function shareKey({ operation, path, headers }: UpstreamRequest): string {
  return `${operation} ${path}\n${headers.join('\n')}`;
}

async function send<Good extends UpstreamAnswer | UpstreamStream>(
  parts: Parts,
  request: UpstreamRequest,
  signal: AbortSignal,
  call: Attempt<Good>,
  spent = 0,
): Promise<Good> {
  const cancellation = new Cancellation(signal, parts.limits.deadline, spent);
  let outcome: Good | UpstreamFault | undefined;
  try {
    parts.budget.earn();
    outcome = await call(parts, request, cancellation);
    if (outcome.kind !== 'fault') return outcome;
    const first = outcome;
    if (!mayRepeat(request, first) || !parts.budget.spend()) throw first.error;
    await pause(parts.limits, cancellation);
    outcome = await call(parts, request, cancellation);
    if (outcome.kind !== 'fault') return outcome;
    // A refusal of our own says less than what the upstream did.
    throw outcome.error.code === 'CircuitOpen' ? first.error : outcome.error;
  } finally {
    if (outcome?.kind === 'stream') cancellation.liftDeadline();
    atEnd(outcome, () => cancellation.close());
  }
}

/** A stream is at its end when its body is closed, anything else when it is there. */
function atEnd(outcome: UpstreamOutcome | undefined, then: () => void): void {
  if (outcome?.kind === 'stream') outcome.body.once('close', then);
  else then();
}

function mayRepeat(request: UpstreamRequest, fault: UpstreamFault): boolean {
  // What has been read of it cannot be read again.
  if (isStreamBody(request.body)) return false;
  return fault.repeatable === 'any' || (fault.repeatable === 'get' && request.method === 'GET');
}

async function pause(limits: UpstreamLimits, cancellation: Cancellation): Promise<void> {
  const { retryPauseMin, retryPauseMax } = limits;
  const given = new AbortController();
  cancellation.enter((reason) => given.abort(reason));
  await sleep(retryPauseMin + Math.random() * (retryPauseMax - retryPauseMin), undefined, {
    signal: given.signal,
  }).catch(() => undefined);
}

async function attempt<Good extends UpstreamAnswer | UpstreamStream>(
  parts: Parts,
  request: UpstreamRequest,
  cancellation: Cancellation,
  exchanging: Exchanging<Good>,
): Promise<Good | UpstreamFault> {
  const { breakers } = parts;
  const { operation } = request;
  const refusal =
    cancellation.reason ?? breakers.refusal(operation) ?? (await takeTurn(parts, request, cancellation));
  if (refusal !== undefined) return final(refusal);
  let outcome: Good | UpstreamFault | undefined;
  try {
    const admission = cancellation.reason ?? breakers.admit(operation);
    if (admission !== undefined) return final(admission);
    const received = await exchange(parts, request, cancellation, exchanging);
    outcome = unlessBusy(classifyResponse(received, parts.isQuoted), cancellation);
    breakers.report(operation, outcome);
    return outcome;
  } finally {
    atEnd(outcome, () => parts.queue.leave());
  }
}

/** An answer that does not come in time while the process has no time itself is none that the upstream owes. */
function unlessBusy<Good extends UpstreamOutcome>(
  outcome: Good | UpstreamFault,
  cancellation: Cancellation,
): Good | UpstreamFault {
  const isLate = outcome.kind === 'fault' && outcome.error.code === 'UpstreamTimeout' && !outcome.isAnswered;
  return isLate && cancellation.wasBusy() ? ownFault(outcome.error) : outcome;
}

function takeTurn(
  { queue }: Parts,
  { asker = '' }: UpstreamRequest,
  cancellation: Cancellation,
): Promise<GatewayError | undefined> | undefined {
  return queue.tryEnter() ? undefined : queue.wait(asker, (cancel) => cancellation.enter(cancel));
}

function sentHeaders({ headers, trace = [] }: UpstreamRequest): string[] {
  const sent = [...headers];
  for (let index = 0; index + 1 < trace.length; index += 2) {
    const [name = '', value = ''] = trace.slice(index, index + 2);
    if (!headers.includes(name)) sent.push(name, value);
  }
  return sent;
}

function exchange<Good extends UpstreamAnswer | UpstreamStream>(
  { origin, connections, limits }: Parts,
  request: UpstreamRequest,
  cancellation: Cancellation,
  exchanging: Exchanging<Good>,
): Promise<Good | UpstreamFault> {
  return new Promise((resolve) => {
    const handler = exchanging(limits, resolve);
    cancellation.enter((reason) => handler.cancel(reason));
    const { method, path, headers, body } = request;
    const sent = { origin, method, path, headers: sentHeaders(request) };
    const content = isStreamBody(body) ? uploadOf(body, headers, cancellation) : { body: body ?? null };
    connections.dispatch({ ...sent, ...content }, handler);
  });
}

/** A machine does not ask a proxy for itself. */
const OWN_HOSTS = 'localhost,127.0.0.1,::1';

/** The connections to one upstream: at most so many, with one call at a time each. */
function openConnections({ origin, limits, connector, tls }: UpstreamClientOptions): Dispatcher {
  const { idleMs, ageMs, http2, proxy } = limits.connecting;
  const common = {
    connections: limits.connections,
    pipelining: 1,
    keepAliveTimeout: idleMs,
    clientTtl: ageMs,
    headersTimeout: limits.headersTimeout,
    bodyTimeout: limits.idleBodyTimeout,
  };
  const connect = { timeout: limits.connectTimeout, allowH2: http2, ...tls };
  // A proxy looks names up by itself: whoever must not be led to any address is called directly.
  if (proxy === undefined || connector !== undefined) {
    return new Pool(origin, { ...common, allowH2: http2, connect: connector ?? connect });
  }
  const { http: httpProxy, https: httpsProxy, none } = proxy;
  const noProxy = none === '' ? OWN_HOSTS : `${none},${OWN_HOSTS}`;
  return new EnvHttpProxyAgent({ ...common, httpProxy, httpsProxy, noProxy, requestTls: connect, connect });
}

/** The turn to use a connection: granted, or refused with the reason. */
type Turn = GatewayError | undefined;

interface Waiter {
  readonly settle: (turn: Turn) => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * Lets as many calls through as there are connections; more may wait, each for some time.
 *
 * Those for whom calls wait have their turns one after the other, however many calls each of them has.
 */
class UpstreamQueue {
  readonly #limits: UpstreamLimits;
  readonly #waiters = new Map<string, Set<Waiter>>();
  #waiting = 0;
  #free: number;

  constructor(limits: UpstreamLimits) {
    this.#limits = limits;
    this.#free = limits.connections;
  }

  /** True where a connection is free: it is then taken. */
  tryEnter(): boolean {
    if (this.#free === 0) return false;
    this.#free -= 1;
    return true;
  }

  /** Waits for a connection for somebody. `onCancel` is given what ends the wait early. */
  wait(asker: string, onCancel: (cancel: (reason: GatewayError) => void) => void): Promise<Turn> {
    if (this.#waiting >= this.#limits.queueLength) {
      return Promise.resolve(busy(`${this.#limits.queueLength} calls are waiting already`));
    }
    return new Promise((resolve) => {
      const settle = (turn: Turn): void => {
        clearTimeout(timer);
        this.#remove(asker, waiter);
        resolve(turn);
      };
      const timer = setTimeout(() => settle(busy('no connection became free')), this.#limits.queueTimeout);
      const waiter: Waiter = { settle, timer };
      this.#add(asker, waiter);
      onCancel(settle);
    });
  }

  /** Gives the connection back: of those whose turn it is, the longest waiting call gets it. */
  leave(): void {
    for (const [asker, waiters] of this.#waiters) {
      for (const first of waiters) {
        first.settle(undefined);
        // The others' turn is behind those of all who wait.
        if (this.#waiters.delete(asker)) this.#waiters.set(asker, waiters);
        return;
      }
    }
    this.#free += 1;
  }

  #add(asker: string, waiter: Waiter): void {
    const waiters = this.#waiters.get(asker) ?? new Set();
    this.#waiters.set(asker, waiters.add(waiter));
    this.#waiting += 1;
  }

  #remove(asker: string, waiter: Waiter): void {
    const waiters = this.#waiters.get(asker);
    if (waiters?.delete(waiter) !== true) return;
    this.#waiting -= 1;
    if (waiters.size === 0) this.#waiters.delete(asker);
  }
}

function busy(reason: string): GatewayError {
  return upstreamFailure('UpstreamBusy', new Error(reason), { 'retry-after': retryAfter() });
}

const RESERVE = 10;

/**
 * Keeps repeated calls to a share of all calls, so that they do not double the load of an upstream
 * that is failing under load. A reserve lets a rarely used gateway repeat a call too.
 */
class RetryBudget {
  readonly #share: number;
  #left = RESERVE;

  constructor(share: number) {
    this.#share = share;
  }

  earn(): void {
    this.#left = Math.min(RESERVE, this.#left + this.#share);
  }

  /** True where one more call may be repeated: it is then paid for. */
  spend(): boolean {
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}

/** Where it is reported what is given a pause: an operation, or undefined for all of them. */
type PauseListener = (state: 'open' | 'closed', operation: string | undefined) => void;

/**
 * Gives a pause to an upstream that cannot be reached, and to an operation that keeps failing: what a client asks
 * for may make an operation fail again and again, and is no reason to keep everybody from all of the others.
 */
class OperationBreakers {
  readonly #limits: UpstreamLimits;
  readonly #listener: PauseListener;
  readonly #upstream: UpstreamBreaker;
  /** As many as the document has operations. */
  readonly #operations = new Map<string, UpstreamBreaker>();

  constructor(limits: UpstreamLimits, listener: PauseListener) {
    this.#limits = limits;
    this.#listener = listener;
    this.#upstream = new UpstreamBreaker(limits, (state) => listener(state, undefined));
  }

  /** The refusal, while the operation may not be called. Takes no turn. */
  refusal(operation: string): GatewayError | undefined {
    return this.#upstream.refusal() ?? this.#of(operation).refusal();
  }

  /** Takes the turn to call, which is followed by {@link report}. */
  admit(operation: string): GatewayError | undefined {
    return this.refusal(operation) ?? this.#upstream.admit() ?? this.#of(operation).admit();
  }

  report(operation: string, outcome: UpstreamOutcome): void {
    const own = this.#of(operation);
    if (outcome.kind === 'stream') reportBreak(own, outcome.body);
    if (outcome.kind !== 'fault' || outcome.error.code === 'UpstreamThrottled') {
      this.#upstream.succeed();
      own.succeed();
    } else if (NOT_OF_UPSTREAM.has(outcome.error.code)) {
      this.#upstream.abandon();
      own.abandon();
    } else if (outcome.isAnswered || outcome.error.code !== 'UpstreamUnavailable') {
      this.#upstream.abandon();
      own.fail();
    } else {
      this.#upstream.fail();
      own.abandon();
    }
  }

  #of(operation: string): UpstreamBreaker {
    const known = this.#operations.get(operation);
    if (known !== undefined) return known;
    const breaker = new UpstreamBreaker(this.#limits, (state) => this.#listener(state, operation));
    this.#operations.set(operation, breaker);
    return breaker;
  }
}

/** What a client or the gateway itself does, or fails to do, says nothing of the upstream. */
const NOT_OF_UPSTREAM: ReadonlySet<string> = new Set([
  'ClientClosedRequest',
  'PayloadTooLarge',
  'RequestTimeout',
  'Overloaded',
]);

type StreamBody = Extract<UpstreamOutcome, { readonly kind: 'stream' }>['body'];

/** What has begun well may break off; any other error is that of whoever reads the body. */
function reportBreak(breaker: UpstreamBreaker, body: StreamBody): void {
  body.once('error', (error) => {
    if (error instanceof GatewayError && error.code !== 'ClientClosedRequest') breaker.fail();
  });
}

/** Where the breaker's state is reported; called on each change only. */
type BreakerListener = (state: 'open' | 'closed') => void;

const SLICES = 10;

interface Slice {
  number: number;
  failures: number;
  successes: number;
}

/**
 * Gives an upstream that keeps failing a pause.
 *
 * It opens at so many failures within the window, if they are at least half of the calls of that
 * time: a few failures among thousands of good answers do not cut off everybody. After the pause one
 * call is let through; its outcome closes the breaker or opens it again.
 */
class UpstreamBreaker {
  readonly #limits: UpstreamLimits;
  readonly #listener: BreakerListener;
  readonly #slices: readonly Slice[];
  #openedAt: number | undefined;
  #probing = false;

  constructor(limits: UpstreamLimits, listener: BreakerListener) {
    this.#limits = limits;
    this.#listener = listener;
    this.#slices = Array.from({ length: SLICES }, emptySlice);
  }

  /** The refusal, while nothing may be called. Takes no turn. */
  refusal(): GatewayError | undefined {
    if (this.#openedAt === undefined) return undefined;
    const left = this.#openedAt + this.#limits.breakerPause - performance.now();
    return left > 0 || this.#probing ? open(left) : undefined;
  }

  /** Takes the turn to call: each must be followed by one of the other three. */
  admit(): GatewayError | undefined {
    const refusal = this.refusal();
    if (refusal === undefined && this.#openedAt !== undefined) this.#probing = true;
    return refusal;
  }

  succeed(): void {
    if (this.#probing) this.#close();
    this.#slice().successes += 1;
  }

  fail(): void {
    const slice = this.#slice();
    slice.failures += 1;
    if (this.#probing || (this.#openedAt === undefined && this.#hasFailedEnough(slice.number))) this.#open();
  }

  /** The call was given up by the client: it says nothing about the upstream. */
  abandon(): void {
    this.#probing = false;
  }

  #slice(): Slice {
    const number = Math.floor((performance.now() * SLICES) / this.#limits.breakerWindow);
    const slice = this.#slices[number % SLICES] ?? emptySlice();
    if (slice.number !== number) {
      slice.number = number;
      slice.failures = 0;
      slice.successes = 0;
    }
    return slice;
  }

  #hasFailedEnough(now: number): boolean {
    let failures = 0;
    let successes = 0;
    for (const slice of this.#slices) {
      if (slice.number <= now - SLICES) continue;
      failures += slice.failures;
      successes += slice.successes;
    }
    return failures >= this.#limits.breakerFailures && failures >= successes;
  }

  #open(): void {
    this.#openedAt = performance.now();
    this.#probing = false;
    this.#listener('open');
  }

  #close(): void {
    this.#openedAt = undefined;
    this.#probing = false;
    for (const slice of this.#slices) slice.failures = 0;
    this.#listener('closed');
  }
}

function emptySlice(): Slice {
  return { number: -1, failures: 0, successes: 0 };
}

function open(left: number): GatewayError {
  const seconds = Math.max(1, Math.ceil(left / 1_000));
  return upstreamFailure('CircuitOpen', undefined, { 'retry-after': String(seconds) });
}

/** A path with what is asked for beside its own query. */
export function withQuery(path: string, query: string): string {
  return query === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`;
}
