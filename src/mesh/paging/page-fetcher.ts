import { setTimeout as sleep } from 'node:timers/promises';
import type { CallContext } from '../../contract/exchange.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import { badResponse, upstreamFailure } from '../exchange/upstream-failure.ts';
import { believedTotal, type NextPage } from './next-page.ts';
import { type PageStep, pageRequest } from './page-position.ts';
import { NO_SIGNS } from './page-signs.ts';
import { type FetchedPage, type PagedList, type Progress, progress, tooSlowList } from './paged-list.ts';

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

/** Milliseconds after which the upstream wants to be asked again (RFC 9110, 10.2.3); undefined where it says no such thing. */
function retryDelay(error: unknown): number | undefined {
  if (!(error instanceof GatewayError) || !PAUSING.has(error.code)) return undefined;
  const said = error.headers['retry-after'];
  if (said === undefined) return undefined;
  const seconds = Number(said);
  const delay = Number.isNaN(seconds) ? Date.parse(said) - Date.now() : seconds * 1_000;
  return Number.isNaN(delay) ? undefined : Math.max(LEAST, delay);
}

const PAUSING: ReadonlySet<string> = new Set(['UpstreamThrottled', 'UpstreamUnavailable']);
