import { LRUCache } from 'lru-cache';
import { GatewayError } from './gateway-error.ts';
import type { Principal } from './principal.ts';

const WINDOW_MS = 60_000;
/** A tenth of the window. */
const MOST_MS = 6_000;
const MOST_USERS = 10_000;

interface Used {
  readonly since: number;
  milliseconds: number;
}

/**
 * Bounds the processor time that one user's scopes take: each scope needs a model and a schema of its own, and users
 * make as many scopes as they like. What is prepared for roles is kept, and not counted.
 */
export class PreparationTimes {
  readonly #mostMs: number;
  readonly #used = new LRUCache<string, Used>({ max: MOST_USERS });

  constructor(mostMs = MOST_MS) {
    this.#mostMs = mostMs;
  }

  /** Prepares something for a principal. Throws TooManyRequests if the user's time is used up. */
  prepare<Result>(principal: Principal, make: () => Result): Result {
    if (principal.kind !== 'user' || principal.scoped === undefined) return make();
    const start = performance.now();
    const known = this.#used.get(principal.id);
    const used =
      known === undefined || known.since < start - WINDOW_MS ? { since: start, milliseconds: 0 } : known;
    if (used.milliseconds > this.#mostMs) throw tooMuch(used.since + WINDOW_MS - start);
    this.#used.set(principal.id, used);
    const result = make();
    used.milliseconds += performance.now() - start;
    return result;
  }
}

function tooMuch(left: number): GatewayError {
  const message = 'Your API keys have too many different scopes to be served at once: use fewer, or wait.';
  return new GatewayError('TooManyRequests', message, {
    headers: { 'retry-after': String(Math.ceil(left / 1000)) },
  });
}
