import { performance } from 'node:perf_hooks';
import { Readable } from 'node:stream';
import type { StreamBody } from '../../contract/exchange.ts';
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

/** The share of the time from which the process counts as busy. */
const BUSY = 0.95;

function timeout(deadline: number): GatewayError {
  return upstreamFailure('UpstreamTimeout', new Error(`the deadline of ${deadline} ms is over`));
}

interface SentUpload {
  readonly body: Readable;
  readonly headers: string[];
  /** The cancellation has a deadline for that, which begins when the upload is complete. */
  readonly headersTimeout: number;
}

/** How a body is sent while it comes. */
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
