import { GatewayError } from '../../contract/gateway-error.ts';
import type { UpstreamOutcome } from '../exchange/upstream-exchange.ts';
import { upstreamFailure } from '../exchange/upstream-failure.ts';
import type { UpstreamLimits } from './upstream-limits.ts';

/** The pause of an operation, or of the whole upstream; for one user, or for all. */
interface Pause {
  readonly state: 'open' | 'closed';
  readonly operation: string | undefined;
  readonly asker: string | undefined;
}

/** The user whose call it is; undefined for calls that no user has to answer for. */
type Asker = string | undefined;

/**
 * Gives a pause to an upstream that cannot be reached, and to an operation that keeps failing. The input of a client
 * may make an operation fail again and again: that is no reason to keep others from it, or from other operations.
 */
export class OperationBreakers {
  readonly #limits: UpstreamLimits;
  readonly #listener: (pause: Pause) => void;
  readonly #upstream: Breaker;
  /** At most as many as the document has operations. */
  readonly #operations = new Map<string, Breaker>();

  constructor(limits: UpstreamLimits, listener: (pause: Pause) => void) {
    this.#limits = limits;
    this.#listener = listener;
    this.#upstream = this.#breaker(undefined);
  }

  /** The refusal, while the operation may not be called. Takes no turn. */
  refusal(operation: string, asker: Asker): GatewayError | undefined {
    return this.#upstream.refusal(asker) ?? this.#of(operation).refusal(asker);
  }

  /** Takes the turn to call, which is followed by {@link report}. */
  admit(operation: string, asker: Asker): GatewayError | undefined {
    const refusal = this.refusal(operation, asker);
    if (refusal !== undefined) return refusal;
    this.#upstream.admit(asker);
    this.#of(operation).admit(asker);
    return undefined;
  }

  report(operation: string, asker: Asker, outcome: UpstreamOutcome): void {
    const own = this.#of(operation);
    // The input of a call is no reason why no connection can be made.
    const blamed = outcome.kind === 'fault' && outcome.isUnsent === true ? undefined : asker;
    if (outcome.kind === 'stream') reportBreak(own, asker, outcome.body);
    if (outcome.kind !== 'fault' || outcome.error.code === 'UpstreamThrottled') {
      this.#upstream.succeed(asker);
      own.succeed(asker);
    } else if (NOT_OF_UPSTREAM.has(outcome.error.code)) {
      this.#upstream.abandon(asker);
      own.abandon(asker);
    } else if (outcome.isAnswered || outcome.error.code !== 'UpstreamUnavailable') {
      this.#upstream.abandon(asker);
      own.fail(blamed, asker);
    } else {
      this.#upstream.fail(blamed, asker);
      own.abandon(asker);
    }
  }

  #of(operation: string): Breaker {
    const known = this.#operations.get(operation);
    if (known !== undefined) return known;
    const breaker = this.#breaker(operation);
    this.#operations.set(operation, breaker);
    return breaker;
  }

  #breaker(operation: string | undefined): Breaker {
    return new Breaker(this.#limits, (state, asker) => this.#listener({ state, operation, asker }));
  }
}

/** Failures of the client or of the gateway itself: they say nothing about the upstream. */
const NOT_OF_UPSTREAM: ReadonlySet<string> = new Set([
  'ClientClosedRequest',
  'PayloadTooLarge',
  'RequestTimeout',
  'Overloaded',
]);

type StreamBody = Extract<UpstreamOutcome, { readonly kind: 'stream' }>['body'];

/** A stream that has begun well may break off. Any other error is that of the reader of the body. */
function reportBreak(breaker: Breaker, asker: Asker, body: StreamBody): void {
  body.once('error', (error) => {
    if (error instanceof GatewayError && error.code !== 'ClientClosedRequest') breaker.fail(asker, asker);
  });
}

const SLICES = 10;

interface Calls {
  failures: number;
  successes: number;
}

/** A tenth of the window. */
interface Slice extends Calls {
  number: number;
  /** By asker; '' for calls that no user has to answer for. */
  readonly calls: Map<string, Calls>;
}

/**
 * Opens at `breakerFailures` failures within the window, if they are at least half of the calls of that time. It opens
 * for one user by that user's calls, and for all by the failures of two or more: those of one user count for half of
 * `breakerFailures` at most. Failures that no user has to answer for count in full.
 *
 * After the pause one call of each user is let through. A success closes the breaker. A failure pauses that user again,
 * and a second one of another user pauses all.
 */
class Breaker {
  readonly #limits: UpstreamLimits;
  readonly #listener: (state: Pause['state'], asker: Asker) => void;
  readonly #slices: readonly Slice[];
  #openedAt: number | undefined;
  /** When the breaker was opened for single users. */
  readonly #paused = new Map<string, number>();
  readonly #probing = new Set<string>();
  /** Users whose calls have failed since the last pause of all. */
  readonly #failed = new Set<string>();

  constructor(limits: UpstreamLimits, listener: (state: Pause['state'], asker: Asker) => void) {
    this.#limits = limits;
    this.#listener = listener;
    this.#slices = Array.from({ length: SLICES }, () => emptySlice(-1));
  }

