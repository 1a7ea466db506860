import type { GatewayError } from '../../contract/gateway-error.ts';
import { upstreamFailure } from './upstream-failure.ts';
import type { UpstreamLimits } from './upstream-limits.ts';

/** The turn to use a connection: granted, or refused with the reason. */
type Turn = GatewayError | undefined;

interface Waiter {
  readonly settle: (turn: Turn) => void;
  readonly timer: NodeJS.Timeout;
}

/** Lets as many calls through as there are connections; some more may wait, each for a short time. */
export class UpstreamQueue {
  readonly #limits: UpstreamLimits;
  readonly #waiters = new Set<Waiter>();
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

  /** Waits for a connection. `onCancel` is given what ends the wait early. */
  wait(onCancel: (cancel: (reason: GatewayError) => void) => void): Promise<Turn> {
    if (this.#waiters.size >= this.#limits.queueLength) {
      return Promise.resolve(busy(`${this.#limits.queueLength} calls are waiting already`));
    }
    return new Promise((resolve) => {
      const settle = (turn: Turn): void => {
        clearTimeout(timer);
        this.#waiters.delete(waiter);
        resolve(turn);
      };
      const timer = setTimeout(() => settle(busy('no connection became free')), this.#limits.queueTimeout);
      const waiter: Waiter = { settle, timer };
      this.#waiters.add(waiter);
      onCancel(settle);
    });
  }

  /** Gives the connection back: the longest waiting call gets it. */
  leave(): void {
    for (const first of this.#waiters) {
      first.settle(undefined);
      return;
    }
    this.#free += 1;
  }
}

function busy(reason: string): GatewayError {
  return upstreamFailure('UpstreamBusy', new Error(reason), { 'retry-after': '1' });
}
