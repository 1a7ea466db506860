import { LONGEST_PAUSE_MS } from '../exchange/retry-after.ts';
import type { DeclaredLimit } from './rate-limit-fields.ts';

/** The state of a limit, for people. */
export interface LimitState {
  readonly limit: number | undefined;
  readonly left: number;
  readonly resetMs: number;
}

/** A number of calls in a time. Times in milliseconds, by the clock of `performance.now()`. */
export interface Limit {
  readonly isOfResource: boolean;
  /** The time from which a call may be made. `underWay`: calls that were sent and not answered yet. */
  earliest(isBulk: boolean, underWay: number, now: number): number;
  /** Counts a call. */
  take(now: number): void;
  /** The milliseconds in which so many calls more can be made. */
  forecast(calls: number, underWay: number, now: number): number;
  state(now: number): LimitState;
}

/** The part of a limit that the many calls of one request leave to others. */
function reserveOf(limit: number): number {
  return Math.floor(limit / 4);
}

/** A limit that is kept to by counting: never more calls than that in any window. */
export class CountedLimit implements Limit {
  readonly isOfResource = false;
  readonly #calls: number;
  readonly #windowMs: number;
  readonly #times: number[] = [];

  constructor(calls: number, windowMs: number) {
    this.#calls = Math.max(1, calls);
    this.#windowMs = windowMs;
  }

  earliest(isBulk: boolean, _underWay: number, now: number): number {
    this.#forget(now);
    const most = isBulk ? this.#calls - reserveOf(this.#calls) : this.#calls;
    const last = this.#times.at(-most);
    return this.#times.length < most || last === undefined ? now : last + this.#windowMs;
  }

  take(now: number): void {
    this.#times.push(now);
  }

  forecast(calls: number, _underWay: number, now: number): number {
    this.#forget(now);
    const free = this.#calls - this.#times.length;
    if (calls <= free) return 0;
    const missing = calls - free;
    const windows = Math.floor((missing - 1) / this.#calls);
    const oldest = this.#times[(missing - 1) % this.#calls] ?? now;
    return Math.max(0, oldest + this.#windowMs - now) + windows * this.#windowMs;
  }

  state(now: number): LimitState {
    this.#forget(now);
    const [oldest] = this.#times;
    const resetMs = oldest === undefined ? 0 : oldest + this.#windowMs - now;
    return { limit: this.#calls, left: this.#calls - this.#times.length, resetMs };
  }

  #forget(now: number): void {
    const first = this.#times.findIndex((time) => time + this.#windowMs > now);
    this.#times.splice(0, first < 0 ? this.#times.length : first);
  }
}

/** The window of a limit that says nothing of it, and the time that a whole number of seconds may be rounded down by. */
const SECOND_MS = 1_000;

/** The order and time of an answer. */
interface Statement {
  /** The number of the call, in the order in which calls were sent. */
  readonly number: number;
  readonly underWay: number;
  readonly now: number;
}

/** A limit whose answers say what is left of it, and until when. */
export class StatedLimit implements Limit {
  readonly isOfResource: boolean;
  #limit: number | undefined;
  #left = 0;
  /** The declared end of the window. */
  #renewal = 0;
  /** The time at which the next call is made in any case: the end of the window, or an hour later for a longer one. */
  #end = 0;
  #windowMs = SECOND_MS;
  /** The number of the last call whose answer was noted. */
  #number = 0;

  constructor(isOfResource: boolean) {
    this.isOfResource = isOfResource;
  }

  /**
   * Takes note of an answer. Calls under way may have been counted in it or not: the gateway takes it that they were not.
   * Of answers that come in another order than they were sent for, the lowest number counts.
   */
  note(
    { limit, remaining = 0, resetMs, windowMs }: DeclaredLimit,
    { number, underWay, now }: Statement,
  ): void {
    const left = Math.max(0, remaining - underWay);
    const isLater = number > this.#number;
    const isRenewed = now >= this.#end;
    this.#limit = limit ?? this.#limit;
    this.#left = isLater || isRenewed ? left : Math.min(this.#left, left);
    if (!isLater) return;
    this.#number = number;
    const declared = resetMs ?? this.#windowMs;
    const reset = declared === 0 && remaining === 0 ? SECOND_MS : declared;
    this.#windowMs = windowMs ?? Math.max(this.#windowMs, reset);
    this.#renewal = now + reset;
    this.#end = now + Math.min(reset, LONGEST_PAUSE_MS);
  }

  earliest(isBulk: boolean, underWay: number, now: number): number {
    this.#renew(underWay, now);
    if (this.#left <= 0) return this.#end;
    const reserve = reserveOf(this.#limit ?? 0);
    if (!isBulk || reserve === 0) return now;
    // What is kept for others becomes less towards the end of the window.
    return Math.max(now, this.#end - ((this.#left - 1) / reserve) * this.#windowMs);
  }

  take(): void {
    this.#left -= 1;
  }

  forecast(calls: number, underWay: number, now: number): number {
    this.#renew(underWay, now);
    if (calls <= this.#left) return 0;
    const windows = Math.floor((calls - this.#left - 1) / (this.#limit ?? calls));
    return Math.max(0, this.#end - now) + windows * this.#windowMs;
  }

  state(now: number): LimitState {
    this.#renew(0, now);
    return { limit: this.#limit, left: this.#left, resetMs: Math.max(0, this.#end - now) };
  }

  /** At its end, the limit begins anew. One call has to show it if its size is unknown, or its window is not over. */
  #renew(underWay: number, now: number): void {
    if (now < this.#end) return;
    const isOver = now >= this.#renewal;
    const left = isOver ? (this.#limit ?? 1) - underWay : this.#left;
    this.#left = Math.max(underWay === 0 ? 1 : 0, left);
    if (isOver) this.#renewal = now + this.#windowMs;
    this.#end = Math.min(this.#renewal, now + LONGEST_PAUSE_MS);
  }
}
