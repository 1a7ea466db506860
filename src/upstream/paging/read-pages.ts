import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { CollectionSnapshot, ListPart } from '../../contract/entity-source.ts';
import type { CallContext } from '../../contract/exchange.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import { type Row, type Rows, rowsBetween } from '../../contract/row.ts';
import { PAGE_LIMITS, type PageLimits } from '../../core/request-limits.ts';
import type { PageSize, PageWay, Paging } from '../../model/operation.ts';
import { allows, nearestAllowed } from '../../model/type-use.ts';
import { badResponse, upstreamFailure } from '../exchange/upstream-failure.ts';
import {
  believedTotal,
  countedTotal,
  FIRST_PAGE,
  type LearnedPosition,
  type NextPage,
  type PageAnswer,
  type PageMark,
  type PagePlace,
  type PagePosition,
  type PageRequest,
  type PageStep,
  pageAfter,
  pageRequest,
  readPosition,
  writePosition,
} from './next-page.ts';
import { NO_SIGNS } from './page-signs.ts';

/** All of a list, or the part of it that is wanted: never less than that without saying where it goes on. */
export async function readPages(
  list: PagedList,
  part: ListPart | undefined,
  call: CallContext,
): Promise<CollectionSnapshot> {
  const fetcher = new PageFetcher(list, call);
  try {
    return await new PageWalk(list, part, fetcher).toEnd();
  } finally {
    fetcher.close();
  }
}

/** One way through the pages of a list. */
class PageWalk {
  readonly #list: PagedList;
  readonly #part: ListPart | undefined;
  readonly #fetcher: PageFetcher;
  readonly #wanted: number;
  readonly #rows: Rows[] = [];
  readonly #versions: (number | undefined)[] = [];
  readonly #begun = new Set<string>();
  readonly #asked = new Set<string>();
  #have = 0;
  #came = 0;
  #bytes = 0;
  #learned: LearnedPosition | undefined;
  #mark: PageMark | undefined;
  /** What told the first page apart that an earlier request read. */
  #firstOfAll: string | undefined;
  #total: number | undefined;

  constructor(list: PagedList, part: ListPart | undefined, fetcher: PageFetcher) {
    this.#list = list;
    this.#part = part;
    this.#fetcher = fetcher;
    this.#wanted = part?.top ?? Number.POSITIVE_INFINITY;
  }

