import { GatewayError } from '../../contract/gateway-error.ts';
import type { UpstreamOutcome } from '../exchange/upstream-exchange.ts';
import { UpstreamBreaker } from './upstream-breaker.ts';
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
