import type { GatewayError } from '../../contract/gateway-error.ts';
import { upstreamFailure } from '../exchange/upstream-failure.ts';
import type { UpstreamLimits } from './upstream-limits.ts';

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
export class UpstreamBreaker {
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
