import type { CollectionSnapshot, ListPart } from '../../contract/entity-source.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { MemoryReservation } from '../../contract/memory-allowance.ts';
import { type Rows, rowsBetween } from '../../contract/row.ts';
import { tooManyExports } from './exports.ts';
import { joinedRows } from './joint-reading.ts';
import { KnownKeys } from './known-keys.ts';
import { countedTotal, credibleTotal, isScrolling, type NextPage, pageAfter, totalOf } from './next-page.ts';
import type { FetchedPage, PagedList, PageFetcher } from './page-fetcher.ts';
import { digestOf, marksAfter } from './page-marks.ts';
import {
  type LearnedPosition,
  type PageMark,
  type PageStep,
  readPosition,
  writePosition,
} from './page-position.ts';
import {
  doubtfulList,
  endedEarly,
  endlessList,
  ignoredPosition,
  incompleteList,
  MOST_PAGES,
  type Progress,
  refusedList,
  tooLongList,
} from './paging-errors.ts';
import { parameterOf, sizeFor, stepFromBeginning } from './paging-strategy.ts';
import type { ShownPages } from './shown-pages.ts';
import { strategiesOf } from './strategies.ts';

/** The pages show that the list changed while they were read. */
export class ListHasChanged extends Error {
  /** Number of the key that came twice; undefined for any other change. */
  readonly repeated: number | undefined;
  readonly progress: Progress;
  /** A sink has taken rows of the list: it cannot be read once more. */
  readonly isPassedOn: boolean;

  constructor(progress: Progress, isPassedOn: boolean, repeated?: number) {
    super('the list changed while its pages were read');
    this.progress = progress;
    this.isPassedOn = isPassedOn;
    this.repeated = repeated;
  }
}

/** The circumstances of one walk. */
interface WalkOptions {
  /** Number of a key that came twice in an earlier walk. */
  readonly repeated: number | undefined;
  /** Counts the list as one that is passed on; false if the user has as many of them as may be. */
  readonly beginExport: () => boolean;
  /** Holds the keys and the pages of a list that is passed on. */
  readonly memory: MemoryReservation | undefined;
}

/** A key that came twice in an earlier walk, and the first row that has it in this one. */
interface WatchedKey {
  readonly key: number;
  row: string | undefined;
}

/** One read of a list, from page to page. */
export class PageWalk {
  readonly #list: PagedList;
  readonly #part: ListPart | undefined;
  readonly #fetcher: PageFetcher;
  readonly #wanted: number;
  readonly #options: WalkOptions;
  #watched: WatchedKey | undefined;
  #rows: Rows[] = [];
  #pages: PastPage[] = [];
  #count = 0;
  readonly #identities = new Set<string>();
  readonly #positions = new Set<string>();
  #keys: KnownKeys | undefined;
  #hasUniqueKeys = true;
  #have = 0;
  #came = 0;
  /** Number of rows that the sieve has left of the last page: they are what is dropped of a page. */
  #sieved = 0;
  #bytes = 0;
  /** Bytes of the rows that are kept. */
  #heldBytes = 0;
  readonly #begunAt = performance.now();
  /** The sink has taken rows. */
  #isPassedOn = false;
  /** Length of the list that was reported to the sink. */
  #reportedTotal: number | undefined;
  /** The position of the last of the wanted rows, if that is where the list goes on. */
  #peeked: PageStep | undefined;
  /** The memory that is held for the rows that the sink was given last, and for those behind them. */
  #taken: readonly MemoryReservation[] = [];
  #pending: MemoryReservation[] = [];
  #keyBytes = 0;
  #learned: LearnedPosition | undefined;
  #marks: readonly PageMark[] = [];
  /** Identity of the first page that an earlier request read. */
  #firstOfAll: string | undefined;
  #total: number | undefined;
  #shown: ShownPages | undefined;
  /** Length of the page before a probe. */
  #probed: number | undefined;

