import type { CollectionSnapshot, ListPart } from '../../contract/entity-source.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import { type Rows, rowsBetween } from '../../contract/row.ts';
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
  incompleteList,
  MOST_PAGES,
  type Progress,
  tooLongList,
} from './paging-errors.ts';
import { parameterOf, sizeFor, stepFromBeginning } from './paging-strategy.ts';
import type { ShownPages } from './shown-pages.ts';
import { strategiesOf } from './strategies.ts';

/** The pages show that the list changed while they were read. */
export class ListHasChanged extends Error {
  /** Number of the key that came twice, with rows that differ; undefined for any other change. */
  readonly differing: number | undefined;
  readonly progress: Progress;

  constructor(progress: Progress, differing?: number) {
    super('the list changed while its pages were read');
    this.progress = progress;
    this.differing = differing;
  }
}

/** One read of a list, from page to page. */
export class PageWalk {
  readonly #list: PagedList;
  readonly #part: ListPart | undefined;
  readonly #fetcher: PageFetcher;
  readonly #wanted: number;
  /** A key that came twice in an earlier walk, too. */
  readonly #differing: number | undefined;
  readonly #rows: Rows[] = [];
  readonly #pages: PastPage[] = [];
  readonly #identities = new Set<string>();
  readonly #positions = new Set<string>();
  #keys: KnownKeys | undefined;
  #hasUniqueKeys = true;
  #have = 0;
  #came = 0;
  #bytes = 0;
  #learned: LearnedPosition | undefined;
  #marks: readonly PageMark[] = [];
  /** Identity of the first page that an earlier request read. */
  #firstOfAll: string | undefined;
  #total: number | undefined;
  #shown: ShownPages | undefined;
  /** Length of the page before a probe. */
  #probed: number | undefined;

