import type { GatewayError } from '../../contract/gateway-error.ts';
import { retryAfter } from '../../contract/memory-allowance.ts';
import { upstreamFailure } from '../exchange/upstream-failure.ts';

interface PlaceLimits {
  readonly places: number;
  /** The most places that one user has at once. */
  readonly share: number;
  /** Calls that may wait for a place, of all users and of one. */
  readonly queueLength: number;
  readonly queueShare: number;
  /** In milliseconds. */
  readonly queueTimeout: number;
}

/** Undefined for a granted place, else the reason of the refusal. */
type Turn = GatewayError | undefined;

interface Waiter {
  readonly settle: (turn: Turn) => void;
  readonly timer: NodeJS.Timeout;
}

/** The calls of one user. */
interface Share {
  held: number;
  readonly waiters: Set<Waiter>;
}

/**
 * The places of calls at one upstream. A call that finds none waits for one, for a limited time.
 *
 * A user has a share of the places and of the queue, and users take turns, however many calls each of them has
 * waiting. Calls without an asker have no share: they are the gateway's own, or access control is off.
 */
export class Places {
  readonly #limits: PlaceLimits;
  readonly #shares = new Map<string, Share>();
  #waiting = 0;
  #free: number;

  constructor(limits: PlaceLimits) {
    this.#limits = limits;
    this.#free = limits.places;
  }

  /**
   * Takes a place, which {@link leave} gives back. Returns undefined if there is one, else a promise of the place or
   * of the refusal. `onCancel` receives the function that ends the wait early.
   */
  enter(
    asker: string | undefined,
    onCancel: (cancel: (reason: GatewayError) => void) => void,
  ): Promise<Turn> | undefined {
    const share = this.#shareOf(asker);
    if (this.#free > 0 && this.#mayHold(asker, share)) {
      this.#grant(share);
      return undefined;
    }
    if (this.#waiting >= this.#limits.queueLength || !this.#mayWait(asker, share)) {
      this.#forget(asker, share);
      return Promise.resolve(busy('too many calls are waiting already'));
    }
    return new Promise((resolve) => {
      const settle = (turn: Turn): void => {
        clearTimeout(timer);
        if (!share.waiters.delete(waiter)) return;
        this.#waiting -= 1;
        if (turn === undefined) this.#grant(share);
        else this.#forget(asker, share);
        resolve(turn);
      };
      const timer = setTimeout(() => settle(busy('no connection became free')), this.#limits.queueTimeout);
      const waiter: Waiter = { settle, timer };
      share.waiters.add(waiter);
      this.#waiting += 1;
      onCancel(settle);
    });
  }

  /** Gives a place back: the longest waiting call of the user whose turn it is gets it. */
  leave(asker: string | undefined): void {
    const share = this.#shareOf(asker);
    share.held -= 1;
    this.#free += 1;
    this.#forget(asker, share);
    if (this.#waiting === 0) return;
    for (const [key, next] of this.#shares) {
      const [first] = next.waiters;
      if (first === undefined || !this.#mayHold(key, next)) continue;
      first.settle(undefined);
      // The user's next turn comes after those of all others.
      if (this.#shares.delete(key)) this.#shares.set(key, next);
      return;
    }
  }

  #shareOf(asker = ''): Share {
    const known = this.#shares.get(asker);
    if (known !== undefined) return known;
    const share: Share = { held: 0, waiters: new Set() };
    this.#shares.set(asker, share);
    return share;
  }

  #mayHold(asker: string | undefined, { held }: Share): boolean {
    return !asker || held < this.#limits.share;
  }

  #mayWait(asker: string | undefined, { waiters }: Share): boolean {
    return !asker || waiters.size < this.#limits.queueShare;
  }

  #grant(share: Share): void {
    share.held += 1;
    this.#free -= 1;
  }

  #forget(asker = '', { held, waiters }: Share): void {
    if (held === 0 && waiters.size === 0) this.#shares.delete(asker);
  }
}

/** The most that one user may have of something that all users share. */
export function shareOf(total: number): number {
  return total - Math.floor(total / 4);
}

function busy(reason: string): GatewayError {
  return upstreamFailure('UpstreamBusy', new Error(reason), { 'retry-after': retryAfter() });
}
