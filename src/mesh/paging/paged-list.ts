import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { CallContext } from '../../contract/exchange.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import { PAGE_LIMITS, type PageLimits } from '../../contract/request-limits.ts';
import type { Row, Rows } from '../../contract/row.ts';
import type { Paging } from '../../model/operation.ts';
import { badResponse, upstreamFailure } from '../exchange/upstream-failure.ts';
import { believedTotal, type NextPage, type PageAnswer } from './next-page.ts';
import { type PagePlace, type PageRequest, type PageStep, pageRequest } from './page-position.ts';
import { NO_SIGNS } from './page-signs.ts';

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

/** The most states of lists that are known by the states of their pages. */
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

/** The number of pages from which something is wrong with the upstream. */
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
function tooSlowList(came: Progress, { code, message, cause, headers }: GatewayError): GatewayError {
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

/**
 * Describes progress, as in `2000 of 5000 rows came, on 20 pages`, or `2000 rows came, on 20 pages, 7 of 100 lists to
 * their end`.
 */
function progress({ rows, pages, total, lists }: Progress): string {
  const known = total === undefined ? `${rows} rows` : `${rows} of ${total} rows`;
  const joint = lists === undefined ? '' : `, ${lists.done} of ${lists.all} lists to their end`;
  return `${known} came, on ${pages} ${pages === 1 ? 'page' : 'pages'}${joint}`;
}

/** Pages that are asked for at a time, where it is known which there are. */
const AT_ONCE = 4;

/** Asks for the pages of one list, for some before their turn, and bears an upstream that wants a pause. */
export class PageFetcher {
  readonly #list: PagedList;
  readonly #call: CallContext;
  readonly #end: number;
  readonly #ahead = new Map<string, Promise<FetchedPage>>();
  #givenUp: AbortController | undefined;
  #timeIsOver: AbortSignal | undefined;
  #pages = 0;
  #isLate = false;
  #total: number | undefined;
  /** Until then the upstream wants to be left alone. */
  #pausedUntil = 0;

  constructor(list: PagedList, call: CallContext) {
    this.#list = list;
    this.#call = call;
    this.#end = list.joint?.end ?? performance.now() + list.limits.time;
  }

  /** Nothing was read before the page that is asked for, of this list or of those that are read with it. */
  get #isFirst(): boolean {
    return this.#pages === 0 && this.#list.joint === undefined;
  }

  /** The page, when `have` rows have come; undefined where it was only asked for to see that there is none. */
  async fetch(step: PageStep, have: number): Promise<FetchedPage | undefined> {
    const key = keyOf(step);
    const expected = this.#ahead.get(key);
    this.#ahead.delete(key);
    try {
      const page = await (expected ?? this.#load(step, this.#call));
      this.#pages += 1;
      return page;
    } catch (error) {
      if (step.isProbe && isRefusal(error)) return undefined;
      throw this.#isFirst ? error : this.#ofLaterPage(error, have);
    }
  }

  /**
   * Asks for the pages behind the next one, where their numbers are known: by page or by offset, of a list that says how
   * many items it has. What comes is looked at in its turn, as if it had been asked for then.
   */
  expect(
    step: PageStep,
    page: FetchedPage,
    following: PageStep,
    { isTold }: Extract<NextPage, { kind: 'page' }>,
    end: number,
  ): void {
    const { paging } = this.#list;
    const total = believedTotal(paging, step, page);
    this.#total ??= total;
    const { position, asked } = following;
    const isKnown = position.kind === 'page' || position.kind === 'offset';
    if (isTold || !isKnown || total === undefined || asked === undefined || page.length === 0) return;
    for (let index = 0; index < AT_ONCE; index += 1) {
      const before = following.before + index * page.length;
      if (before >= total || before + page.length > end) return;
      const number = position.number + (position.kind === 'page' ? index : index * page.length);
      const expected: PageStep = { ...following, before, position: { kind: position.kind, number } };
      const key = keyOf(expected);
      if (this.#ahead.has(key)) continue;
      this.#ahead.set(key, this.#loadAhead(expected));
    }
  }

  /** Gives up what was asked for and is not wanted any more. */
  close(): void {
    this.#givenUp?.abort();
  }

  #loadAhead(step: PageStep): Promise<FetchedPage> {
    this.#givenUp ??= new AbortController();
    const signal = AbortSignal.any([this.#call.signal, this.#givenUp.signal]);
    const loading = this.#load(step, { ...this.#call, signal });
    // Whoever waits for it hears of the failure; where nobody does, it is none.
    loading.catch(() => undefined);
    return loading;
  }

  /** A first page has the time that any call has; later ones have what is left for all of them. */
  async #load(step: PageStep, call: CallContext): Promise<FetchedPage> {
    if (this.#isFirst) return (await this.#list.fetch(pageRequest(this.#list.paging, step), call)) ?? NOTHING;
    this.#timeIsOver ??= AbortSignal.timeout(Math.max(0, Math.ceil(this.#end - performance.now())));
    const signal = AbortSignal.any([call.signal, this.#timeIsOver]);
    try {
      return await this.#loadLater(step, { ...call, signal });
    } catch (error) {
      if (!this.#timeIsOver.aborted || call.signal.aborted) throw error;
      throw this.#late(this.#reported(upstreamFailure('UpstreamTimeout', TIME_IS_OVER)));
    }
  }

  /** Asks again after the pause that the upstream wants, as long as there is time. */
  async #loadLater(step: PageStep, call: CallContext): Promise<FetchedPage> {
    for (;;) {
      await this.#pause(call);
      try {
        const page = await this.#list.fetch(pageRequest(this.#list.paging, step), call);
        if (page === undefined)
          throw this.#reported(badResponse('the next page cannot be asked for as it is said'));
        return page;
      } catch (error) {
        const delay = retryDelay(error);
        if (delay === undefined) throw error;
        if (performance.now() + delay > this.#end) throw this.#late(error);
        this.#pausedUntil = Math.max(this.#pausedUntil, performance.now() + delay);
      }
    }
  }

  /** The error, which is one of all pages together. */
  #late<Failure>(error: Failure): Failure {
    this.#isLate = true;
    return error;
  }

  #reported(error: GatewayError): GatewayError {
    this.#list.report(error);
    return error;
  }

  async #pause({ signal }: CallContext): Promise<void> {
    for (
      let left = this.#pausedUntil - performance.now();
      left > 0;
      left = this.#pausedUntil - performance.now()
    ) {
      await sleep(left, undefined, { signal }).catch((error: unknown) => {
        throw upstreamFailure('ClientClosedRequest', error);
      });
    }
  }

  /** That there is no such page says nothing of the list itself; what takes too long is told with how far it has come. */
  #ofLaterPage(error: unknown, have: number): unknown {
    if (!(error instanceof GatewayError)) return error;
    if (error.code === 'NotFound')
      return this.#pages === 0 ? error : badResponse('there is no such page of the list');
    if (!TEMPORARY.has(error.code)) return error;
    const own: Progress = { rows: have, pages: this.#pages, total: this.#total };
    const came = this.#list.joint?.progress ?? own;
    if (this.#isLate) return tooSlowList(came, error);
    const message = `${error.message} ${progress(came)}.`;
    return new GatewayError(error.code, message, { cause: error.cause, headers: error.headers });
  }
}

/** No entity is found by what cannot be a value of the upstream's. */
const NOTHING: FetchedPage = {
  rows: [],
  length: 0,
  version: undefined,
  bytes: 0,
  signs: NO_SIGNS,
  headers: undefined,
  sent: '',
};

const TIME_IS_OVER = new Error('the time for the pages of the list is over');

const TEMPORARY: ReadonlySet<string> = new Set(['UpstreamTimeout', 'UpstreamThrottled']);

function keyOf({ position, asked }: PageStep): string {
  return JSON.stringify([position, asked]);
}

/** What an upstream answers where there is no such page. */
function isRefusal(error: unknown): boolean {
  return error instanceof GatewayError && (error.code === 'NotFound' || error.code === 'UpstreamBadResponse');
}

/** Less is no pause. */
const LEAST = 50;

/**
 * Milliseconds after which the upstream wants to be asked again (RFC 9110, 10.2.3); undefined where it says no such
 * thing.
 */
function retryDelay(error: unknown): number | undefined {
  if (!(error instanceof GatewayError) || !PAUSING.has(error.code)) return undefined;
  const said = error.headers['retry-after'];
  if (said === undefined) return undefined;
  const seconds = Number(said);
  const delay = Number.isNaN(seconds) ? Date.parse(said) - Date.now() : seconds * 1_000;
  return Number.isNaN(delay) ? undefined : Math.max(LEAST, delay);
}

const PAUSING: ReadonlySet<string> = new Set(['UpstreamThrottled', 'UpstreamUnavailable']);
