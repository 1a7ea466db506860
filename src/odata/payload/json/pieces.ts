import { concatenated } from '../../../contract/concatenated.ts';
import type { RequestBudget } from '../../../contract/request-budget.ts';
import type { Work } from '../../../contract/work.ts';

/** Bytes that a chunk has at least; characters that are made bytes of together. */
const CHUNK = 65_536;
/** Bytes that a character takes at most: a surrogate pair, which is two of them, takes four. */
const WIDEST = 3;
/** Bytes beyond which a list is written in chunks: so much is not set aside by an estimate. */
const LARGEST = 33_554_432;
/** How much longer than its beginning suggests the rest of a list may be without a chunk of its own. */
const SLACK = 1.1;

/** What is written of an answer so far. Its bytes are the budget's until whoever has asked for the answer holds it. */
export class Pieces {
  readonly #budget: RequestBudget;
  readonly #full: Buffer[] = [];
  #chunk = Buffer.alloc(0);
  #used = 0;
  #text = '';
  #charged = 0;

  constructor(budget: RequestBudget) {
    this.#budget = budget;
  }

  add(text: string): void {
    this.#text += text;
    if (this.#text.length > CHUNK) this.#flush();
  }

  addBytes(bytes: Uint8Array): void {
    this.#flush();
    if (this.#chunk.length - this.#used < bytes.length) this.#open(Math.max(bytes.length, CHUNK));
    this.#chunk.set(bytes, this.#used);
    this.#used += bytes.length;
    this.#charge(bytes.length);
  }

  /** The items of an array that is written already: its first bracket becomes the separator, its last one goes. */
  addItems(array: string, separator: string): number {
    this.#flush();
    const start = this.#write(array);
    this.#chunk.write(separator, start);
    this.#used -= 1;
    return this.#used - start;
  }

  /** So many bytes are likely to follow: where little is there yet, all of them will stand in one chunk. */
  expect(bytes: number): void {
    if (this.#full.length > 0 || this.#used > CHUNK || bytes > LARGEST) return;
    const begun = this.#chunk.subarray(0, this.#used);
    this.#chunk = Buffer.allocUnsafeSlow(this.#used + Math.ceil(bytes * SLACK) + WIDEST * CHUNK);
    begun.copy(this.#chunk);
  }

  only(text: string): string {
    this.#charge(text.length);
    return text;
  }

  *bytes(): Work<Uint8Array> {
    this.#flush();
    const last = this.#chunk.subarray(0, this.#used);
    if (this.#full.length === 0) return last;
    const chunks = [...this.#full, last];
    return yield* concatenated(
      chunks,
      chunks.reduce((sum, { length }) => sum + length, 0),
    );
  }

  release(): void {
    this.#budget.returnAnswer(this.#charged);
  }

  #flush(): void {
    const text = this.#text;
    if (text === '') return;
    this.#text = '';
    this.#write(text);
  }

  /** Where in the chunk it begins. */
  #write(text: string): number {
    const most = text.length * WIDEST;
    if (this.#chunk.length - this.#used < most) this.#open(Math.max(most, CHUNK));
    const start = this.#used;
    const length = this.#chunk.write(text, start);
    this.#used += length;
    this.#charge(length);
    return start;
  }

  #open(size: number): void {
    if (this.#used > 0) this.#full.push(this.#chunk.subarray(0, this.#used));
    this.#chunk = Buffer.allocUnsafeSlow(size);
    this.#used = 0;
  }

  #charge(bytes: number): void {
    this.#charged += bytes;
    this.#budget.chargeAnswer(bytes);
  }
}
