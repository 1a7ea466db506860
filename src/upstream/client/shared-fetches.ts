import type { GatewayError } from '../../contract/gateway-error.ts';
import { LONGEST_PAUSE_MS, retryDelay } from '../exchange/retry-after.ts';
import {
  Cancellation,
  type UpstreamAnswer,
  type UpstreamFault,
  type UpstreamStream,
} from '../exchange/upstream-exchange.ts';
import { statusCause, upstreamFailure } from '../exchange/upstream-failure.ts';

type Outcome = UpstreamAnswer | UpstreamFault;

/** Makes one call upstream, which the cancellation ends. */
type Fetch = (cancellation: Cancellation) => Promise<Outcome>;

interface SharedFetchLimits {
  /** The most milliseconds that a fetch waits for the end of the one before it. */
  readonly sharedWait: number;
  /** Of one fetch, in milliseconds. */
  readonly deadline: number;
}

/** The fetches of one thing: those under way, and the one that is joined. */
interface Lane {
  underWay: number;
  next: JointFetch | undefined;
}

/**
 * Lets requests that wait for the same thing share a fetch.
 *
 * A request never shares a fetch that had started when it arrived, so it is given nothing older than itself and
 * sees each change that was answered before it. Where a fetch is under way, requests wait for its end, though not
 * for long, and share the one that starts then.
 */
export class SharedFetches {
  readonly #lanes = new Map<string, Lane>();
  readonly #limits: SharedFetchLimits;
  #onIdle: (() => void) | undefined;

  constructor(limits: SharedFetchLimits) {
    this.#limits = limits;
  }

  /** Starts waiting fetches, and resolves when all have finished. */
  finish(): Promise<void> {
    for (const { next } of this.#lanes.values()) next?.start();
    return new Promise((resolve) => {
      this.#onIdle = resolve;
      this.#tellIdle();
    });
  }

  /** The outcome of a fetch of what the key names that starts from now on. */
  fetch(key: string, cancellation: Cancellation, fetch: Fetch): Promise<Outcome> {
    if (cancellation.reason !== undefined) return Promise.resolve(final(cancellation.reason));
    const lane = this.#lanes.get(key);
    if (lane !== undefined) return this.#join(key, lane, cancellation, fetch);
    const own: Lane = { underWay: 0, next: undefined };
    this.#lanes.set(key, own);
    return this.#run(key, own, fetch(cancellation));
  }

  #join(key: string, lane: Lane, cancellation: Cancellation, fetch: Fetch): Promise<Outcome> {
    lane.next ??= this.#startLater(key, lane, fetch);
    return lane.next.join(cancellation);
  }

  #startLater(key: string, lane: Lane, fetch: Fetch): JointFetch {
    const next = new JointFetch(this.#limits, {
      start: (cancellation) => {
        lane.next = undefined;
        return this.#run(key, lane, fetch(cancellation));
      },
      abandon: () => {
        if (lane.next === next) lane.next = undefined;
      },
    });
    return next;
  }

  #run(key: string, lane: Lane, fetching: Promise<Outcome>): Promise<Outcome> {
    lane.underWay += 1;
    return fetching.finally(() => {
      lane.underWay -= 1;
      if (lane.next !== undefined) lane.next.start();
      else if (lane.underWay === 0) this.#lanes.delete(key);
      this.#tellIdle();
    });
  }

  #tellIdle(): void {
    if (this.#lanes.size === 0) this.#onIdle?.();
  }
}

interface Start {
  /** Starts the fetch, which cannot be joined any more. */
  readonly start: Fetch;
  /** Called if no request waits for the fetch before it starts. */
  readonly abandon: () => void;
}

/** A request that waits for a fetch. */
interface Waiting {
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
}

/** A fetch that several requests wait for. It ends early only when all of them have gone. */
class JointFetch {
  readonly #requests = new Set<Waiting>();
  readonly #deadline: number;
  readonly #start: Start;
  readonly #timer: NodeJS.Timeout;
  #underWay: Cancellation | undefined;

