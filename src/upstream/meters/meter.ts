import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { GatewayError } from '../../contract/gateway-error.ts';
import type { CallRate } from '../../model/operation.ts';
import { LONGEST_PAUSE_MS, retryDelay } from '../exchange/retry-after.ts';
import { UpstreamStatus, upstreamFailure } from '../exchange/upstream-failure.ts';
import { CountedLimit, type Limit, type LimitState, StatedLimit } from './limit.ts';
import { declaredLimits } from './rate-limit-fields.ts';

/** A call as its meter sees it. */
export interface MeteredCall {
  readonly operation: string;
  /** The user it is made for; undefined for the gateway's own. */
  readonly asker: string | undefined;
  /** One of many calls of a request: a part of the limit is left to others. */
  readonly isBulk: boolean;
  /** The rate that the document or its overlay declares. */
  readonly rate: CallRate | undefined;
}

/** Undefined for a call that may be made, else the reason of the refusal. */
type Turn = GatewayError | undefined;

interface Waiter {
  readonly call: MeteredCall;
  readonly settle: (turn: Turn) => void;
}

/** Given out to a call that may be made. */
interface Ticket {
  readonly number: number;
  readonly limits: readonly Limit[];
}

/**
 * Keeps the calls of one credential at one origin to the limits that its answers declare, and to those of the document.
 *
 * A call that would be refused waits for its time, if that is near. Users take turns, and of each user a single call goes
 * before those of a long list.
 */
export class Meter {
  readonly #stated = new Map<string, Limit>();
  readonly #counted = new Map<string, CountedLimit>();
  /** The limits of resources, by the operations that have met them. */
  readonly #ofOperations = new LRUCache<string, ReadonlySet<string>>({ max: 1_000 });
  readonly #waiters = new Map<string, Set<Waiter>>();
  readonly #underWay = new Map<MeteredCall, Ticket>();
  #pausedUntil = 0;
  #sent = 0;
  #timer: NodeJS.Timeout | undefined;