  constructor(
    list: PagedList,
    part: ListPart | undefined,
    fetcher: PageFetcher,
    differing: number | undefined,
  ) {
    this.#list = list;
    this.#part = part;
    this.#fetcher = fetcher;
    this.#wanted = part?.top ?? Number.POSITIVE_INFINITY;
    this.#differing = differing;
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
    const isSieved = this.#part?.sieve !== undefined;
    return isSieved ? Math.min(AT_ONCE, Math.floor(this.#pages.length / 4)) : AT_ONCE;
  }

  get #progress(): Progress {
    return { rows: this.#came, pages: this.#pages.length, total: this.#total };
  }

  async toEnd(): Promise<CollectionSnapshot> {
    let step = this.#begin();
    for (;;) {
      const page = await this.#fetcher.fetch(step, this.#came);
      const next = await this.#reported(() =>
        page === undefined ? this.#endAt(step) : this.#advance(step, page),
      );
      if (next.kind === 'end') return this.#result(undefined);
      if (next.kind === 'enough') return this.#result(next.step);
      step = next.step;
    }
  }

  async #reported<Result>(run: () => Promise<Result>): Promise<Result> {
    try {
      return await run();
    } catch (error) {
      if (error instanceof GatewayError) this.#list.report(error);
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
    const { rows, isEnough } = (await this.#part?.sieve?.take(page.rows)) ?? {
      rows: page.rows,
      isEnough: false,
    };
    const rest = this.#take(step, page, rows);
    if (isEnough) return { kind: 'end' };
    if (rest !== undefined && !this.#isCounting) return this.#stopAt(rest, step, page);
    const next = await this.#withoutNeedlessProbe(step, page, pageAfter(this.#list, step, page, learned));
    if (this.#isCounting) {
      this.#total = countedTotal(paging, step, page, next);
      const isProbe = next.kind === 'page' && next.isProbe;
      if (this.#total === undefined && paging.tells.total && !isProbe) return { kind: 'end' };
    }
    return this.#proceed(step, page, next);
  }

  #proceed(step: PageStep, page: FetchedPage, next: NextPage): Advance {
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
    this.#probed = next.isProbe ? page.length : undefined;
    const end = (this.#part?.skip ?? 0) + this.#needed;
    this.#fetcher.expect({ step, page, following, next, end, most: this.#ahead });
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
      if ((totalOf(page)?.count ?? total) < total) return new ListHasChanged(this.#progress);
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
    const { isProbe, size, position } = step;
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
    const place = isScroll ? undefined : JSON.stringify(step.position);
    const isKnown =
      identity !== undefined &&
      step.position.kind !== 'larger' &&
      (this.#identities.has(identity) || this.#isFirstOfAll(step, identity));
    if ((place !== undefined && this.#positions.has(place)) || isKnown) throw endlessList(this.#progress);
    if (place !== undefined) this.#positions.add(place);
    if (identity !== undefined) this.#identities.add(identity);
  }

  /** Marks the page, by which later requests recognize it. */
  #mark(step: PageStep, { signs: { identity } }: FetchedPage): void {
    const isScroll = isScrolling(this.#list.paging, step.position) && identity !== undefined;
    const marks = marksAfter(this.#marks, step, identity, isScroll);
    if (marks === undefined) throw endlessList(this.#progress);
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
    if (first === undefined || !this.#hasUniqueKeys) return;
    this.#keys ??= this.#keysOf(first);
    const known = this.#keys;
    if (known === undefined) return;
    const from = step.position.kind === 'larger' ? first.length : 0;
    const { keys } = page.signs;
    const repeated = keys && known.add(keys, from);
    if (keys === undefined || repeated === undefined) return;
    const key = keys[repeated] ?? Number.NaN;
    const isWithin = keys.indexOf(key) < repeated;
    const isDifferent = !isWithin && this.#isDifferentRow(key, page, repeated);
    const shown = await this.#list.shown();
    if (isWithin || (isDifferent && this.#differing === key)) shown.hasEqualKeys = true;
    if (!shown.hasEqualKeys) throw new ListHasChanged(this.#progress, isDifferent ? key : undefined);
    this.#hasUniqueKeys = false;
  }

  /** The keys of the first page; undefined if they are not unique, and cannot show a change. */
  #keysOf({ keys }: PastPage): KnownKeys | undefined {
    const known = new KnownKeys();
    this.#hasUniqueKeys = keys !== undefined && known.add(keys, 0) === undefined;
    return this.#hasUniqueKeys ? known : undefined;
  }

  /** Whether the row is another one than the earlier row with the same key, as far as its properties were requested. */
  #isDifferentRow(key: number, page: FetchedPage, index: number): boolean {
    for (const { rows, keys } of this.#pages) {
      const earlier = keys?.indexOf(key) ?? -1;
      if (earlier >= 0 && rows !== undefined)
        return JSON.stringify(rowAt(rows, earlier)) !== JSON.stringify(rowAt(page.rows, index));
    }
    return false;
  }

  /** Takes note of what the page shows of others. */
  async #notice(step: PageStep, { length }: FetchedPage, { longest }: LearnedPosition): Promise<void> {
    if (!step.isProbe || this.#probed === undefined || step.position.kind === 'larger') return;
    if (length === 0) await this.#noticeWhole(step);
    else if (this.#probed < longest) (await this.#shownPages()).hasGaps = true;
  }

  async #noticeWhole({ before }: PageStep): Promise<void> {
    if (this.#pages.length === 1 && this.#probed === before) (await this.#shownPages()).addWhole(before);
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
    const end = Math.min(rows.length, step.drop + this.#wanted - this.#have);
    this.#have += Math.max(0, end - step.drop);
    this.#bytes += page.bytes;
    const { length, version, signs } = page;
    // A sieve lets go of the rows that it does not take.
    this.#pages.push({ length, version, keys: signs.keys, rows: rows === page.rows ? rows : undefined });
    this.#rows.push(rowsBetween(rows, Math.min(step.drop, rows.length), end));
    if (!this.#isCounting) this.#total ??= credibleTotal(this.#list.paging, step, page);
    const { limits } = this.#list;
    if (this.#came > limits.rows || this.#bytes > limits.bytes || this.#pages.length > MOST_PAGES)
      throw tooLongList(this.#progress, this.#bytes, limits);
    this.#list.joint?.add(page.length, page.bytes);
    return end < rows.length ? { ...step, drop: end } : undefined;
  }

  #following(step: PageStep, page: FetchedPage, { position, isLinked, isProbe }: NextStep): PageStep {
    if (position.kind === 'larger') {
      const drop = Math.max(step.drop, page.rows.length);
      return { position, size: position.size, before: 0, drop, isLinked, isProbe };
    }
    const before = step.before + page.length;
    const drop = Math.max(0, step.drop - page.rows.length);
    const rest = this.#needed - this.#have + drop;
    const isShorter = position.kind === 'offset' && Number.isFinite(rest);
    const size = isShorter ? sizeFor(this.#list.paging, rest) : step.size;
    return { position, size, before, drop, isLinked, isProbe };
  }

  #result(next: PageStep | undefined): CollectionSnapshot {
    return {
      data: joinedRows(this.#rows),
      version: this.#list.versions.of(this.#pages.map(({ version }) => version)),
      total: this.#total,
      next: this.#continuation(next),
    };
  }

  #continuation(step: PageStep | undefined): string | undefined {
    const learned = this.#learned;
    if (step === undefined || learned === undefined || this.#part?.mayBeShort !== true) return undefined;
    return writePosition({ step, learned, marks: this.#marks });
  }
}

/** The outcome of a page: the list is at its end, it has given all that is wanted, or another page follows. */
type Advance = { readonly kind: 'end' } | { readonly kind: 'enough' | 'page'; readonly step: PageStep };

/** The parts of an earlier page that later ones are compared with. */
interface PastPage extends Pick<FetchedPage, 'length' | 'version'> {
  readonly keys: Float64Array | undefined;
  readonly rows: Rows | undefined;
}

type NextStep = Extract<NextPage, { kind: 'page' }>;

function rowAt(rows: Rows, index: number): unknown {
  return Iterator.from(rows).drop(index).next().value;
}

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
