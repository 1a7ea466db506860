import { setTimeout as sleep } from 'node:timers/promises';
import type { buildConnector, Dispatcher } from 'undici';
import { isStreamBody } from '../../contract/exchange.ts';
import type { GatewayError } from '../../contract/gateway-error.ts';
import type { Log } from '../../contract/log.ts';
import type { ClientTls } from '../../contract/source-credential.ts';
import { withHeaders } from '../exchange/request-signature.ts';
import {
  Cancellation,
  ownFault,
  type UpstreamAnswer,
  UpstreamExchange,
  type UpstreamFault,
  type UpstreamOutcome,
  type UpstreamRequest,
  type UpstreamStream,
  unsent,
  uploadOf,
} from '../exchange/upstream-exchange.ts';
import { type MeteredCall, Meters } from '../meters/meter.ts';
import { ConnectionPool } from './connection-pool.ts';
import { OperationBreakers } from './operation-breakers.ts';
import { Places, shareOf } from './places.ts';
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
  /** TLS options of connections that no connector makes. */
  readonly tls?: ClientTls;
  /** Answers may hold secrets: no log quotes them. */
  readonly isConfidential?: boolean;
  /** The meters of all upstreams; without them, the client has its own. */
  readonly meters?: Meters | undefined;
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
  /** Waits for the calls under way. */
  close(): Promise<void>;
}

interface Parts {
  readonly origin: string;
  readonly connections: ConnectionPool;
  /** The places of all calls, and those that streams may have of them. */
  readonly places: Places;
  readonly streamPlaces: Places;
  readonly breakers: OperationBreakers;
  readonly meters: Meters;
  readonly budget: RetryBudget;
  readonly shared: SharedFetches;
  readonly limits: UpstreamLimits;
  readonly isQuoted: boolean;
}

export function createUpstreamClient(options: UpstreamClientOptions): UpstreamClient {
  const { limits, log, name } = options;
  const parts: Parts = {
    origin: options.origin,
    connections: new ConnectionPool(options),
    places: placesFor(limits, { places: limits.connections, share: shareOf(limits.connections) }),
    streamPlaces: placesFor(limits, { places: limits.streams, share: limits.userStreams }),
    breakers: new OperationBreakers(limits, ({ state, operation, asker }) => {
      const affected = { ...(operation !== undefined && { operation }), ...(asker && { asker }) };
      log.warn({ upstream: name, ...affected, breaker: state }, `the circuit breaker is ${state}`);
    }),
    meters: options.meters ?? new Meters(),
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

function placesFor(
  { queueLength, queueTimeout }: UpstreamLimits,
  own: { readonly places: number; readonly share: number },
): Places {
  return new Places({ ...own, queueLength, queueShare: shareOf(queueLength), queueTimeout });
}

async function close({ connections, shared }: Parts): Promise<void> {
  await shared.finish();
  await connections.close();
}

/** Starts an exchange, whose outcome is given to `settle`. */
type Exchanging<Good extends UpstreamOutcome> = (
  limits: UpstreamLimits,
  settle: (outcome: Good | UpstreamFault) => void,
  cancellation: Cancellation,
) => Dispatcher.DispatchHandler & { cancel(reason: GatewayError): void };

const collected: Exchanging<UpstreamAnswer> = ({ bodySize, memory }, settle, cancellation) =>
  new UpstreamExchange(bodySize, settle, memory?.reserve(), cancellation);

const handedOn: Exchanging<UpstreamAnswer | UpstreamStream> = ({ bodySize }, settle) =>
  new StreamingExchange(bodySize, settle);

/** Calls once, within the rest of the request's time. */
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
    // What kept the second call from being sent says less than the failure of the first.
    throw outcome.isUnsent === true ? first.error : outcome.error;
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
  const isRepeatable = request.method === 'GET' || request.isRepeatable === true;
  return fault.repeatable === 'any' || (fault.repeatable === 'get' && isRepeatable);
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
  const { breakers, places, streamPlaces } = parts;
  const { operation, asker, body, owner = '', isBulk = false, rate } = request;
  const isStream = exchanging !== collected || isStreamBody(body);
  const taken: Places[] = [];
  const meter = parts.meters.of(parts.origin, owner);
  const metered: MeteredCall = { operation, asker, isBulk, rate };
  let received: Good | UpstreamFault | undefined;
  let outcome: Good | UpstreamFault | undefined;
  try {
    const longest = parts.limits.deadline * WAITING;
    // A call that waits for its time holds no place.
    const early =
      cancellation.reason ??
      breakers.refusal(operation, asker) ??
      (await meter.enter(metered, longest, (cancel) => cancellation.enter(cancel)));
    if (early !== undefined) return unsent(final(early));
    for (const next of isStream ? [streamPlaces, places] : [places]) {
      const refusal =
        cancellation.reason ??
        breakers.refusal(operation, asker) ??
        (await next.enter(asker, (cancel) => cancellation.enter(cancel)));
      if (refusal !== undefined) return unsent(final(refusal));
      taken.push(next);
    }
    const refusal = cancellation.reason ?? breakers.admit(operation, asker);
    if (refusal !== undefined) return unsent(final(refusal));
    received = await exchange(parts, request, cancellation, exchanging);
    outcome = unlessBusy(classifyResponse(received, parts.isQuoted), cancellation);
    breakers.report(operation, asker, outcome);
    return outcome;
  } finally {
    meter.leave(metered, received?.kind === 'fault' ? undefined : received);
    atEnd(outcome, () => {
      for (const each of taken) each.leave(asker);
    });
  }
}

/** The part of a call's time in which it may wait for the limits of the upstream. */
const WAITING = 2 / 3;

/** A deadline that passes while the process itself is busy is not blamed on the upstream. */
function unlessBusy<Good extends UpstreamOutcome>(
  outcome: Good | UpstreamFault,
  cancellation: Cancellation,
): Good | UpstreamFault {
  const isLate = outcome.kind === 'fault' && outcome.error.code === 'UpstreamTimeout' && !outcome.isAnswered;
  return isLate && cancellation.wasBusy() ? ownFault(outcome.error) : outcome;
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
    const handler = exchanging(limits, resolve, cancellation);
    cancellation.enter((reason) => handler.cancel(reason));
    const { method, path, body, sign } = request;
    const plain = sentHeaders(request);
    const signed = isStreamBody(body) ? { body: undefined, isStreamed: true } : { body, isStreamed: false };
    const signature = sign?.({ method, origin, path, headers: plain, ...signed });
    const headers = signature === undefined ? plain : [...withHeaders(plain, signature.headers)];
    const content = isStreamBody(body) ? uploadOf(body, headers, cancellation) : { body: body ?? null };
    connections.dispatch({ origin, method, path, headers, ...content }, handler);
  });
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
