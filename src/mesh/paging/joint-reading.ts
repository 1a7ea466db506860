import type { PageLimits } from '../../contract/page-limits.ts';
import { type Progress, tooLongList } from './incomplete-list.ts';

/** What is read of several lists together, under the limits that one list has. */
export class JointReading {
  /** When their time is over, by the clock of `performance.now()`. */
  readonly end: number;
  readonly #limits: PageLimits;
  readonly #lists: number;
  #rows = 0;
  #bytes = 0;
  #pages = 0;
  #done = 0;

  constructor(limits: PageLimits, lists: number) {
    this.#limits = limits;
    this.#lists = lists;
    this.end = performance.now() + limits.time;
  }

  get progress(): Progress {
    const lists = { done: this.#done, all: this.#lists };
    return { rows: this.#rows, pages: this.#pages, total: undefined, lists };
  }

  /** A page of one of them has come; what is too much is an error. */
  add(rows: number, bytes: number): void {
    this.#rows += rows;
    this.#bytes += bytes;
    this.#pages += 1;
    const tooLong = tooLongList(this.progress, this.#bytes, this.#limits);
    if (tooLong !== undefined) throw tooLong;
  }

  /** One of them has come to its end. */
  finish(): void {
    this.#done += 1;
  }
}
