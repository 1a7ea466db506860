import { GatewayError } from './gateway-error.ts';

export interface MemoryLimits {
  /** Maximum bytes of received and unsent data in memory. */
  readonly answersBytes: number;
  /** Longest wait for room while none becomes free, in milliseconds. */
  readonly answersWaitMs: number;
}

interface Waiter {
  readonly bytes: number;
  /** The bytes that the waiting request holds already. */
  readonly held: number;
  readonly admit: () => void;
  /** Restarts the timeout because room has become free. */
  readonly goOn: () => void;
}

/** The longest total wait, as a multiple of that time, even while room becomes free for others. */
const MOST_WAITS = 12;

/**
 * Limits the bytes of responses that the process holds at once: data received from upstreams, data derived
 * from it, and data not yet read by clients. A request without room waits as long as others progress. The one
 * that holds most is served first, because others wait for its memory, and many requests with partial data
 * would block each other. Requests that hold nothing are served in the order of arrival.
 */
export class MemoryAllowance {
  readonly #limits: MemoryLimits;
  readonly #waiters = new Set<Waiter>();
  #held = 0;

  constructor(limits: MemoryLimits) {
    this.#limits = limits;
  }

  reserve(): MemoryReservation {
    return new MemoryReservation(this);
  }

  /** Throws Overloaded if there is no room in time, and PayloadTooLarge if there never can be. */
  async take(bytes: number, held: number): Promise<void> {
    if (held + bytes > this.#limits.answersBytes) throw tooLarge(this.#limits.answersBytes);
    if (this.#waiters.size > 0 || !this.#hasRoom(bytes)) await this.#room(bytes, held);
    else this.#held += bytes;
  }

  /** Counts bytes that are in memory already, regardless of the limit. */
  add(bytes: number): void {
    this.#held += bytes;
  }

  giveBack(bytes: number): void {
    this.#held -= bytes;
    if (bytes > 0) for (const waiter of this.#waiters) waiter.goOn();
    for (let next = this.#next(); next !== undefined && this.#hasRoom(next.bytes); next = this.#next()) {
      next.admit();
    }
  }

  #next(): Waiter | undefined {
    let next: Waiter | undefined;
    for (const waiter of this.#waiters) {
      if (next === undefined || waiter.held > next.held) next = waiter;
    }
    return next;
  }

  #room(bytes: number, held: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        this.#waiters.delete(waiter);
        reject(noRoom());
      };
      const { answersWaitMs } = this.#limits;
      const end = performance.now() + answersWaitMs * MOST_WAITS;
      let timer = setTimeout(giveUp, answersWaitMs);
      const admit = (): void => {
        clearTimeout(timer);
        this.#waiters.delete(waiter);
        this.#held += bytes;
        resolve();
      };
      const goOn = (): void => {
        clearTimeout(timer);
        timer = setTimeout(giveUp, Math.min(answersWaitMs, end - performance.now()));
      };
      const waiter: Waiter = { bytes, held, admit, goOn };
      this.#waiters.add(waiter);
    });
  }

  #hasRoom(bytes: number): boolean {
    return this.#held + bytes <= this.#limits.answersBytes;
  }
}

/** The bytes that a request, a part of it or a call holds, until it is released. */
export class MemoryReservation {
  readonly #allowance: MemoryAllowance;
  readonly #parts = new Set<MemoryReservation>();
  #bytes = 0;
  #isReleased = false;

  constructor(allowance: MemoryAllowance) {
    this.#allowance = allowance;
  }

  /** Waits for room for more bytes. */
  async take(bytes: number): Promise<void> {
    await this.#allowance.take(bytes, this.#bytes);
    this.#bytes += bytes;
    if (!this.#isReleased) return;
    this.#giveBack(bytes);
    throw new GatewayError('ClientClosedRequest', 'No client waits for the response any more.');
  }

  /** A reservation that is released with this one. */
  part(): MemoryReservation {
    return this.adopt(new MemoryReservation(this.#allowance));
  }

  /** Releases a part of this one, and forgets the part. */
  letGo(part: MemoryReservation): void {
    this.#parts.delete(part);
    part.release();
  }

  /** A reservation that outlives this one. */
  apart(): MemoryReservation {
    return new MemoryReservation(this.#allowance);
  }

  /** Makes another reservation a part of this one. */
  adopt(part: MemoryReservation): MemoryReservation {
    if (this.#isReleased) part.release();
    else this.#parts.add(part);
    return part;
  }

  /** Releases everything except the bytes of the response. */
  settle(bytes: number): void {
    this.#clear();
    if (this.#isReleased) return;
    this.#bytes = bytes;
    this.#allowance.add(bytes);
  }

  release(): void {
    this.#isReleased = true;
    this.#clear();
  }

  #clear(): void {
    for (const part of this.#parts) part.release();
    this.#parts.clear();
    this.#giveBack(this.#bytes);
  }

  #giveBack(bytes: number): void {
    this.#bytes -= bytes;
    this.#allowance.giveBack(bytes);
  }
}

function noRoom(): GatewayError {
  const message = 'The gateway is holding too many answers: try again later (ANSWERS_MIB).';
  return new GatewayError('Overloaded', message, { headers: { 'retry-after': retryAfter() } });
}

function tooLarge(bytes: number): GatewayError {
  const message = `The answer needs more than the ${bytes} bytes that all answers may take (ANSWERS_MIB): ask for less at a time.`;
  return new GatewayError('PayloadTooLarge', message, { limit: 'ANSWERS_MIB' });
}

const LEAST = 1;
const MOST = 5;

/** Seconds until a client should retry, randomized so that clients do not retry at once. */
export function retryAfter(): string {
  return String(LEAST + Math.floor(Math.random() * (MOST - LEAST + 1)));
}