  get #isCounting(): boolean {
    return this.#part?.counted === true;
  }

  /** How many items may have to be read: whoever counts may need all, as long as nothing tells how many there are. */
  get #needed(): number {
    return this.#isCounting && this.#total === undefined ? Number.POSITIVE_INFINITY : this.#wanted;
  }

  /** Pages that may be asked for ahead: a read that may be over at any page asks for few that are not needed. */
  get #ahead(): number {
    return this.#part?.sieve === undefined
      ? AT_ONCE
      : Math.min(AT_ONCE, Math.floor(this.#versions.length / 4));
  }

  async toEnd(): Promise<CollectionSnapshot> {
    let step = this.#begin();
    for (;;) {
      const page = await this.#fetcher.fetch(step, this.#came);
      if (page !== undefined && this.#isFirstAgain(step, page)) {
        step = { ...step, position: { kind: 'page', number: 2 } };
        continue;
      }
      const { taken, isEnough } = await this.#sieved(page);
      const done =
        taken === undefined
          ? { kind: 'end' as const }
          : this.#reported(() => this.#advance(step, taken, isEnough));
      if (done.kind === 'end') return this.#result(undefined);
      if (done.kind === 'enough') return this.#result(done.next);
      step = done.next;
    }
  }

  #begin(): PageStep {
    const part = this.#part;
    if (part?.from === undefined) return firstStep(this.#list.paging, part);
    const { step, learned, mark } = readPosition(part.from);
    this.#learned = learned;
    this.#mark = mark;
    this.#firstOfAll = learned.identity;
    return { ...step, drop: step.drop + part.skip };
  }

  /** The page with the rows that the part's sieve takes. */
  async #sieved(
    page: FetchedPage | undefined,
  ): Promise<{ taken: FetchedPage | undefined; isEnough: boolean }> {
    const sieve = this.#part?.sieve;
    if (page === undefined || sieve === undefined) return { taken: page, isEnough: false };
    const { rows, isEnough } = await sieve.take(page.rows);
    return { taken: { ...page, rows }, isEnough };
  }

  /** Takes what is wanted of a page, and says what comes next. */
  #advance(step: PageStep, page: FetchedPage, isEnough: boolean): Advance {
    const { paging, place } = this.#list;
    const learned = this.#learn(step, page);
    this.#assertEnds(step, page);
    const rest = this.#take(step, page);
    if (isEnough) return { kind: 'end' };
    if (rest !== undefined && !this.#isCounting) return { kind: 'enough', next: rest };
    const next = pageAfter(paging, place, step, page, learned);
    if (this.#isCounting) this.#total = countedTotal(paging, step, page, next);
    if (this.#isCounting && this.#total === undefined && paging.tells.total) return { kind: 'end' };
    const isFull = this.#have >= this.#wanted && (!this.#isCounting || this.#total !== undefined);
    if (next.kind === 'end' || (next.kind === 'unknown' && isFull && this.#part?.mayBeShort === false))
      return { kind: 'end' };
    if (next.kind === 'unknown')
      throw incompleteList(believedTotal(paging, step, page), step.before + page.length);
    const following = this.#following(step, page, next);
    if (isFull || (this.#part?.mayBeShort === true && this.#have > 0))
      return { kind: 'enough', next: following };
    const end = (this.#part?.skip ?? 0) + this.#needed;
    this.#fetcher.expect({ step, page, following, next, end, most: this.#ahead });
    return { kind: 'page', next: following };
  }

  #reported<Result>(run: () => Result): Result {
    try {
      return run();
    } catch (error) {
      this.#list.report(error);
      throw error;
    }
  }

  /** Whether the page with the number 1 turns out to be the one that came without a number. */
  #isFirstAgain({ position }: PageStep, { signs: { identity } }: FetchedPage): boolean {
    const learned = this.#learned;
    if (learned === undefined || learned.first !== undefined) return false;
    if (position.kind !== 'page' || position.number !== 1) return false;
    const isSame = identity !== undefined && identity === learned.identity;
    this.#learned = { ...learned, first: isSame ? 1 : 0 };
    return isSame;
  }

  #learn({ position, before }: PageStep, { length, signs }: FetchedPage): LearnedPosition {
    if (this.#learned !== undefined) return this.#learned;
    const way = this.#list.paging.ways.find(({ kind }) => kind === 'page');
    const said = way?.kind === 'page' ? way.first : undefined;
    const told = position.kind === 'first' && before === 0 ? signs.page : undefined;
    const first = said ?? (told === 0 || told === 1 ? told : undefined);
    this.#learned = { length, first, identity: signs.identity };
    return this.#learned;
  }

  /** An upstream that gives a page again, whatever it is asked for, would do so forever. */
  #assertEnds(step: PageStep, { signs: { identity } }: FetchedPage): void {
    const place = JSON.stringify(step.position);
    const mark = markAfter(this.#mark, step);
    const isKnown =
      identity !== undefined && (this.#begun.has(identity) || this.#isFirstOfAll(step, identity));
    if (mark === 'again' || this.#asked.has(place) || isKnown) throw endlessList(this.#progress());
    this.#mark = mark;
    this.#asked.add(place);
    if (identity !== undefined) this.#begun.add(identity);
  }

  /** Whether a later page that is asked for by its number is the one that an earlier request began with. */
  #isFirstOfAll({ position, before }: PageStep, identity: string): boolean {
    const isNumbered = position.kind === 'page' || position.kind === 'offset';
    return isNumbered && before > 0 && identity === this.#firstOfAll;
  }

  /** Keeps what is wanted of a page. Says where the list goes on, where the page has more than that. */
  #take(step: PageStep, page: FetchedPage): PageStep | undefined {
    this.#came += page.length;
    const end = Math.min(page.rows.length, step.drop + this.#wanted - this.#have);
    this.#have += Math.max(0, end - step.drop);
    this.#bytes += page.bytes;
    this.#versions.push(page.version);
    this.#rows.push(rowsBetween(page.rows, Math.min(step.drop, page.rows.length), end));
    if (!this.#isCounting) this.#total ??= believedTotal(this.#list.paging, step, page);
    const tooLong = tooLongList(this.#progress(), this.#bytes, this.#list.limits);
    if (tooLong !== undefined) throw tooLong;
    this.#list.joint?.add(page.length, page.bytes);
    return end < page.rows.length ? { ...step, drop: end } : undefined;
  }

  #progress(): Progress {
    return { rows: this.#came, pages: this.#versions.length, total: this.#total };
  }

  #following(step: PageStep, page: FetchedPage, { position, isTold, isProbe }: NextStep): PageStep {
    const before = step.before + page.length;
    const drop = Math.max(0, step.drop - page.rows.length);
    const rest = this.#needed - this.#have + drop;
    const isShorter = position.kind === 'offset' && Number.isFinite(rest);
    const asked = isShorter ? askedFor(this.#list.paging.size, rest) : step.asked;
    return { position, asked, before, drop, isTold, isProbe };
  }

  #result(next: PageStep | undefined): CollectionSnapshot {
    return {
      data: joinedRows(this.#rows),
      version: this.#list.versions.of(this.#versions),
      total: this.#total,
      next: this.#goingOn(next),
    };
  }

  #goingOn(step: PageStep | undefined): string | undefined {
    const learned = this.#learned;
    if (step === undefined || learned === undefined || this.#part?.mayBeShort !== true) return undefined;
    return writePosition({ step, learned, mark: this.#mark });
  }
}

/** What becomes of the reading: the list is at its end, it has given all that is wanted, or a page follows. */
type Advance = { readonly kind: 'end' } | { readonly kind: 'enough' | 'page'; readonly next: PageStep };

type NextStep = Extract<NextPage, { kind: 'page' }>;

/** The mark after one more page; `again` where the page has been read before, with fewer items before it. */
function markAfter(
  mark: PageMark | undefined,
  { position, before }: PageStep,
): PageMark | 'again' | undefined {
  // Pages and offsets are numbers that grow.
  if (position.kind === 'first' || position.kind === 'page' || position.kind === 'offset') return mark;
  const digest = createHash('sha256').update(JSON.stringify(position)).digest('base64url').slice(0, 16);
  // What is left of a page is read by asking for the page once more.
  if (mark?.digest === digest) return mark.before === before ? mark : 'again';
  if (mark !== undefined && mark.passed + 1 < mark.span) return { ...mark, passed: mark.passed + 1 };
  return { digest, before, passed: 0, span: (mark?.span ?? 1) * 2 };
}

/** The items that are enough to see whether the number that is told beside them can be that of all. */
const COUNTED = 20;

/** What is asked for first where a list is wanted from its beginning, or a part of it. */
function firstStep(paging: Paging, part: ListPart | undefined): PageStep {
  const { skip = 0, top, counted = false } = part ?? {};
  // Whoever counts begins at the beginning; all of the list is read where its answers tell no number.
  if (counted)
    return fromBeginning(paging, skip, paging.tells.total ? Math.max(COUNTED, top ?? 0) : undefined);
  return atOffset(paging, skip, top) ?? atPage(paging, skip, top) ?? fromBeginning(paging, skip, top);
}

/** How many items to ask for, where so many are wanted: as the document allows it. */
function askedFor(size: PageSize | undefined, wanted: number | undefined): number | undefined {
  if (size === undefined) return undefined;
  const { largest, parameter } = size;
  return wanted === undefined || wanted === Number.POSITIVE_INFINITY
    ? largest
    : nearestAllowed(parameter.values, Math.max(1, wanted));
}

function fromBeginning({ size }: Paging, skip: number, top: number | undefined): PageStep {
  const asked = askedFor(size, top === undefined ? undefined : skip + top);
  return step(FIRST_PAGE, asked, 0, skip);
}

function step(position: PagePosition, asked: number | undefined, before: number, drop: number): PageStep {
  return { position, asked, before, drop, isTold: false, isProbe: false };
}

function atOffset({ ways, size }: Paging, skip: number, top: number | undefined): PageStep | undefined {
  const way = wayOf(ways, 'offset');
  if (skip === 0 || way === undefined || !allows(way.parameter.values, String(way.first + skip)))
    return undefined;
  return step({ kind: 'offset', number: way.first + skip }, askedFor(size, top), skip, 0);
}

/** Only where the document says how many items a page has, and which number the first one has. */
function atPage({ ways, size }: Paging, skip: number, top: number | undefined): PageStep | undefined {
  const way = wayOf(ways, 'page');
  const asked = size?.sure === true ? askedFor(size, top) : undefined;
  if (skip === 0 || way?.first === undefined || asked === undefined) return undefined;
  const pages = Math.floor(skip / asked);
  const number = way.first + pages;
  if (pages === 0 || !allows(way.parameter.values, String(number))) return undefined;
  return step({ kind: 'page', number }, asked, pages * asked, skip - pages * asked);
}

function wayOf<Kind extends PageWay['kind']>(
  ways: readonly PageWay[],
  kind: Kind,
): Extract<PageWay, { kind: Kind }> | undefined {
  return ways.find((way): way is Extract<PageWay, { kind: Kind }> => way.kind === kind);
}

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
function incompleteList(total: number | undefined, came: number): GatewayError {
  const message =
    total === undefined
      ? `The list has more than the ${came} rows that were received, and the document does not say how to ask for the rest.`
      : `The list has ${total} rows, ${came} came, and the document does not say how to ask for the rest.`;
  return new GatewayError('UpstreamIncomplete', message, { cause: new Error('the list is not whole') });
}

/** How far the reading of a list has come. */
interface Progress {
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
function tooLongList(came: Progress, bytes: number, limits: PageLimits): GatewayError | undefined {
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

/** All pages together have taken longer than they may. `last` is what came of the last of them. */
function tooSlowList(came: Progress, last: GatewayError): GatewayError {
  const { variable } = PAGE_LIMITS.time;
  const message = `${last.message} ${progress(came)}, in the time that a list is given (${variable}).`;
  return last.with({ message, limit: variable });
}

/** A page came again: an upstream that gives it whatever it is asked for would do so forever. */
function endlessList(came: Progress): GatewayError {
  const bad = badResponse('the pages of the list do not come to an end');
  const said = `The pages of the list do not come to an end: ${progress(came)}, and one of them came again.`;
  return bad.with({ message: `${bad.message} ${said}` });
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

/** The pages that are expected behind a page that has come. */
interface ExpectedPages {
  readonly step: PageStep;
  readonly page: FetchedPage;
  readonly following: PageStep;
  readonly next: NextStep;
  /** The most rows of the list that are needed. */
  readonly end: number;
  /** The most pages that are asked for. */
  readonly most: number;
}

/** Asks for the pages of one list, for some before their turn, and bears an upstream that wants a pause. */
class PageFetcher {
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
  expect({ step, page, following, next: { isTold }, end, most }: ExpectedPages): void {
    const { paging } = this.#list;
    const total = believedTotal(paging, step, page);
    this.#total ??= total;
    const { position, asked } = following;
    const isKnown = position.kind === 'page' || position.kind === 'offset';
    if (isTold || !isKnown || total === undefined || asked === undefined || page.length === 0) return;
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

  /**
   * The error of a later page as one of the list: a missing page says nothing of the list itself, and what takes too
   * long is told with how far it has come.
   */
  #ofLaterPage(error: unknown, have: number): unknown {
    if (!(error instanceof GatewayError)) return error;
    if (error.code === 'NotFound')
      return this.#pages === 0 ? error : badResponse('there is no such page of the list');
    if (!TEMPORARY.has(error.code)) return error;
    const own: Progress = { rows: have, pages: this.#pages, total: this.#total };
    const came = this.#list.joint?.progress ?? own;
    if (this.#isLate) return tooSlowList(came, error);
    return error.with({ message: `${error.message} ${progress(came)}.` });
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
