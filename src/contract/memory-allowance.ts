import { GatewayError } from './gateway-error.ts';

export interface MemoryLimits {
  /** Of all that is received, made of it and not yet sent. */
  readonly answersBytes: number;
  /** The longest wait for room while none becomes free, in milliseconds. */
  readonly answersWaitMs: number;
}

interface Waiter {
  readonly bytes: number;
  /** What it has already. */
  readonly held: number;
  readonly admit: () => void;
  /** Room has become free: the time begins anew. */
  readonly goOn: () => void;
}

/** The most that a request waits, as a multiple of that time, however much room becomes free for others. */
const MOST_WAITS = 12;

/**
 * How many bytes of answers the process holds at once, whoever has asked for them: what upstreams send, what is made of
 * it, and what clients have not read yet. A request that finds no room waits for as long as others get on. Who has most already goes
 * first, since others wait for what that is: many that had a little each would all wait for each other. Those who have
 * nothing are served in the order in which they came.
 */
export class MemoryAllowance {
  readonly #limits: MemoryLimits;
  readonly #waiters = new Set<Waiter>();
  #held = 0;

  constructor(limits: MemoryLimits) {
    this.#limits = limits;
  }

  /** What somebody holds of it, which is nothing yet. */
  reserve(): MemoryReservation {
    return new MemoryReservation(this);
  }

  /** Fails with Overloaded where there is no room in time, and with PayloadTooLarge where there never can be. */
  async take(bytes: number, held: number): Promise<void> {
    if (held + bytes > this.#limits.answersBytes) throw tooLarge(this.#limits.answersBytes);
    if (this.#waiters.size > 0 || !this.#hasRoom(bytes)) await this.#room(bytes, held);
    else this.#held += bytes;
  }

  /** For what is there already, whether there is room or not. */
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

/** What one request, one part of it, or one call holds of the allowance, until it is released. */
export class MemoryReservation {
  readonly #allowance: MemoryAllowance;
  readonly #parts = new Set<MemoryReservation>();
  #bytes = 0;
  #isReleased = false;

  constructor(allowance: MemoryAllowance) {
    this.#allowance = allowance;
  }

  /** Waits for room for so many bytes more. */
  async take(bytes: number): Promise<void> {
    await this.#allowance.take(bytes, this.#bytes);
    this.#bytes += bytes;
    if (!this.#isReleased) return;
    this.#giveBack(bytes);
    throw new GatewayError('ClientClosedRequest', 'Nobody waits for the answer any more.');
  }

  /** A reservation that is released with this one. */
  part(): MemoryReservation {
    return this.adopt(new MemoryReservation(this.#allowance));
  }

  /** A reservation that outlives this one. */
  apart(): MemoryReservation {
    return new MemoryReservation(this.#allowance);
  }

  /** Another's reservation becomes a part of this one. */
  adopt(part: MemoryReservation): MemoryReservation {
    if (this.#isReleased) part.release();
    else this.#parts.add(part);
    return part;
  }

  /** What was needed to make an answer is not held any longer, but for the answer: so many bytes. */
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

/** The error of a request that has waited too long for room. */
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

/** The number of seconds after which a client should ask again; not all at the same time. */
export function retryAfter(): string {
  return String(LEAST + Math.floor(Math.random() * (MOST - LEAST + 1)));
}