  /**
   * Resolves when the call may be made; undefined if that is now. A call whose time is not within `longestMs` is refused
   * with that time. `onCancel` receives the function that ends the wait early.
   */
  enter(
    call: MeteredCall,
    longestMs: number,
    onCancel: (cancel: (reason: GatewayError) => void) => void,
  ): Promise<Turn> | undefined {
    const now = performance.now();
    const limits = this.#limitsOf(call);
    const earliest = this.#earliest(limits, call, now);
    if (earliest <= now && this.#waiters.size === 0) {
      this.#admit(call, limits, now);
      return undefined;
    }
    const wait = Math.max(earliest - now, this.#forecast(limits, this.#waitingFor(call) + 1, now));
    if (wait > longestMs) return Promise.resolve(refusal(wait));
    return new Promise((resolve) => {
      const asker = call.asker ?? '';
      const waiters = this.#waiters.get(asker) ?? new Set();
      const waiter: Waiter = {
        call,
        settle: (turn) => {
          if (!waiters.delete(waiter)) return;
          if (waiters.size === 0) this.#waiters.delete(asker);
          resolve(turn);
        },
      };
      this.#waiters.set(asker, waiters.add(waiter));
      onCancel(waiter.settle);
      this.#wake();
    });
  }

  /** Takes note of the answer to an admitted call; undefined if it was not sent, or not answered. */
  leave(
    call: MeteredCall,
    answer: { readonly status: number; readonly headers: IncomingHttpHeaders } | undefined,
  ): void {
    const ticket = this.#underWay.get(call);
    if (ticket === undefined) return;
    this.#underWay.delete(call);
    if (answer !== undefined) this.#note(call, ticket, answer);
    if (this.#waiters.size > 0) this.#wake();
  }

  /** The milliseconds in which so many calls more can be made. */
  forecast(call: MeteredCall, calls: number): number {
    return this.#forecast(this.#limitsOf(call), calls, performance.now());
  }

  states(): readonly LimitState[] {
    const now = performance.now();
    return [...this.#stated.values(), ...this.#counted.values()].map((limit) => limit.state(now));
  }

  #limitsOf({ operation, rate }: MeteredCall): readonly Limit[] {
    if (this.#stated.size === 0 && rate === undefined) return NO_LIMITS;
    const own = this.#ofOperations.get(operation);
    const stated = [...this.#stated].flatMap(([name, limit]) =>
      limit.isOfResource && own?.has(name) !== true ? [] : [limit],
    );
    return rate === undefined ? stated : [...stated, this.#rated(rate)];
  }

  #rated({ name, calls, windowMs }: CallRate): CountedLimit {
    const known = this.#counted.get(name) ?? new CountedLimit(calls, windowMs);
    this.#counted.set(name, known);
    return known;
  }

  #earliest(limits: readonly Limit[], { isBulk }: MeteredCall, now: number): number {
    return limits.reduce(
      (latest, limit) => Math.max(latest, limit.earliest(isBulk, this.#underWay.size, now)),
      this.#pausedUntil,
    );
  }

  #forecast(limits: readonly Limit[], calls: number, now: number): number {
    const waits = limits.map((limit) => limit.forecast(calls, this.#underWay.size, now));
    return Math.max(0, this.#pausedUntil - now, ...waits);
  }

  #waitingFor({ asker = '', isBulk }: MeteredCall): number {
    const own = this.#waiters.get(asker)?.size ?? 0;
    // Users take turns: one call of each of the others may go first.
    return isBulk ? own : [...this.#waiters.values()].reduce((sum, { size }) => sum + Math.min(size, 1), 0);
  }

  #admit(call: MeteredCall, limits: readonly Limit[], now: number): void {
    this.#sent += 1;
    for (const limit of limits) limit.take(now);
    this.#underWay.set(call, { number: this.#sent, limits });
  }

  #note(
    { operation }: MeteredCall,
    { number }: Ticket,
    { status, headers }: { readonly status: number; readonly headers: IncomingHttpHeaders },
  ): void {
    const now = performance.now();
    const declared = declaredLimits(headers);
    if (declared.length > 0) {
      const underWay = this.#underWay.size;
      for (const each of declared.slice(0, MOST_LIMITS)) {
        const name = `${each.isOfResource ? 'resource ' : ''}${each.name}`;
        const known = this.#stated.get(name);
        const [oldest = name] = this.#stated.keys();
        if (known === undefined && this.#stated.size >= MOST_LIMITS) this.#stated.delete(oldest);
        if (each.remaining === undefined) {
          const { limit = 0, windowMs = 0 } = each;
          if (known === undefined && limit <= MOST_COUNTED) {
            const counted = new CountedLimit(limit, windowMs);
            // The call that was answered, and those under way, were made within the window.
            for (let calls = Math.min(underWay, limit); calls >= 0; calls -= 1) counted.take(now);
            this.#stated.set(name, counted);
          }
          continue;
        }
        const stated = known instanceof StatedLimit ? known : new StatedLimit(each.isOfResource);
        stated.note(each, { number, underWay, now });
        this.#stated.set(name, stated);
        if (each.isOfResource) {
          const own = this.#ofOperations.get(operation) ?? new Set();
          this.#ofOperations.set(operation, new Set([...own, name].slice(-MOST_LIMITS)));
        }
      }
    }
    const pause = status === 429 ? retryDelay(headers['retry-after']) : undefined;
    if (pause === undefined) return;
    const resources = declared.filter(({ isOfResource }) => isOfResource);
    if (resources.length === 0)
      this.#pausedUntil = Math.max(this.#pausedUntil, now + Math.min(pause, LONGEST_PAUSE_MS));
  }

  /** Lets go on whatever may be sent now, one call of each user in turn, and sets the time for the others. */
  #wake(): void {
    clearTimeout(this.#timer);
    const now = performance.now();
    let next = Number.POSITIVE_INFINITY;
    for (let hasAdmitted = true; hasAdmitted; ) {
      hasAdmitted = false;
      next = Number.POSITIVE_INFINITY;
      for (const [asker, waiters] of [...this.#waiters]) {
        const first = [...waiters].find(({ call }) => !call.isBulk) ?? waiters.values().next().value;
        if (first === undefined) continue;
        const limits = this.#limitsOf(first.call);
        const earliest = this.#earliest(limits, first.call, now);
        if (earliest > now) {
          next = Math.min(next, earliest);
          continue;
        }
        this.#admit(first.call, limits, now);
        first.settle(undefined);
        hasAdmitted = true;
        // The user's next turn comes after those of all others.
        if (this.#waiters.delete(asker) && waiters.size > 0) this.#waiters.set(asker, waiters);
      }
    }
    if (next < Number.POSITIVE_INFINITY)
      this.#timer = setTimeout(() => this.#wake(), Math.ceil(Math.min(next - now, LONGEST_PAUSE_MS)));
  }
}

const NO_LIMITS: readonly Limit[] = [];

/** The number of limits that one API may declare: the names are the API's. */
const MOST_LIMITS = 32;
/** The number of calls that a limit without a state is kept to: each is remembered for the time of the window. */
const MOST_COUNTED = 100_000;

/** An API may give out many credentials. */
const MOST_METERS = 10_000;

/** The meters of all origins and credentials; they outlive changes of the project. */
export class Meters {
  readonly #meters = new LRUCache<string, Meter>({ max: MOST_METERS });

  /** `owner`: empty for the gateway's own credential. */
  of(origin: string, owner: string): Meter {
    const key = `${origin} ${owner}`;
    const meter = this.#meters.get(key) ?? new Meter();
    this.#meters.set(key, meter);
    return meter;
  }

  /** The limits of the gateway's own credential at an origin. */
  states(origin: string): readonly LimitState[] {
    return this.#meters.peek(`${origin} `)?.states() ?? [];
  }
}

/** The error of a call whose time is too far away: no byte of it was sent. */
function refusal(waitMs: number): GatewayError {
  const seconds = String(Math.max(1, Math.ceil(waitMs / 1_000)));
  const cause = new UpstreamStatus('the limit of the upstream is used up', 429, seconds);
  return upstreamFailure('UpstreamThrottled', cause, { 'retry-after': seconds });
}
