import { performance } from 'node:perf_hooks';
import type { GatewayError } from '../../contract/gateway-error.ts';
import { upstreamFailure } from './upstream-failure.ts';

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
  readonly #onAbort: () => void;
  readonly #loop = performance.eventLoopUtilization();
  #reason: GatewayError | undefined;
  #step: ((reason: GatewayError) => void) | undefined;

  /** Milliseconds: the deadline, and what has passed of it. */
  constructor(signal: AbortSignal, deadline: number, spent = 0) {
    this.#signal = signal;
    this.#deadline = deadline;
    this.#onAbort = () => this.cancel(upstreamFailure('ClientClosedRequest', signal.reason));
    this.#timer = this.#startTimer(spent);
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

  #startTimer(spent = 0): NodeJS.Timeout {
    return setTimeout(() => this.cancel(timeout(this.#deadline)), this.#deadline - spent);
  }
}

/** Of the time. */
const BUSY = 0.95;

function timeout(deadline: number): GatewayError {
  return upstreamFailure('UpstreamTimeout', new Error(`the deadline of ${deadline} ms is over`));
}