  refusal(asker = ''): GatewayError | undefined {
    const since = this.#pausedSince(asker);
    if (since === undefined) return undefined;
    const left = since + this.#limits.breakerPause - performance.now();
    return left > 0 || this.#probing.has(asker) ? open(left) : undefined;
  }

  /** Takes the turn to call: each must be followed by one of the other three. */
  admit(asker = ''): void {
    if (this.#pausedSince(asker) !== undefined) this.#probing.add(asker);
  }

  succeed(asker = ''): void {
    if (this.#probing.delete(asker)) {
      if (this.#openedAt === undefined) this.#closeFor(asker);
      else this.#close();
    }
    this.#count(asker, 'successes');
  }

  /** `blamed`: the user whose call it was, unless no user has to answer for the failure. */
  fail(blamed: Asker, asker = ''): void {
    this.#count(blamed ?? '', 'failures');
    const wasProbe = this.#probing.delete(asker);
    if (blamed) this.#failFor(blamed, wasProbe);
    this.#failForAll(blamed, wasProbe);
  }

  /** The call was given up: it says nothing about the upstream. */
  abandon(asker = ''): void {
    this.#probing.delete(asker);
  }

  #pausedSince(asker: string): number | undefined {
    const own = this.#paused.get(asker);
    if (own === undefined || this.#openedAt === undefined) return own ?? this.#openedAt;
    return Math.max(own, this.#openedAt);
  }

  #failFor(user: string, wasProbe: boolean): void {
    if (!wasProbe && (this.#paused.has(user) || !this.#isEnough(this.#sum(({ calls }) => calls.get(user))))) {
      return;
    }
    this.#forgetOldPauses();
    this.#paused.set(user, performance.now());
    // A pause of all has been reported.
    if (this.#openedAt === undefined) this.#listener('open', user);
  }

  #failForAll(blamed: Asker, wasProbe: boolean): void {
    if (this.#openedAt === undefined) {
      const all = this.#sum((slice) => slice);
      if (this.#isEnough(all) && this.#isEnough({ ...all, failures: this.#sharedFailures() })) this.#open();
    } else if (wasProbe) {
      if (blamed) this.#failed.add(blamed);
      if (!blamed || this.#failed.size > 1) this.#open();
    }
  }

  #isEnough({ failures, successes }: Calls): boolean {
    return failures >= this.#limits.breakerFailures && failures >= successes;
  }

  /** The failures of the window, of which those of one user count for half of what is enough. */
  #sharedFailures(): number {
    const users = new Set(this.#recent().flatMap(({ calls }) => [...calls.keys()]));
    let failures = 0;
    for (const user of users) {
      const own = this.#sum(({ calls }) => calls.get(user)).failures;
      failures += user === '' ? own : Math.min(own, this.#limits.breakerFailures / 2);
    }
    return failures;
  }

  #sum(callsOf: (slice: Slice) => Calls | undefined): Calls {
    let failures = 0;
    let successes = 0;
    for (const slice of this.#recent()) {
      const calls = callsOf(slice);
      failures += calls?.failures ?? 0;
      successes += calls?.successes ?? 0;
    }
    return { failures, successes };
  }

  /** The slices of the window. */
  #recent(): readonly Slice[] {
    const now = this.#now().number;
    return this.#slices.filter(({ number }) => number > now - SLICES);
  }

  #now(): Slice {
    const number = Math.floor((performance.now() * SLICES) / this.#limits.breakerWindow);
    const slice = this.#slices[number % SLICES] ?? emptySlice(number);
    if (slice.number !== number) {
      Object.assign(slice, { number, failures: 0, successes: 0 });
      slice.calls.clear();
    }
    return slice;
  }

  #count(asker: string, outcome: keyof Calls): void {
    const slice = this.#now();
    const own = slice.calls.get(asker) ?? { failures: 0, successes: 0 };
    slice.calls.set(asker, own);
    own[outcome] += 1;
    slice[outcome] += 1;
  }

  #open(): void {
    this.#openedAt = performance.now();
    this.#failed.clear();
    this.#probing.clear();
    this.#listener('open', undefined);
  }

  #close(): void {
    this.#openedAt = undefined;
    this.#failed.clear();
    this.#probing.clear();
    this.#paused.clear();
    for (const slice of this.#slices) {
      slice.failures = 0;
      for (const calls of slice.calls.values()) calls.failures = 0;
    }
    this.#listener('closed', undefined);
  }

  #closeFor(user: string): void {
    this.#paused.delete(user);
    for (const slice of this.#slices) {
      const own = slice.calls.get(user);
      if (own === undefined) continue;
      slice.failures -= own.failures;
      own.failures = 0;
    }
    this.#listener('closed', user);
  }

  #forgetOldPauses(): void {
    const old = performance.now() - this.#limits.breakerPause - this.#limits.breakerWindow;
    for (const [user, since] of this.#paused) if (since < old) this.#paused.delete(user);
  }
}

function emptySlice(number: number): Slice {
  return { number, failures: 0, successes: 0, calls: new Map() };
}

function open(left: number): GatewayError {
  const seconds = Math.max(1, Math.ceil(left / 1_000));
  return upstreamFailure('CircuitOpen', undefined, { 'retry-after': String(seconds) });
}
