import type {
  Arguments,
  CollectionSnapshot,
  JointLists,
  ListPart,
  PageSieve,
  RowSink,
} from '../../contract/entity-source.ts';
import { askerOf, type CallContext } from '../../contract/exchange.ts';
import type { GatewayError } from '../../contract/gateway-error.ts';
import type { MemoryReservation } from '../../contract/memory-allowance.ts';
import { type Rows, rowsBetween } from '../../contract/row.ts';
import type { PageLimits } from '../../core/request-limits.ts';
import { badResponse, undefinedIfMissing } from '../exchange/upstream-failure.ts';
import type { Exports } from './exports.ts';
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
  sink?: RowSink | undefined,
) => Promise<CollectionSnapshot>;

interface ListsReading {
  readonly limits: PageLimits;
  readonly call: CallContext;
  readonly exports: Exports;
  /** Takes the rows of long lists while they are read; undefined if all of them are held. */
  readonly sink: RowSink | undefined;
  readonly read: ReadList;
}

/** The lists one behind the other, or the part of them that is wanted, under the limits that one list has. */
export async function readLists(
  lists: JointLists,
  part: ListPart | undefined,
  reading: ListsReading,
): Promise<CollectionSnapshot> {
  const { limits, call, exports, read } = reading;
  const [only, ...others] = lists.each;
  if (only !== undefined && others.length === 0 && lists.missing !== 'lenient') {
    const found = read(only, part, call, undefined, reading.sink);
    return (await (lists.missing === 'empty' ? found.catch(undefinedIfMissing) : found)) ?? NO_ROWS;
  }
  const isOfRest = part?.from !== undefined || part?.mayBeShort === true || part?.counted === true;
  const sink = isOfRest || reading.sink?.needsTotal === true ? undefined : reading.sink;
  const endExport = sink && exports.begin(askerOf(call));
  const givenUp = new AbortController();
  const signal = AbortSignal.any([call.signal, givenUp.signal]);
  try {
    const walk = new JointWalk(lists, part, limits, { ...call, signal }, read);
    return await (sink === undefined || endExport === undefined ? walk.toEnd() : walk.passOn(sink));
  } finally {
    givenUp.abort();
    endExport?.();
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

  /**
   * Reads the lists in their order, some of them ahead, and gives the sink the rows once they are many. A long list that is
   * read ahead waits for its turn.
   */
  async passOn(sink: RowSink): Promise<CollectionSnapshot> {
    const { each } = this.#lists;
    const outlet = new JointOutlet(sink, this.#part, this.#joint, this.#call.memory);
    const begun: BegunList[] = [];
    for (const index of each.keys()) {
      for (const args of each.slice(begun.length, index + AT_ONCE)) begun.push(this.#begin(args, outlet));
      const list = begun[index];
      if (list === undefined) break;
      // A list that has had its turn holds nothing any more.
      delete begun[index];
      list.turn.resolve();
      await outlet.add((await list.rows) ?? [], list.memory);
      if (outlet.isFull) break;
    }
    if (this.#lists.missing === 'lenient' && each.length > 0 && !this.#isAnyThere)
      throw allMissing(each.length);
    return { data: await outlet.rest(), version: undefined };
  }

  #begin(args: Arguments, outlet: JointOutlet): BegunList {
    const turn = Promise.withResolvers<void>();
    const memory = this.#call.memory?.part();
    const put: RowSink['put'] = async (rows) => {
      await turn.promise;
      await outlet.put(rows);
    };
    const rows = this.#rowsOf(args, { ...this.#call, memory }, { isPaced: outlet.isPaced, put });
    // The first failure ends the read.
    rows.catch(() => undefined);
    return { turn, memory, rows };
  }

  #isNothingThere(): boolean {
    const { each, missing } = this.#lists;
    const isAll = this.#found.length > 0 && this.#found.length === each.length;
    return missing === 'lenient' && isAll && !this.#isAnyThere;
  }

  async #rowsOf(args: Arguments, call = this.#call, sink?: RowSink): Promise<Rows> {
    const isCut = Number.isFinite(this.#needed);
    const part = isCut ? { skip: 0, top: this.#needed, mayBeShort: false } : undefined;
    const reading = this.#read(args, part, call, this.#joint, sink);
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

/** A list that is being read. */
interface BegunList {
  /** Resolved when all lists before it have been passed on. */
  readonly turn: PromiseWithResolvers<void>;
  /** Holds what is read of the list. */
  readonly memory: MemoryReservation | undefined;
  /** The rows that are left at its end. */
  readonly rows: Promise<Rows>;
}

/** Gives a sink the rows of several lists as those of one, once they are many. */
class JointOutlet {
  readonly isPaced: boolean;
  readonly #sink: RowSink;
  readonly #sieve: PageSieve | undefined;
  readonly #joint: JointReading;
  readonly #memory: MemoryReservation | undefined;
  #skip: number;
  #left: number;
  #held: Rows[] = [];
  #heldRows = 0;
  /** The memory of lists whose rows are held, and of those whose rows the sink was given last. */
  #holding: MemoryReservation[] = [];
  #given: readonly MemoryReservation[] = [];
  /** The sieve has enough rows. */
  #isEnough = false;

  constructor(
    sink: RowSink,
    part: ListPart | undefined,
    joint: JointReading,
    memory: MemoryReservation | undefined,
  ) {
    this.isPaced = sink.isPaced;
    this.#sink = sink;
    this.#sieve = part?.sieve;
    this.#joint = joint;
    this.#memory = memory;
    this.#skip = part?.skip ?? 0;
    this.#left = part?.top ?? Number.POSITIVE_INFINITY;
  }

  get isFull(): boolean {
    return this.#isEnough || this.#left <= 0;
  }

  /** Adds the rows that are left of a list. */
  async add(rows: Rows, memory: MemoryReservation | undefined): Promise<void> {
    this.#hold(rows);
    if (memory !== undefined) this.#holding.push(memory);
    if (this.#heldRows >= ENOUGH_ROWS) await this.#passOn();
  }

  /** Passes on rows of a long list, which holds them in its own memory. */
  async put(rows: Rows): Promise<void> {
    this.#hold(rows);
    await this.#passOn();
  }

  /** The rows that the sink was not given; all of them, without a selection, if it was given none. */
  async rest(): Promise<Rows> {
    const rows = joinedRows(this.#held);
    const sieve = this.#joint.isPassedOn ? this.#sieve : undefined;
    return (await sieve?.take(rows))?.rows ?? rows;
  }

  #hold(rows: Rows): void {
    const shown = rowsBetween(rows, Math.min(this.#skip, rows.length), this.#skip + this.#left);
    this.#skip = Math.max(0, this.#skip - rows.length);
    this.#left -= shown.length;
    this.#held.push(shown);
    this.#heldRows += shown.length;
  }

  async #passOn(): Promise<void> {
    const [rows, holding] = [joinedRows(this.#held), this.#holding];
    this.#held = [];
    this.#heldRows = 0;
    this.#holding = [];
    const sieved = (await this.#sieve?.take(rows)) ?? { rows, isEnough: false };
    this.#isEnough = sieved.isEnough;
    this.#joint.renew();
    await this.#sink.put(sieved.rows, undefined);
    this.#joint.renew();
    for (const part of this.#given) this.#memory?.letGo(part);
    this.#given = holding;
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
