import { setTimeout as sleep } from 'node:timers/promises';
import type { RowSink } from '../../contract/entity-source.ts';
import type { CallContext } from '../../contract/exchange.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { MemoryReservation } from '../../contract/memory-allowance.ts';
import type { Rows } from '../../contract/row.ts';
import type { PageLimits } from '../../core/request-limits.ts';
import type { Paging } from '../../model/operation.ts';
import { badResponse, upstreamFailure } from '../exchange/upstream-failure.ts';
import type { Exports } from './exports.ts';
import type { JointReading, JointVersions } from './joint-reading.ts';
import { credibleTotal, type NextPage, type PageRequest, pageRequest } from './next-page.ts';
import { MOST_TRIES, pauseAfter } from './page-pause.ts';
import type { PageStep } from './page-position.ts';
import { NO_SIGNS } from './page-signs.ts';
import { meteredList, type Progress, progressText, tooSlowList } from './paging-errors.ts';
import type { PageAnswer, PagePlace } from './paging-strategy.ts';
import type { ShownPages } from './shown-pages.ts';

/** A list that may come in pages. */
export interface PagedList {
  readonly paging: Paging;
  readonly place: PagePlace;
  readonly limits: PageLimits;
  readonly versions: JointVersions;
  readonly exports: Exports;
  /** The read of several lists that this one belongs to. */
  readonly joint?: JointReading | undefined;
  /** Takes the rows of a long list while it is read. */
  readonly sink?: RowSink | undefined;
  /** Requests one page; undefined if the request has a value that the upstream's parameters cannot have. */
  readonly fetch: (request: PageRequest, call: CallContext) => Promise<FetchedPage | undefined>;
  /** Finds the milliseconds in which the limits of the API allow so many requests more, for a list with that many. */
  readonly forecast?: (requests: number) => Promise<(requests: number) => number>;
  /** Finds the facts that the API has shown about the pages of this operation. */
  readonly shown: () => Promise<ShownPages>;
  /** Logs a fault of the upstream. */
  readonly report: (error: unknown) => void;
}

export interface FetchedPage extends PageAnswer {
  readonly rows: Rows;
  readonly version: number | undefined;
  /** Size of the answer. */
  readonly bytes: number;
  /** The memory that is held for the answer, if the rows are passed on to a sink. */
  readonly memory?: MemoryReservation | undefined;
}

/** The pages that are expected behind one. */
interface ExpectedPages {
  readonly step: PageStep;
  readonly page: FetchedPage;
  readonly following: PageStep;
  readonly next: Extract<NextPage, { kind: 'page' }>;
  /** Number of rows of the list that are needed. */
  readonly end: number;
  /** Maximum number of requests. */
  readonly most: number;
}

/** Requests the pages of one list, some of them ahead, and pauses when the upstream is throttling. */
export class PageFetcher {
  readonly #list: PagedList;
  readonly #call: CallContext;
  #end: number;
  readonly #ahead = new Map<string, Promise<FetchedPage>>();
  #givenUp: AbortController | undefined;
  #timeIsOver: AbortSignal | undefined;
  #pages = 0;
  #isLate = false;
  #isPassedOn = false;
  #total: number | undefined;
  /** The end of the pause, by the clock of `performance.now()`. */
  #pausedUntil = 0;

  /** `end`: the end of the time for all pages, by the clock of `performance.now()`. */
  constructor(list: PagedList, call: CallContext, end: number) {
    this.#list = list;
    this.#call = call;
    this.#end = end;
  }