  constructor(list: PagedList, part: ListPart | undefined, fetcher: PageFetcher, options: WalkOptions) {
    this.#list = list;
    this.#part = part;
    this.#fetcher = fetcher;
    this.#wanted = part?.top ?? Number.POSITIVE_INFINITY;
    this.#options = options;
    this.#watched = watchedKey(options.repeated);
  }

  get #isCounting(): boolean {
    return this.#part?.counted === true;
  }

  /** Number of items that may have to be read: counting needs all of them until a total is known. */
  get #needed(): number {
    return this.#isCounting && this.#total === undefined ? Number.POSITIVE_INFINITY : this.#wanted;
  }

  /** Number of pages that may be requested ahead: few, if the read may be over at any page. */
  get #ahead(): number {
    // The page behind the next one waits until the sink has taken its rows.
    if (this.#isPassedOn && this.#list.sink?.isPaced === true) return 0;
    return this.#mayEndEarly ? Math.min(AT_ONCE, Math.floor(this.#count / 4)) : AT_ONCE;
  }

  get #mayEndEarly(): boolean {
    const { sieve } = this.#part ?? {};
    return sieve !== undefined && sieve.isEndless !== true;
  }

  get #progress(): Progress {
    return { rows: this.#came, pages: this.#count, total: this.#total };
  }

  async toEnd(): Promise<CollectionSnapshot> {
    let step = this.#begin();
    for (;;) {
      const page = await this.#fetcher.fetch(step, this.#came);
      const next = await this.#reported(() =>
        page === undefined ? this.#endAt(step) : this.#advance(step, page),
      );
      if (next.kind === 'end') {
        this.#assertReportedTotal();
        return this.#result(undefined);
      }
      if (next.kind === 'enough') return this.#result(next.step);
      step = next.step;
    }
  }

  async #reported<Result>(run: () => Promise<Result>): Promise<Result> {
    try {
      return await run();
    } catch (error) {
      if (error instanceof GatewayError && error.cause !== undefined) this.#list.report(error);
      throw error;
    }
  }

  #begin(): PageStep {
    const part = this.#part;
    if (part?.from === undefined) return firstStep(this.#list, part);
    const { step, learned, marks } = readPosition(part.from);
    this.#learned = learned;
    this.#marks = marks;
    this.#firstOfAll = learned.identity;
    return { ...step, drop: step.drop + part.skip };
  }

  /** Takes the wanted rows of a page, and finds what to request next. */
  async #advance(step: PageStep, page: FetchedPage): Promise<Advance> {
    const { paging } = this.#list;
    if (this.#isMisplaced(step, page))
      return { kind: 'page', step: stepFromBeginning(paging, this.#part?.skip ?? 0, this.#part?.top) };
    if (await this.#isFirstAgain(step, page))
      return { kind: 'page', step: { ...step, position: { kind: 'page', number: 2 } } };
    if (this.#isRepeatedProbe(step, page)) return this.#endAt(step);
    const learned = await this.#withFirst(this.#learn(step, page));
    this.#assertProgress(step, page);
    if (this.#marks.length > 0) this.#mark(step, page);
    await this.#assertUnchanged(step, page);
    await this.#notice(step, page, learned);
    // A larger page has the rows of the page before it, too.
    if (step.position.kind === 'larger') this.#part?.sieve?.restart?.();
    const { rows, isEnough } = (await this.#part?.sieve?.take(page.rows)) ?? {
      rows: page.rows,
      isEnough: false,
    };
    const rest = this.#take(step, page, rows);
    if (isEnough) return { kind: 'end' };
    if (this.#peeked !== undefined) return this.#stopAt(this.#peeked, step, page);
    if (rest !== undefined && !this.#isCounting) return this.#stopAt(rest, step, page);
    const next = await this.#withoutNeedlessProbe(step, page, pageAfter(this.#list, step, page, learned));
    if (this.#isCounting) {
      this.#total = countedTotal(paging, step, page, next);
      const isProbe = next.kind === 'page' && next.isProbe;
      if (this.#total === undefined && paging.tells.total && !isProbe) return { kind: 'end' };
    }
    return this.#proceed(step, page, next);
  }

  async #proceed(step: PageStep, page: FetchedPage, next: NextPage): Promise<Advance> {
    const isFull = this.#have >= this.#wanted && (!this.#isCounting || this.#total !== undefined);
    if (next.kind === 'end') return { kind: 'end' };
    if (next.kind === 'unknown') {
      if (isFull && this.#part?.mayBeShort === false) return { kind: 'end' };
      throw this.#incomplete(step, page);
    }
    const following = this.#following(step, page, next);
    if (this.#marks.length === 0) this.#mark(step, page);
    const mayStop = this.#part?.mayBeShort === true && this.#have > 0 && !next.isProbe;
    if (isFull || mayStop) return { kind: 'enough', step: following };
    if (this.#count === 1) {
      this.#assertReadable(step, page);
      if (this.#list.sink !== undefined) await this.#watch(page);
    }
    if (this.#isLong() && this.#mayPassOn()) await this.#passOn(page);
    this.#probed = next.isProbe ? page.length : undefined;
    const end = (this.#part?.skip ?? 0) + this.#needed;
    await this.#fetcher.expect({ step, page, following, next, end, most: this.#ahead });
    return { kind: 'page', step: following };
  }

  /** Stops within a page. */
  #stopAt(rest: PageStep, step: PageStep, page: FetchedPage): Advance {
    if (this.#marks.length === 0) this.#mark(step, page);
    return { kind: 'enough', step: rest };
  }

  /** A refused probe: nothing is behind the page before it, unless it was for a larger page. */
  async #endAt(step: PageStep): Promise<Advance> {
    if (step.position.kind === 'larger') throw doubtfulList(this.#list.paging, this.#came);
    await this.#noticeWhole(step);
    if (this.#isCounting) this.#total = step.before;
    return { kind: 'end' };
  }

  #incomplete({ before }: PageStep, page: FetchedPage): Error {
    const { paging } = this.#list;
    const { length, signs } = page;
    const came = before + length;
    const total = this.#learned?.total;
    if (total !== undefined && total > came) {
      // A total that has shrunk is the sign of rows that were deleted, and made others move.
      if ((totalOf(page)?.count ?? total) < total)
        return new ListHasChanged(this.#progress, this.#isPassedOn);
      return length === 0 ? endedEarly(total, came) : incompleteList(paging, total, came);
    }
    const isDoubtful = signs.more === undefined && signs.next.length === 0;
    return isDoubtful ? doubtfulList(paging, came) : incompleteList(paging, undefined, came);
  }

  /**
   * Whether a page that was requested by its number, past others, may be another one than expected: the server has to have
   * the page size that was requested.
   */
  #isMisplaced({ position, before, size }: PageStep, page: FetchedPage): boolean {
    const isJump = this.#learned === undefined && position.kind === 'page' && before > 0;
    if (!isJump || page.length === size || page.length === 0) return false;
    return page.signs.total?.count !== before + page.length;
  }

  /** Whether the page with the number 1 turns out to be the one that came without a number. */
  async #isFirstAgain({ position }: PageStep, { signs: { identity } }: FetchedPage): Promise<boolean> {
    const learned = this.#learned;
    if (learned === undefined || learned.first !== undefined) return false;
    if (position.kind !== 'page' || position.number !== 1) return false;
    const isSame = identity !== undefined && identity === learned.identity;
    this.#learned = { ...learned, first: isSame ? 1 : 0 };
    if (isSame) (await this.#shownPages()).first = 1;
    return isSame;
  }

  /** Whether an API without a page behind a short one gives that one again. */
  #isRepeatedProbe(step: PageStep, { signs: { identity } }: FetchedPage): boolean {
    const { isProbe, size, position, before } = step;
    // The rest of a page is read by requesting the page once more.
    if (this.#count === 0 && this.#marks[0]?.before === before) return false;
    if (!isProbe || size === undefined || identity === undefined || position.kind === 'larger') return false;
    const length = this.#pages.at(-1)?.length ?? this.#learned?.longest;
    return length !== size && this.#marks[0]?.identity === digestOf(identity);
  }

  #learn(step: PageStep, page: FetchedPage): LearnedPosition {
    const { position, before } = step;
    const { length, signs } = page;
    const earlier = this.#learned;
    const declared = parameterOf(this.#list.paging, 'page')?.first;
    const own = position.kind === 'first' && before === 0 ? signs.page : undefined;
    const first = declared ?? (own === 0 || own === 1 ? own : undefined);
    const total = credibleTotal(this.#list.paging, step, page);
    this.#learned = {
      longest: Math.max(earlier?.longest ?? 0, length),
      first: earlier === undefined ? first : earlier.first,
      identity: earlier === undefined ? signs.identity : earlier.identity,
      total: total === undefined ? earlier?.total : Math.max(total, earlier?.total ?? 0),
      hadList: earlier?.hadList === true || signs.hasList,
    };
    return this.#learned;
  }

  /** Completes an unknown number of the first page by that of an earlier read. */
  async #withFirst(learned: LearnedPosition): Promise<LearnedPosition> {
    if (learned.first !== undefined || parameterOf(this.#list.paging, 'page') === undefined) return learned;
    const { first } = await this.#shownPages();
    if (first !== undefined) this.#learned = { ...learned, first };
    return this.#learned ?? learned;
  }

  /** An upstream that repeats a page, for whatever position, would do so forever. */
  #assertProgress(step: PageStep, { signs: { identity } }: FetchedPage): void {
    const isScroll = isScrolling(this.#list.paging, step.position) && identity !== undefined;
    const place = isScroll ? undefined : shortened(JSON.stringify(step.position));
    const isKnown =
      identity !== undefined &&
      step.position.kind !== 'larger' &&
      (this.#identities.has(shortened(identity)) || this.#isFirstOfAll(step, identity));
    if ((place !== undefined && this.#positions.has(place)) || isKnown) throw this.#repeated(step, identity);
    if (place !== undefined) this.#positions.add(place);
    if (identity !== undefined) this.#identities.add(shortened(identity));
  }

  /** The error for a page that came before. */
  #repeated({ position, before, isLinked }: PageStep, identity: string | undefined): GatewayError {
    const isFirst = identity !== undefined && identity === this.#learned?.identity;
    const isOfParameter = 'number' in position || 'value' in position;
    if (isFirst && isOfParameter && !isLinked)
      return ignoredPosition(this.#total ?? this.#learned?.total, before);
    // Earlier requests have received the rows before.
    const earlier = Math.max(0, before - this.#came);
    return endlessList({ ...this.#progress, rows: this.#came + earlier, isContinued: earlier > 0 });
  }

  /** Marks the page, by which later requests recognize it. */
  #mark(step: PageStep, { signs: { identity } }: FetchedPage): void {
    const isScroll = isScrolling(this.#list.paging, step.position) && identity !== undefined;
    const marks = marksAfter(this.#marks, step, identity, isScroll);
    if (marks === undefined) throw this.#repeated(step, identity);
    this.#marks = marks;
  }

  /** Whether a later page that is requested by its number is the one that an earlier request began with. */
  #isFirstOfAll({ position, before }: PageStep, identity: string): boolean {
    const isNumbered = position.kind === 'page' || position.kind === 'offset';
    return isNumbered && before > 0 && identity === this.#firstOfAll;
  }

  /** Throws if a row of the page came before: rows were inserted or deleted meanwhile, or have been sorted anew. */
  async #assertUnchanged(step: PageStep, page: FetchedPage): Promise<void> {
    const [first] = this.#pages;
    if (!this.#hasUniqueKeys) return;
    if (first !== undefined) this.#keys ??= this.#keysOf(first);
    const known = this.#keys;
    const from = step.position.kind === 'larger' ? (first?.length ?? 0) : 0;
    const { keys } = page.signs;
    const watched = this.#watched;
    if (keys !== undefined && watched !== undefined)
      watched.row ??= rowText(page.rows, keys.indexOf(watched.key));
    if (known === undefined || keys === undefined) return;
    await this.#holdKeys(known.sizeWith(keys.length - from));
    const repeated = known.add(keys, from);
    if (repeated === undefined) return;
    const key = keys[repeated] ?? Number.NaN;
    const isWithin = keys.indexOf(key) < repeated;
    const isWatched = watched?.key === key && watched.row !== undefined;
    const isDifferent = isWatched && rowText(page.rows, repeated) !== watched.row;
    const shown = await this.#shownPages();
    if (isWithin || isDifferent) shown.hasEqualKeys = true;
    if (this.#isPassedOn) shown.repeatedKey = key;
    if (!shown.hasEqualKeys) throw new ListHasChanged(this.#progress, this.#isPassedOn, key);
    this.#hasUniqueKeys = false;
    this.#keys = undefined;
  }

  /** Watches the key that came twice in a list that an earlier request had passed on. */
  async #watch({ rows, signs: { keys } }: FetchedPage): Promise<void> {
    this.#watched ??= watchedKey((await this.#shownPages()).repeatedKey);
    if (this.#watched !== undefined && keys !== undefined)
      this.#watched.row ??= rowText(rows, keys.indexOf(this.#watched.key));
  }

  /** Holds memory for the keys of a list that is passed on: they are all that is left of it. */
  async #holdKeys(bytes: number): Promise<void> {
    if (!this.#isPassedOn || bytes <= this.#keyBytes) return;
    await this.#options.memory?.take(bytes - this.#keyBytes);
    this.#keyBytes = bytes;
  }

  /** The keys of the first page; undefined if they are not unique, and cannot show a change. */
  #keysOf({ keys }: PastPage): KnownKeys | undefined {
    const known = new KnownKeys();
    this.#hasUniqueKeys = keys !== undefined && known.add(keys, 0) === undefined;
    return this.#hasUniqueKeys ? known : undefined;
  }

  /** Takes note of what the page shows of others. */
  async #notice(step: PageStep, { length }: FetchedPage, { longest }: LearnedPosition): Promise<void> {
    if (!step.isProbe || this.#probed === undefined || step.position.kind === 'larger') return;
    if (length === 0) await this.#noticeWhole(step);
    else if (this.#probed < longest) (await this.#shownPages()).hasGaps = true;
  }

  async #noticeWhole({ before }: PageStep): Promise<void> {
    if (this.#count === 1 && this.#probed === before) (await this.#shownPages()).addWhole(before);
  }

  async #shownPages(): Promise<ShownPages> {
    this.#shown ??= await this.#list.shown();
    return this.#shown;
  }

  /** A short first page is the end of the list without another request, if the API has shown that. */
  async #withoutNeedlessProbe(step: PageStep, { length }: FetchedPage, next: NextPage): Promise<NextPage> {
    const isFirst = step.position.kind === 'first' && step.before === 0;
    if (next.kind !== 'page' || !next.isProbe || !isFirst) return next;
    if (length >= (step.size ?? Number.POSITIVE_INFINITY) || next.position.kind === 'larger') return next;
    return (await this.#shownPages()).isWhole(length) ? { kind: 'end' } : next;
  }

  /** Keeps the wanted rows of a page. Returns the rest of the page, if it has more. */
  #take(step: PageStep, page: FetchedPage, rows: Rows): PageStep | undefined {
    this.#came += page.length;
    this.#sieved = rows.length;
    const end = Math.min(rows.length, step.drop + this.#wanted - this.#have);
    this.#have += Math.max(0, end - step.drop);
    if (this.#part?.isPeeking === true && this.#have >= this.#wanted)
      this.#peeked = { ...step, drop: end - 1 };
    this.#bytes += page.bytes;
    const { length, version, signs } = page;
    this.#pages.push({ length, version, keys: this.#count === 0 ? signs.keys : undefined });
    this.#count += 1;
    const kept = length === 0 ? 0 : Math.ceil((page.bytes * rows.length) / length);
    this.#heldBytes += kept;
    if (page.memory !== undefined) {
      // A sieve lets go of the rows that it does not take.
      if (rows !== page.rows) page.memory.settle(kept);
      this.#pending.push(page.memory);
    }
    this.#rows.push(rowsBetween(rows, Math.min(step.drop, rows.length), end));
    if (!this.#isCounting) this.#total ??= credibleTotal(this.#list.paging, step, page);
    this.#assertWithin(page);
    this.#list.joint?.add(page.length, page.bytes);
    return end < rows.length ? { ...step, drop: end } : undefined;
  }

  /** The list is held as a whole: no sink takes its rows. */
  get #isHeld(): boolean {
    const { sink } = this.#list;
    return sink === undefined || (sink.needsTotal === true && this.#total === undefined);
  }

  #assertWithin({ bytes }: FetchedPage): void {
    const { limits } = this.#list;
    const isHeld = this.#isHeld;
    const most = isHeld ? limits.rows : limits.exportRows;
    const held = isHeld ? this.#bytes : bytes;
    const pages = isHeld ? MOST_PAGES : MOST_PAGES + this.#came;
    if (this.#came > most || held > limits.bytes || this.#count > pages)
      throw tooLongList(this.#progress, held, limits, !isHeld);
  }

  /** Throws if the total on the first page is beyond what may be read of the list. */
  #assertReadable({ before, drop, size = 0 }: PageStep, { length }: FetchedPage): void {
    const { limits } = this.#list;
    const isHeld = this.#isHeld;
    const total = this.#learned?.total;
    if (total === undefined || this.#mayEndEarly || length === 0) return;
    const rows = Math.min(total - before, drop + this.#needed);
    const pages = Math.ceil(rows / Math.max(length, size));
    const isTooLong = isHeld ? rows > limits.rows || pages > MOST_PAGES : rows > limits.exportRows;
    if (isTooLong) throw refusedList(rows, pages, limits, !isHeld);
  }

  /** Whether enough rows have come, or enough time has passed, for the sink to take them. */
  #isLong(): boolean {
    const { sink, limits } = this.#list;
    if (sink === undefined) return false;
    if (this.#isPassedOn) return true;
    const isLate = performance.now() - this.#begunAt > limits.time / 2;
    return (
      isLate ||
      this.#came >= limits.rows ||
      this.#have >= Math.min(LONG_ROWS, limits.rows) ||
      this.#heldBytes >= Math.min(LONG_BYTES, limits.bytes)
    );
  }

  /** Throws if the list does not have the length that was reported to its sink. */
  #assertReportedTotal(): void {
    const skipped = this.#part?.skip ?? 0;
    const isCut = this.#have >= this.#wanted;
    const isOther = isCut
      ? this.#have + skipped > (this.#reportedTotal ?? 0)
      : this.#have + skipped !== this.#reportedTotal;
    if (this.#list.sink?.needsTotal === true && this.#reportedTotal !== undefined && isOther)
      throw new ListHasChanged(this.#progress, this.#isPassedOn);
  }

  /** Whether the list counts as one that is passed on. If it does not, it is held as long as that is possible. */
  #mayPassOn(): boolean {
    if (this.#isPassedOn) return true;
    if (this.#isHeld) return false;
    if (this.#options.beginExport()) return true;
    const { limits } = this.#list;
    if (this.#came >= limits.rows || this.#heldBytes >= limits.bytes) throw tooManyExports(limits);
    return false;
  }

  /** Gives the sink the rows that have come. None of the list is kept from now on but its keys. */
  async #passOn({ length }: FetchedPage): Promise<void> {
    this.#isPassedOn = true;
    const [rows, pending] = [this.#rows, this.#pending];
    this.#rows = [];
    this.#pending = [];
    const [first] = this.#pages;
    if (first !== undefined && this.#hasUniqueKeys) this.#keys ??= this.#keysOf(first);
    this.#pages = this.#pages.slice(-1);
    this.#reportedTotal ??= this.#total;
    await this.#list.sink?.put(joinedRows(rows), this.#total);
    // The consumer that takes these rows has finished with those before them.
    for (const part of this.#taken) this.#options.memory?.letGo(part);
    this.#taken = pending;
    // Pages without rows share the time of one.
    if (length > 0) this.#fetcher.beginPage();
  }

  #following(step: PageStep, page: FetchedPage, { position, isLinked, isProbe }: NextStep): PageStep {
    if (position.kind === 'larger') {
      const drop = Math.max(step.drop, this.#sieved);
      return { position, size: position.size, before: 0, drop, isLinked, isProbe };
    }
    const before = step.before + page.length;
    const drop = Math.max(0, step.drop - this.#sieved);
    const rest = this.#needed - this.#have + drop;
    const isShorter = position.kind === 'offset' && Number.isFinite(rest);
    const size = isShorter ? sizeFor(this.#list.paging, rest) : step.size;
    return { position, size, before, drop, isLinked, isProbe };
  }

  #result(next: PageStep | undefined): CollectionSnapshot {
    return {
      data: joinedRows(this.#rows),
      version: this.#isPassedOn
        ? undefined
        : this.#list.versions.of(this.#pages.map(({ version }) => version)),
      total: this.#total,
      next: this.#continuation(next),
    };
  }

  #continuation(step: PageStep | undefined): string | undefined {
    const learned = this.#learned;
    const hasNext = this.#part?.mayBeShort === true || this.#part?.isPeeking === true;
    if (step === undefined || learned === undefined || !hasNext) return undefined;
    return writePosition({ step, learned, marks: this.#marks });
  }
}

/** The outcome of a page: the list is at its end, it has given all that is wanted, or another page follows. */
type Advance = { readonly kind: 'end' } | { readonly kind: 'enough' | 'page'; readonly step: PageStep };

/** The parts of an earlier page that later ones are compared with. The first page has keys. */
interface PastPage extends Pick<FetchedPage, 'length' | 'version'> {
  readonly keys: Float64Array | undefined;
}

type NextStep = Extract<NextPage, { kind: 'page' }>;

/** A text, or its digest if the text is long. */
function shortened(text: string): string {
  return text.length > LONGEST_TEXT ? digestOf(text) : text;
}

const LONGEST_TEXT = 64;

function watchedKey(key: number | undefined): WatchedKey | undefined {
  return key === undefined ? undefined : { key, row: undefined };
}

/** The text of a row, as far as its properties were requested; undefined if there is no such row. */
function rowText(rows: Rows, index: number): string | undefined {
  if (index < 0) return undefined;
  const row: unknown = Iterator.from(rows).drop(index).next().value;
  return JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}

/** The rows, and the bytes of pages, from which on a list is long: it is passed on while the rest is read. */
const LONG_ROWS = 1_000;
const LONG_BYTES = 4_194_304;

/** Pages that are requested concurrently if their numbers are known. */
const AT_ONCE = 4;

/** Number of items that suffices to see whether the total beside them can be that of the list. */
const COUNTED = 20;

/** The first request for a list, or for a part of it. */
function firstStep({ paging }: PagedList, part: ListPart | undefined): PageStep {
  const { skip = 0, top, counted = false } = part ?? {};
  // Counting begins at the beginning, and reads all of the list if its answers have no total.
  if (counted)
    return stepFromBeginning(paging, skip, paging.tells.total ? Math.max(COUNTED, top ?? 0) : undefined);
  if (skip === 0) return stepFromBeginning(paging, skip, top);
  for (const { jump } of strategiesOf(paging).toReversed()) {
    const step = jump?.(paging, skip, top);
    if (step !== undefined) return step;
  }
  return stepFromBeginning(paging, skip, top);
}
