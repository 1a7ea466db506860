import type { GatewayError } from '../../contract/gateway-error.ts';
import { retryAfter } from '../../contract/memory-allowance.ts';
import { upstreamFailure } from '../exchange/upstream-failure.ts';
import type { UpstreamLimits } from './upstream-limits.ts';

/** The turn to use a connection: granted, or refused with the reason. */
type Turn = GatewayError | undefined;

interface Waiter {
  readonly settle: (turn: Turn) => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * Lets as many calls through as there are connections; more may wait, each for some time.
 *
 * Those for whom calls wait have their turns one after the other, however many calls each of them has.
 */
export class UpstreamQueue {
  readonly #limits: UpstreamLimits;
  readonly #waiters = new Map<string, Set<Waiter>>();
  #waiting = 0;
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

  /** Waits for a connection for somebody. `onCancel` is given what ends the wait early. */
  wait(asker: string, onCancel: (cancel: (reason: GatewayError) => void) => void): Promise<Turn> {
    if (this.#waiting >= this.#limits.queueLength) {
      return Promise.resolve(busy(`${this.#limits.queueLength} calls are waiting already`));
    }
    return new Promise((resolve) => {
      const settle = (turn: Turn): void => {
        clearTimeout(timer);
        this.#remove(asker, waiter);
        resolve(turn);
      };
      const timer = setTimeout(() => settle(busy('no connection became free')), this.#limits.queueTimeout);
      const waiter: Waiter = { settle, timer };
      this.#add(asker, waiter);
      onCancel(settle);
    });
  }

  /** Gives the connection back: of those whose turn it is, the longest waiting call gets it. */
  leave(): void {
    for (const [asker, waiters] of this.#waiters) {
      for (const first of waiters) {
        first.settle(undefined);
        // The others' turn is behind those of all who wait.
        if (this.#waiters.delete(asker)) this.#waiters.set(asker, waiters);
        return;
      }
    }
    this.#free += 1;
  }

  #add(asker: string, waiter: Waiter): void {
    const waiters = this.#waiters.get(asker) ?? new Set();
    this.#waiters.set(asker, waiters.add(waiter));
    this.#waiting += 1;
  }

  #remove(asker: string, waiter: Waiter): void {
    const waiters = this.#waiters.get(asker);
    if (waiters?.delete(waiter) !== true) return;
    this.#waiting -= 1;
    if (waiters.size === 0) this.#waiters.delete(asker);
  }
}

function busy(reason: string): GatewayError {
  return upstreamFailure('UpstreamBusy', new Error(reason), { 'retry-after': retryAfter() });
}

const RESERVE = 10;

/**
 * Keeps repeated calls to a share of all calls, so that they do not double the load of an upstream
 * that is failing under load. A reserve lets a rarely used gateway repeat a call too.
 */
export class RetryBudget {
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
