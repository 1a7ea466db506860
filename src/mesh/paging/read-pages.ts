import { createHash } from 'node:crypto';
import type { CollectionSnapshot, ListPart } from '../../contract/entity-source.ts';
import type { CallContext } from '../../contract/exchange.ts';
import { type Rows, rowsBetween } from '../../contract/row.ts';
import type { PageSize, PageWay, Paging } from '../../model/operation.ts';
import { allows, nearestAllowed } from '../../model/type-use.ts';
import { believedTotal, countedTotal, type NextPage, pageAfter } from './next-page.ts';
import {
  FIRST_PAGE,
  type LearnedPosition,
  type PageMark,
  type PagePosition,
  type PageStep,
  readPosition,
  writePosition,
} from './page-position.ts';
import {
  endlessList,
  type FetchedPage,
  incompleteList,
  joinedRows,
  type PagedList,
  PageFetcher,
  type Progress,
  tooLongList,
} from './paged-list.ts';

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

  async toEnd(): Promise<CollectionSnapshot> {
    let step = this.#begin();
    for (;;) {
      const page = await this.#fetcher.fetch(step, this.#came);
      const done =
        page === undefined ? { kind: 'end' as const } : this.#reported(() => this.#advance(step, page));
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
    return { ...step, drop: step.drop + part.skip };
  }

  /** Takes what is wanted of a page, and says what comes next. */
  #advance(step: PageStep, page: FetchedPage): Advance {
    if (this.#isFirstAgain(step, page))
      return { kind: 'page', next: { ...step, position: { kind: 'page', number: 2 } } };
    const { paging, place } = this.#list;
    const learned = this.#learn(step, page);
    this.#assertEnds(step, page);
    const rest = this.#take(step, page);
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
    this.#fetcher.expect(step, page, following, next, (this.#part?.skip ?? 0) + this.#needed);
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
    if (mark === 'again' || this.#asked.has(place) || (identity !== undefined && this.#begun.has(identity)))
      throw endlessList(this.#progress());
    this.#mark = mark;
    this.#asked.add(place);
    if (identity !== undefined) this.#begun.add(identity);
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
