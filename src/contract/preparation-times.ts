import { LRUCache } from 'lru-cache';
import { entryLimit } from '../core/entry-limit.ts';
import { inTurns, type Work } from '../core/work.ts';
import { GatewayError } from './gateway-error.ts';
import type { Principal } from './principal.ts';

const WINDOW_MS = 60_000;
/** A tenth of the window. */
const MOST_MS = 6_000;
const MOST_USERS = 10_000;

interface Used {
  readonly since: number;
  milliseconds: number;
  /** Resolves when the user's earlier preparations have ended. */
  last: Promise<unknown>;
}

/**
 * Limits the processor time that one user's scopes take: each scope needs its own model and schema, and users
 * can create any number of scopes. Work for roles is cached and not counted.
 */
export class PreparationTimes {
  readonly #mostMs: number;
  readonly #used = new LRUCache<string, Used>(entryLimit(MOST_USERS));

  constructor(mostMs = MOST_MS) {
    this.#mostMs = mostMs;
  }

  /** Throws TooManyRequests if the user's time is used up. */
  prepare<Result>(principal: Principal, make: () => Result): Result {
    const used = this.#usedBy(principal);
    return used === undefined ? make() : timed(used, make);
  }

  /** Prepares something that takes long, in stretches between which other requests go first; one after the other for a user. */
  async prepareInTurns<Result>(principal: Principal, work: Work<Result>): Promise<Result> {
    const used = this.#usedBy(principal);
    if (used === undefined) return inTurns(work);
    const made = used.last.then(() => {
      this.#usedBy(principal);
      return inTurns(timedWork(used, work));
    });
    used.last = made.catch(() => undefined);
    return made;
  }

  /** The time that the user has used; undefined for principals that are not bounded. */
  #usedBy(principal: Principal): Used | undefined {
    if (principal.kind !== 'user' || principal.scoped === undefined) return undefined;
    const now = performance.now();
    const known = this.#used.get(principal.id);
    const used =
      known === undefined || known.since < now - WINDOW_MS
        ? { since: now, milliseconds: 0, last: known?.last ?? Promise.resolve() }
        : known;
    if (used.milliseconds > this.#mostMs) throw tooMuch(used.since + WINDOW_MS - now);
    this.#used.set(principal.id, used);
    return used;
  }
}

function timed<Result>(used: Used, make: () => Result): Result {
  const start = performance.now();
  try {
    return make();
  } finally {
    used.milliseconds += performance.now() - start;
  }
}

function* timedWork<Result>(used: Used, work: Work<Result>): Work<Result> {
  for (;;) {
    const { done, value } = timed(used, () => work.next());
    if (done === true) return value;
    yield;
  }
}

function tooMuch(left: number): GatewayError {
  const message = 'Your API keys have too many different scopes to be served at once: use fewer, or wait.';
  return new GatewayError('TooManyRequests', message, {
    headers: { 'retry-after': String(Math.ceil(left / 1000)) },
  });
}
