import type { Arguments, CollectionSnapshot, JointLists, ListPart } from '../../contract/entity-source.ts';
import type { CallContext } from '../../contract/exchange.ts';
import type { GatewayError } from '../../contract/gateway-error.ts';
import { type Rows, rowsBetween } from '../../contract/row.ts';
import type { PageLimits } from '../../core/request-limits.ts';
import { badResponse, undefinedIfMissing } from '../exchange/upstream-failure.ts';
import { JointReading, joinedRows } from './joint-reading.ts';

/** Number of lists read concurrently. */
const AT_ONCE = 8;

/** Number of rows after which no further lists are read if a short response is allowed. */
const ENOUGH_ROWS = 1000;

/** Reads one of several lists: all of it, or the part that is wanted. */
export type ReadList = (
  args: Arguments,
  part: ListPart | undefined,
  call: CallContext,
  joint: JointReading | undefined,
) => Promise<CollectionSnapshot>;

/** The lists one behind the other, or the part of them that is wanted, under the limits that one list has. */
export async function readLists(
  lists: JointLists,
  part: ListPart | undefined,
  {
    limits,
    call,
    read,
  }: { readonly limits: PageLimits; readonly call: CallContext; readonly read: ReadList },
): Promise<CollectionSnapshot> {
  const [only, ...others] = lists.each;
  if (only !== undefined && others.length === 0 && lists.missing !== 'lenient') {
    const reading = read(only, part, call, undefined);
    return (await (lists.missing === 'empty' ? reading.catch(undefinedIfMissing) : reading)) ?? NO_ROWS;
  }
  const givenUp = new AbortController();
  const signal = AbortSignal.any([call.signal, givenUp.signal]);
  try {
    return await new JointWalk(lists, part, limits, { ...call, signal }, read).toEnd();
  } finally {
    givenUp.abort();
  }
}

const NO_ROWS: CollectionSnapshot = { data: [], version: undefined };

/** One way through several lists. */
class JointWalk {
  readonly #lists: JointLists;
  readonly #part: ListPart | undefined;
  readonly #call: CallContext;
  readonly #read: ReadList;
  readonly #joint: JointReading;
  /** The first list. */
  readonly #first: number;
  /** Rows to skip from the first list on; `#needed` includes them. */
  readonly #skip: number;
  readonly #needed: number;
  readonly #found: (Rows | undefined)[] = [];
  /** The number of lists received without a gap, and of their rows. */
  #come = 0;
  #have = 0;
  #isAnyThere = false;

  constructor(
    lists: JointLists,
    part: ListPart | undefined,
    limits: PageLimits,
    call: CallContext,
    read: ReadList,
  ) {
    this.#lists = lists;
    this.#part = part;
    this.#call = call;
    this.#read = read;
    this.#joint = new JointReading(limits, lists.each.length);
    const { list, drop } = readPlace(part?.from);
    this.#first = list;
    this.#skip = drop + (part?.skip ?? 0);
    const isCut = part?.top !== undefined && part.counted !== true;
    this.#needed = isCut ? this.#skip + (part.top ?? 0) : Number.POSITIVE_INFINITY;
  }

  async toEnd(): Promise<CollectionSnapshot> {
    // One iterator for all workers: each takes what no other has taken.
    const rest = this.#lists.each.slice(this.#first).entries();
    const work = async (): Promise<void> => {
      while (!this.#isEnough()) {
        const { value, done } = rest.next();
        if (done === true) return;
        const [index, args] = value;
        this.#found[index] = await this.#rowsOf(args);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    if (this.#isNothingThere()) throw allMissing(this.#found.length);
    return this.#result();
  }

  #isNothingThere(): boolean {
    const { each, missing } = this.#lists;
    const isAll = this.#found.length > 0 && this.#found.length === each.length;
    return missing === 'lenient' && isAll && !this.#isAnyThere;
  }

  async #rowsOf(args: Arguments): Promise<Rows> {
    const isCut = Number.isFinite(this.#needed);
    const part = isCut ? { skip: 0, top: this.#needed, mayBeShort: false } : undefined;
    const reading = this.#read(args, part, this.#call, this.#joint);
    const found = await (this.#lists.missing === 'error' ? reading : reading.catch(undefinedIfMissing));
    if (found !== undefined) this.#isAnyThere = true;
    this.#joint.finish();
    return found?.data ?? [];
  }

  /** Whether the lists up to the first one that has not come give what is wanted. */
  #isEnough(): boolean {
    const most = this.#part?.mayBeShort === true ? this.#skip + ENOUGH_ROWS : Number.POSITIVE_INFINITY;
    const enough = Math.min(this.#needed, most);
    for (let rows = this.#found[this.#come]; rows !== undefined; rows = this.#found[this.#come]) {
      this.#come += 1;
      this.#have += rows.length;
    }
    return this.#have >= enough;
  }

  #result(): CollectionSnapshot {
    const all = joinedRows(this.#found.map((rows) => rows ?? []));
    const { counted = false, top = Number.POSITIVE_INFINITY } = this.#part ?? {};
    const end = Math.min(all.length, this.#skip + top);
    return {
      data: rowsBetween(all, this.#skip, end),
      version: undefined,
      total: counted ? all.length : undefined,
      next: this.#part?.mayBeShort === true ? this.#placeBehind(end) : undefined,
    };
  }

  /** The position after a number of rows. A list that was read as far as needed may have more. */
  #placeBehind(rows: number): string | undefined {
    let before = 0;
    for (const [index, { length = 0 } = []] of this.#found.entries()) {
      const isWithin = rows < before + length || (rows === before + length && length >= this.#needed);
      if (isWithin) return writePlace({ list: this.#first + index, drop: rows - before });
      before += length;
    }
    const list = this.#first + this.#found.length;
    return list < this.#lists.each.length ? writePlace({ list, drop: 0 }) : undefined;
  }
}

/** The number of a list among all, and how many of its rows are before the place. */
interface JointPlace {
  readonly list: number;
  readonly drop: number;
}

function writePlace({ list, drop }: JointPlace): string {
  return JSON.stringify([list, drop]);
}

/** Parses the result of {@link writePlace}, which the caller must protect from changes. */
function readPlace(text: string | undefined): JointPlace {
  const [list, drop] = text === undefined ? [0, 0] : (JSON.parse(text) as [number, number]);
  return { list, drop };
}

/** The error where the owners are there, and the list of none of them: that is no list without entities. */
function allMissing(lists: number): GatewayError {
  const bad = badResponse('not one of the lists is there');
  return bad.with({ message: `${bad.message} Not one of ${lists} lists is there.` });
}
