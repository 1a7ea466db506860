import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Row, Rows } from '../../contract/row.ts';
import { entryLimit } from '../../core/entry-limit.ts';
import type { PageLimits } from '../../core/request-limits.ts';
import { MOST_PAGES, type Progress, tooLongList } from './paging-errors.ts';

/** The limits and the progress of several lists that are read together: they share the limits of one list. */
export class JointReading {
  readonly #limits: PageLimits;
  readonly #lists: number;
  #end: number;
  #rows = 0;
  #bytes = 0;
  #pages = 0;
  #done = 0;
  /** The rows of the lists are passed on: they are one list of those that a user may have. */
  isPassedOn = false;

  constructor(limits: PageLimits, lists: number) {
    this.#limits = limits;
    this.#lists = lists;
    this.#end = performance.now() + limits.time;
  }

  /** The end of their time, by the clock of `performance.now()`. */
  get end(): number {
    return this.#end;
  }

  get progress(): Progress {
    const lists = { done: this.#done, all: this.#lists };
    return { rows: this.#rows, pages: this.#pages, total: undefined, lists };
  }

  /** Counts a page of one of them; throws beyond the limits. */
  add(rows: number, bytes: number): void {
    const { isPassedOn } = this;
    this.#rows += rows;
    this.#bytes = isPassedOn ? bytes : this.#bytes + bytes;
    this.#pages += 1;
    const most = isPassedOn ? this.#limits.exportRows : this.#limits.rows;
    const pages = isPassedOn ? MOST_PAGES + this.#rows + this.#lists : MOST_PAGES;
    if (this.#rows > most || this.#bytes > this.#limits.bytes || this.#pages > pages)
      throw tooLongList(this.progress, this.#bytes, this.#limits, isPassedOn);
  }

  /** Gives the lists whose rows are passed on all of the time once more. */
  renew(): void {
    this.isPassedOn = true;
    this.#end = performance.now() + this.#limits.time;
  }

  /** Counts one of them as read to its end. */
  finish(): void {
    this.#done += 1;
  }
}

/** Maximum number of lists that are recognized by the states of their pages. */
const STATES_KEPT = 1_000;

/**
 * Numbers for the states of lists in pages: equal as long as all pages have equal states. They are negative, unlike those
 * of single answers.
 */
export class JointVersions {
  readonly #known = new LRUCache<string, number>(entryLimit(STATES_KEPT));
  #last = 0;

  /** Undefined if the state of a page has no number. */
  of(versions: readonly (number | undefined)[]): number | undefined {
    const [only, ...others] = versions;
    if (others.length === 0) return only;
    if (versions.includes(undefined)) return undefined;
    const key = createHash('sha1').update(versions.join()).digest('base64url');
    const known = this.#known.get(key) ?? --this.#last;
    this.#known.set(key, known);
    return known;
  }
}

/** The rows of several pages in order, read lazily unless all of them are arrays. */
export function joinedRows(pages: readonly Rows[]): Rows {
  const [only, ...others] = pages;
  if (only !== undefined && others.length === 0) return only;
  if (pages.every((page): page is readonly Row[] => Array.isArray(page))) return pages.flat();
  return {
    length: pages.reduce((length, page) => length + page.length, 0),
    *[Symbol.iterator]() {
      for (const page of pages) yield* page;
    },
  };
}