  /** No page of this list, or of those that are read with it, was read before. */
  get #isFirst(): boolean {
    return this.#pages === 0 && this.#list.joint === undefined;
  }

  /** The page, when `have` rows have come; undefined if the page was a probe, and the upstream has no such page. */
  async fetch(step: PageStep, have: number): Promise<FetchedPage | undefined> {
    const key = keyOf(step);
    const expected = this.#ahead.get(key);
    this.#ahead.delete(key);
    try {
      const page = await (expected?.catch((error: unknown) => this.#loadAgain(step, error)) ??
        this.#load(step, this.#call));
      this.#pages += 1;
      return page;
    } catch (error) {
      if (step.isProbe && isNothingThere(error)) return undefined;
      throw this.#isFirst ? error : this.#ofLaterPage(error, have);
    }
  }

  /**
   * Requests the pages behind the next one if their numbers are known: by page or by offset, for a list with a total. Each
   * is looked at in its turn, as if it had been requested then.
   */
  async expect({ step, page, following, next: { isLinked }, end, most }: ExpectedPages): Promise<void> {
    const total = credibleTotal(this.#list.paging, step, page);
    this.#total ??= total;
    if (total !== undefined && this.#pages === 1)
      await this.#assertInTime(Math.min(total, end) - following.before, page.length);
    const { position, size } = following;
    const isKnown = position.kind === 'page' || position.kind === 'offset';
    if (isLinked || !isKnown || total === undefined || size === undefined || page.length === 0) return;
    for (let index = 0; index < most; index += 1) {
      const before = following.before + index * page.length;
      if (before >= total || before + page.length > end) return;
      const number = position.number + (position.kind === 'page' ? index : index * page.length);
      const expected: PageStep = { ...following, before, position: { kind: position.kind, number } };
      const key = keyOf(expected);
      if (this.#ahead.has(key)) continue;
      this.#ahead.set(key, this.#loadAhead(expected));
    }
  }

  /** Gives the next page of a list that is passed on all of the time. Its answer is not remembered. */
  beginPage(): void {
    this.#end = performance.now() + this.#list.limits.time;
    this.#timeIsOver = undefined;
    this.#isPassedOn = true;
  }

  /** Refuses a list whose other pages take longer than there is time for, by the limits of the API. */
  async #assertInTime(rows: number, pageSize: number): Promise<void> {
    const { sink } = this.#list;
    const requests = Math.ceil(rows / Math.max(1, pageSize));
    if (requests <= 0) return;
    const forecast = await this.#list.forecast?.(requests);
    const time = this.#end - performance.now();
    const expected = { requests, time, isPassedOn: sink !== undefined };
    if (forecast !== undefined) assertInTime(forecast, `${requests} more pages`, expected);
  }

  /** Cancels the requests that were made ahead. */
  close(): void {
    this.#givenUp?.abort();
    this.#givenUp = undefined;
    this.#ahead.clear();
  }

  #loadAhead(step: PageStep): Promise<FetchedPage> {
    this.#givenUp ??= new AbortController();
    const signal = AbortSignal.any([this.#call.signal, this.#givenUp.signal]);
    const loading = this.#load(step, { ...this.#call, signal }, MOST_TRIES);
    // A failure counts only if the page is needed.
    loading.catch(() => undefined);
    return loading;
  }

  /** Requests a page once more that was refused when it was requested ahead. */
  #loadAgain(step: PageStep, error: unknown): Promise<FetchedPage> {
    this.#pauseFor(error, 1);
    return this.#load(step, this.#call, 2);
  }

  /** A first page has the time of any call; later ones share what is left for the list. */
  async #load(step: PageStep, call: CallContext, tries = 1): Promise<FetchedPage> {
    if (this.#isFirst) return (await this.#fetch(step, call)) ?? NOTHING;
    this.#timeIsOver ??= AbortSignal.timeout(Math.max(0, Math.ceil(this.#end - performance.now())));
    const signal = AbortSignal.any([call.signal, this.#timeIsOver]);
    try {
      return await this.#loadLater(step, { ...call, signal }, tries);
    } catch (error) {
      if (!this.#timeIsOver.aborted || call.signal.aborted) throw error;
      throw this.#late(this.#reported(upstreamFailure('UpstreamTimeout', TIME_IS_OVER)));
    }
  }

  async #fetch(step: PageStep, call: CallContext): Promise<FetchedPage | undefined> {
    const { paging, sink, fetch } = this.#list;
    const memory = sink && call.memory?.part();
    const own = sink === undefined ? call : { ...call, memory, isPassedOn: this.#isPassedOn };
    const page = await fetch(pageRequest(paging, step), own);
    return page && { ...page, memory };
  }

  /** Requests a page again after a pause, for as long as there is time. */
  async #loadLater(step: PageStep, call: CallContext, first: number): Promise<FetchedPage> {
    for (let tries = first; ; tries += 1) {
      await this.#pause(call);
      try {
        const page = await this.#fetch(step, call);
        if (page === undefined)
          throw this.#reported(badResponse('the position of the next page is no value of the parameter'));
        return page;
      } catch (error) {
        this.#pauseFor(error, tries);
      }
    }
  }

  /** Begins the pause after a refusal; throws the error if it is final, or the pause would take too long. */
  #pauseFor(error: unknown, tries: number): void {
    const delay = pauseAfter(error, tries);
    if (delay === undefined) throw error;
    if (performance.now() + delay > this.#end) throw this.#late(error);
    this.#pausedUntil = Math.max(this.#pausedUntil, performance.now() + delay);
  }

  /** The error, as one of all pages together. */
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

  /** The error of a later page, as one of the list: a missing page says nothing of the list itself. */
  #ofLaterPage(error: unknown, have: number): unknown {
    if (!(error instanceof GatewayError)) return error;
    if (error.code === 'NotFound')
      return this.#pages === 0 ? error : badResponse('there is no such page of the list');
    if (!TEMPORARY.has(error.code)) return error;
    const own: Progress = { rows: have, pages: this.#pages, total: this.#total };
    const came = this.#list.joint?.progress ?? own;
    if (this.#isLate) return tooSlowList(came, error);
    return error.with({ message: `${error.message} ${progressText(came)}.` });
  }
}

interface ExpectedRequests {
  readonly requests: number;
  /** In milliseconds. */
  readonly time: number;
  /** A list that is passed on while it is read has the time for each page. */
  readonly isPassedOn: boolean;
}

/** Refuses pages for which the limits of the API leave no time. */
export function assertInTime(
  forecast: (requests: number) => number,
  pages: string,
  { requests, time, isPassedOn }: ExpectedRequests,
): void {
  const wait = forecast(requests);
  if (wait === 0 || wait <= time) return;
  // The first page that waits, waits for the next window of the limit.
  let [none, some] = [0, requests];
  while (some - none > 1) {
    const middle = Math.floor((none + some) / 2);
    if (forecast(middle) === 0) none = middle;
    else some = middle;
  }
  if (!isPassedOn || forecast(some) > time) throw meteredList(pages, wait);
}

/** No entity is found by a value that the upstream's parameters cannot have. */
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

function keyOf({ position, size }: PageStep): string {
  return JSON.stringify([position, size]);
}

/** The statuses for a page behind the last one. All others, and answers that cannot be read, are failures. */
const NOTHING_THERE: ReadonlySet<number> = new Set([204, 400, 404, 410, 416, 422]);

function isNothingThere(error: unknown): boolean {
  return error instanceof GatewayError && error.refusal !== undefined && NOTHING_THERE.has(error.refusal);
}