  constructor({ sharedWait, deadline }: SharedFetchLimits, start: Start) {
    this.#start = start;
    this.#deadline = deadline;
    this.#timer = setTimeout(() => this.start(), sharedWait);
  }

  /** Its outcome, or that of the request itself where its client goes away or its own deadline is over. */
  join(cancellation: Cancellation): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const request: Waiting = { resolve, reject };
      this.#requests.add(request);
      cancellation.enter((reason) => this.#leave(request, reason));
    });
  }

  start(): void {
    clearTimeout(this.#timer);
    const cancellation = new Cancellation(new AbortController().signal, this.#deadline);
    this.#underWay = cancellation;
    this.#start
      .start(cancellation)
      .then(
        (outcome) => this.#settle(outcome),
        (error: unknown) => this.#fail(error),
      )
      .finally(() => cancellation.close());
  }

  #settle(outcome: Outcome): void {
    const isShared = this.#requests.size > 1;
    const marked = outcome.kind === 'answer' && isShared ? { ...outcome, isShared } : outcome;
    for (const { resolve } of this.#requests) resolve(marked);
  }

  #fail(error: unknown): void {
    for (const { reject } of this.#requests) reject(error);
  }

  #leave(request: Waiting, reason: GatewayError): void {
    this.#requests.delete(request);
    request.resolve(final(reason));
    if (this.#requests.size > 0) return;
    this.#underWay?.cancel(reason);
    if (this.#underWay !== undefined) return;
    clearTimeout(this.#timer);
    this.#start.abandon();
  }
}

/**
 * Distinguishes failures of the upstream as a whole from responses about one resource; `isQuoted`: the log
 * may quote them.
 */
export function classifyResponse<Good extends UpstreamAnswer | UpstreamStream>(
  outcome: Good | UpstreamFault,
  isQuoted: boolean,
): Good | UpstreamFault {
  if (outcome.kind !== 'answer') return outcome;
  if (outcome.status === 429) return final(throttled(outcome));
  if (outcome.status < 500) return outcome;
  const cause = statusCause(`status ${outcome.status}`, outcome, isQuoted ? outcome.body : undefined);
  const pause = pauseOf(outcome);
  const error = upstreamFailure(
    outcome.status === 504 ? 'UpstreamTimeout' : 'UpstreamUnavailable',
    cause,
    pause,
  );
  // Who says when to ask again is not asked before.
  const isSoon = (pause['retry-after'] ?? '0') === '0';
  const repeatable = isSoon && REPEATABLE_STATUSES.has(outcome.status) ? 'get' : 'none';
  return { kind: 'fault', error, repeatable, isAnswered: true };
}

const REPEATABLE_STATUSES: ReadonlySet<number> = new Set([500, 502, 503, 504]);

function throttled(answer: UpstreamAnswer): GatewayError {
  return upstreamFailure('UpstreamThrottled', statusCause('status 429', answer), {
    'retry-after': '1',
    ...pauseOf(answer),
  });
}

/** The time after which an upstream wants to be asked again, if it names one; an hour at most. */
function pauseOf({ headers }: UpstreamAnswer): Readonly<Record<string, string>> {
  const retryAfter = headers['retry-after'];
  const delay = retryDelay(retryAfter);
  if (retryAfter === undefined || delay === undefined) return {};
  const isRewritten = delay > LONGEST_PAUSE_MS || retryAfter.includes('.');
  const seconds = Math.ceil(Math.min(delay, LONGEST_PAUSE_MS) / 1_000);
  return { 'retry-after': isRewritten ? String(seconds) : retryAfter };
}

/** A fault that nothing mends by trying again. */
export function final(error: GatewayError): UpstreamFault {
  return { kind: 'fault', error, repeatable: 'none' };
}
