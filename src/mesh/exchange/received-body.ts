import { concatenated } from '../../contract/concatenated.ts';
import { inTurns } from '../../contract/turns.ts';

/** Below, chunks are put together at the end: there are few of them, or one. */
const LARGE = 65_536;

/**
 * The bytes of an answer as they come in. Where there are many and their number is known, each chunk is put in
 * its place at once: while the next one is waited for there is time for that.
 */
export class ReceivedBody {
  readonly #announced: number;
  #whole: Buffer | undefined;
  readonly #chunks: Buffer[] = [];
  #size = 0;

  /** `announced` is what Content-Length says; NaN where it says nothing. */
  constructor(announced: number) {
    this.#announced = announced;
  }

  get size(): number {
    return this.#size;
  }

  add(chunk: Buffer): void {
    if (this.#announced >= LARGE) {
      // Only now: an answer may announce a body that it does not have (RFC 9110, 8.6).
      this.#whole ??= Buffer.allocUnsafeSlow(this.#announced);
      this.#whole.set(chunk, this.#size);
    } else this.#chunks.push(chunk);
    this.#size += chunk.length;
  }

  /** A promise where there is much to be put together: others go first in between. */
  bytes(): Buffer | Promise<Buffer> {
    if (this.#whole !== undefined) return this.#whole.subarray(0, this.#size);
    const [first, second] = this.#chunks;
    if (first !== undefined && second === undefined) return first;
    return this.#size < LARGE
      ? Buffer.concat(this.#chunks, this.#size)
      : inTurns(concatenated(this.#chunks, this.#size));
  }
}
