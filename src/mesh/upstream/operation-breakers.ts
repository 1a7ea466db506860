import { GatewayError } from '../../contract/gateway-error.ts';
import type { UpstreamOutcome } from '../exchange/upstream-exchange.ts';
import { upstreamFailure } from '../exchange/upstream-failure.ts';
import type { UpstreamLimits } from './upstream-limits.ts';

/** Where it is reported what is given a pause: an operation, or undefined for all of them. */
type PauseListener = (state: 'open' | 'closed', operation: string | undefined) => void;

/**
 * Gives a pause to an upstream that cannot be reached, and to an operation that keeps failing: what a client asks
 * for may make an operation fail again and again, and is no reason to keep everybody from all of the others.
 */
export class OperationBreakers {
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
