import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import type { GatewayError } from '../contract/gateway-error.ts';
import type { Log } from '../contract/log.ts';
import { Cancellation } from './cancellation.ts';
import { RetryBudget } from './retry-budget.ts';
import { UpstreamBreaker } from './upstream-breaker.ts';
import {
  type UpstreamAnswer,
  UpstreamExchange,
  type UpstreamFault,
  type UpstreamOutcome,
  type UpstreamRequest,
} from './upstream-exchange.ts';
import { badResponse, upstreamFailure } from './upstream-failure.ts';
import type { UpstreamLimits } from './upstream-limits.ts';
import { UpstreamQueue } from './upstream-queue.ts';

interface UpstreamClientOptions {
  /** Names the upstream in the log. */
  readonly name: string;
  /** Scheme, host and port: every request goes there, and a redirect is never followed. */
  readonly origin: string;
  readonly limits: UpstreamLimits;
  readonly log: Log;
}

/** Calls one upstream, within the limits. */
export interface UpstreamClient {
  /**
   * The upstream's answer of any status but 429 and 5xx. All else is a GatewayError; a GET is sent
   * once more where that may help, another method only where no byte of it had been sent.
   */
  send(request: UpstreamRequest, signal: AbortSignal): Promise<UpstreamAnswer>;
  /** Lets the calls under way come to their end. */
  close(): Promise<void>;
}

interface Parts {
  readonly pool: Pool;
  readonly queue: UpstreamQueue;
  readonly breaker: UpstreamBreaker;
  readonly budget: RetryBudget;
  readonly limits: UpstreamLimits;
}

export function createUpstreamClient(options: UpstreamClientOptions): UpstreamClient {
  const { limits, log, name } = options;
  const parts: Parts = {
    pool: openPool(options),
    queue: new UpstreamQueue(limits),
    breaker: new UpstreamBreaker(limits, (state) => {
      log.warn({ upstream: name, breaker: state }, `The circuit breaker is ${state}`);
    }),
    budget: new RetryBudget(limits.retryBudget),
    limits,
  };
  return {
    send: (request, signal) => send(parts, request, signal),
    close: () => (parts.pool.closed || parts.pool.destroyed ? Promise.resolve() : parts.pool.close()),
  };
}

function openPool({ origin, limits }: UpstreamClientOptions): Pool {
  return new Pool(origin, {
    connections: limits.connections,
    pipelining: 1,
    connect: { timeout: limits.connectTimeout },
    headersTimeout: limits.headersTimeout,
    bodyTimeout: limits.idleBodyTimeout,
  });
}

async function send(parts: Parts, request: UpstreamRequest, signal: AbortSignal): Promise<UpstreamAnswer> {
  const cancellation = new Cancellation(signal, parts.limits.deadline);
  try {
    parts.budget.earn();
    const first = await attempt(parts, request, cancellation);
    if (first.kind === 'answer') return first;
    if (!mayRepeat(request, first) || !parts.budget.spend()) throw first.error;
    await pause(parts.limits, cancellation);
    const second = await attempt(parts, request, cancellation);
    if (second.kind === 'answer') return second;
    // A refusal of our own says less than what the upstream did.
    throw second.error.code === 'CircuitOpen' ? first.error : second.error;
  } finally {
    cancellation.close();
  }
}

function mayRepeat(request: UpstreamRequest, fault: UpstreamFault): boolean {
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

async function attempt(
  parts: Parts,
  request: UpstreamRequest,
  cancellation: Cancellation,
): Promise<UpstreamOutcome> {
  const refusal = cancellation.reason ?? parts.breaker.refusal() ?? (await takeTurn(parts, cancellation));
  if (refusal !== undefined) return final(refusal);
  try {
    const admission = cancellation.reason ?? parts.breaker.admit();
    if (admission !== undefined) return final(admission);
    const outcome = judge(await exchange(parts, request, cancellation));
    report(parts.breaker, outcome);
    return outcome;
  } finally {
    parts.queue.leave();
  }
}

function takeTurn(
  { queue }: Parts,
  cancellation: Cancellation,
): Promise<GatewayError | undefined> | undefined {
  return queue.tryEnter() ? undefined : queue.wait((cancel) => cancellation.enter(cancel));
}

function exchange(
  { pool, limits }: Parts,
  request: UpstreamRequest,
  cancellation: Cancellation,
): Promise<UpstreamOutcome> {
  return new Promise((resolve) => {
    const handler = new UpstreamExchange(limits.bodySize, resolve);
    cancellation.enter((reason) => handler.cancel(reason));
    pool.dispatch(
      {
        method: request.method,
        path: request.path,
        headers: request.headers as string[],
        body: request.body ?? null,
      },
      handler,
    );
  });
}

/** Tells failures of the upstream as a whole from answers about one resource. */
function judge(outcome: UpstreamOutcome): UpstreamOutcome {
  if (outcome.kind === 'fault') return outcome;
  if (outcome.status === 429) return final(throttled(outcome));
  if (outcome.status < 500) return outcome;
  const { cause } = badResponse(`status ${outcome.status}`, outcome.body);
  const error = upstreamFailure('UpstreamUnavailable', cause);
  return { kind: 'fault', error, repeatable: REPEATABLE_STATUSES.has(outcome.status) ? 'get' : 'none' };
}

const REPEATABLE_STATUSES: ReadonlySet<number> = new Set([500, 502, 503, 504]);

function throttled({ headers }: UpstreamAnswer): GatewayError {
  const retryAfter = headers['retry-after'];
  return upstreamFailure('UpstreamThrottled', new Error('status 429'), {
    'retry-after': retryAfter !== undefined && RETRY_AFTER.test(retryAfter) ? retryAfter : '1',
  });
}

/** RFC 9110, section 10.2.3: seconds, or an HTTP date. */
const RETRY_AFTER = /^(\d{1,9}|[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT)$/;

function final(error: GatewayError): UpstreamFault {
  return { kind: 'fault', error, repeatable: 'none' };
}

function report(breaker: UpstreamBreaker, outcome: UpstreamOutcome): void {
  if (outcome.kind === 'answer' || outcome.error.code === 'UpstreamThrottled') breaker.succeed();
  else if (outcome.error.code === 'ClientClosedRequest') breaker.abandon();
  else breaker.fail();
}
