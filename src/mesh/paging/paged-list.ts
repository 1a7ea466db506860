import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { CallContext } from '../../contract/exchange.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import { PAGE_LIMITS, type PageLimits } from '../../contract/request-limits.ts';
import type { Row, Rows } from '../../contract/row.ts';
import type { Paging } from '../../model/operation.ts';
import { badResponse } from '../exchange/upstream-failure.ts';
import type { PageAnswer } from './next-page.ts';
import type { PagePlace, PageRequest } from './page-position.ts';

/** A list that may come in pages. */
export interface PagedList {
  readonly paging: Paging;
  readonly place: PagePlace;
  readonly limits: PageLimits;
  readonly versions: JointVersions;
  /** What is read of it and of others together. */
  readonly joint?: JointReading | undefined;
  /** Asks for one page; undefined where what it is asked for by cannot be a value of the upstream's. */
  readonly fetch: (request: PageRequest, call: CallContext) => Promise<FetchedPage | undefined>;
  /** Takes note of what is wrong with what came. */
  readonly report: (error: unknown) => void;
}

export interface FetchedPage extends PageAnswer {
  readonly rows: Rows;
  readonly version: number | undefined;
  /** The size of the answer. */
  readonly bytes: number;
}

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

/** So many states of lists are known by the states of their pages. */
const STATES_KEPT = 1_000;

/**
 * Names the state of a list that was read in pages by one number: the same as long as all pages have the same. The
 * numbers are below 0, where those of single answers are not.
 */
export class JointVersions {
  readonly #known = new LRUCache<string, number>({ max: STATES_KEPT });
  #last = 0;

  /** Undefined where the state of a page has no name. */
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

/** The rows of several pages, one after the other: they are made while somebody goes through them. */
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

/** Nothing says how to ask for the rest of a list. The message holds nothing of the upstream but numbers. */
export function incompleteList(total: number | undefined, came: number): GatewayError {
  const message =
    total === undefined
      ? `The list has more than the ${came} rows that were received, and the document does not say how to ask for the rest.`
      : `The list has ${total} rows, ${came} came, and the document does not say how to ask for the rest.`;
  return new GatewayError('UpstreamIncomplete', message, { cause: new Error('the list is not whole') });
}

/** How far the reading of a list has come. */
export interface Progress {
  readonly rows: number;
  readonly pages: number;
  /** Of all rows, where that is known. */
  readonly total: number | undefined;
  /** Of several lists that are read together, how many have come to their end. */
  readonly lists?: { readonly done: number; readonly all: number };
}

/** From so many pages on, something is wrong with the upstream. */
const MOST_PAGES = 10_000;

/** The error for a list that is longer than it may be read; undefined for one that is not. */
export function tooLongList(came: Progress, bytes: number, limits: PageLimits): GatewayError | undefined {
  const { variable, unit } = PAGE_LIMITS.bytes;
  if (came.rows > limits.rows) return tooLong(came, `${limits.rows} rows`, PAGE_LIMITS.rows.variable);
  if (bytes > limits.bytes) return tooLong(came, `${limits.bytes / unit} MiB`, variable);
  return came.pages > MOST_PAGES ? tooLong(came, `${MOST_PAGES} pages`) : undefined;
}

function tooLong(came: Progress, most: string, variable?: string): GatewayError {
  const allowed = variable === undefined ? most : `${most} (${variable})`;
  const message = `The list is too long to be read as a whole: ${progress(came)}, and at most ${allowed} are read. Ask for a part of it, for example with $top.`;
  const cause = new Error('the list is too long');
  return new GatewayError('UpstreamIncomplete', message, { cause, ...(variable && { limit: variable }) });
}

/** All pages together have taken longer than they may. `cause` is what came of the last of them. */
export function tooSlowList(came: Progress, { code, message, cause, headers }: GatewayError): GatewayError {
  const { variable } = PAGE_LIMITS.time;
  const told = `${message} ${progress(came)}, in the time that a list is given (${variable}).`;
  return new GatewayError(code, told, { cause, headers, limit: variable });
}

/** A page came again: an upstream that gives it whatever it is asked for would do so forever. */
export function endlessList(came: Progress): GatewayError {
  const { code, message, cause } = badResponse('the pages of the list do not come to an end');
  const told = `${message} The pages of the list do not come to an end: ${progress(came)}, and one of them came again.`;
  return new GatewayError(code, told, { cause });
}

/** As in `2000 of 5000 rows came, on 20 pages`, or `2000 rows came, on 20 pages, 7 of 100 lists to their end`. */
export function progress({ rows, pages, total, lists }: Progress): string {
  const known = total === undefined ? `${rows} rows` : `${rows} of ${total} rows`;
  const joint = lists === undefined ? '' : `, ${lists.done} of ${lists.all} lists to their end`;
  return `${known} came, on ${pages} ${pages === 1 ? 'page' : 'pages'}${joint}`;
}
