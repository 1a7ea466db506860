import type { RowSink } from '../../contract/entity-source.ts';
import { clientClosed } from '../../contract/gateway-error.ts';
import type { RequestBudget } from '../../contract/request-budget.ts';
import type { Row, Rows } from '../../contract/row.ts';
import type { LoadContext, LoadedCollection, LoadSink } from '../resource/load-context.ts';
import type { CollectionResource } from '../resource/resource.ts';

/** A list as it was loaded: as a whole, or in portions that come while it is read. */
export type OpenedList =
  | { readonly kind: 'whole'; readonly snapshot: LoadedCollection }
  | {
      readonly kind: 'portions';
      readonly portions: Portions;
      /** The length of the list, if its answers have it. */
      readonly total: number | undefined;
      /** Cancels the read. A consumer calls it when the portions have ended, or none of them is wanted any more. */
      readonly close: () => void;
    };

/** The rows of a long list, portion by portion. */
export interface Portions extends AsyncIterable<Rows> {
  /** The conditions of the query have been applied to the rows so far. */
  readonly isSieved: boolean;
}

/** Whether a list may come in pages: by its document, or because it has come in several. */
export function mayComeInPages(
  { service: { source } }: Pick<LoadContext, 'service'>,
  { origin }: CollectionResource,
): boolean {
  const { list, page } = origin.kind === 'operations' ? origin.operations : {};
  if (list === undefined) return false;
  if (list.paging !== undefined || page !== undefined || list.over !== undefined) return true;
  const { total = 0, pageSize = 0 } = source.estimateOf?.(list) ?? {};
  return total > pageSize;
}

/**
 * Loads a list by a function that gives the sink the rows of a long one. The next page is requested when a portion is taken, and
 * if it is paced, no further one until that is taken, too.
 */
export async function openList(
  { service, context }: LoadContext,
  { isPaced, needsTotal = false }: Pick<RowSink, 'isPaced' | 'needsTotal'>,
  load: (loading: LoadContext, sink: LoadSink) => Promise<LoadedCollection>,
): Promise<OpenedList> {
  const handover = new Handover({ isPaced, needsTotal }, context.signal);
  load({ service, context: { ...context, signal: handover.signal } }, handover).then(
    (snapshot) => handover.end(snapshot),
    (error: unknown) => handover.fail(error),
  );
  const first = await handover.next();
  if (first.kind === 'last') return { kind: 'whole', snapshot: first.snapshot };
  const portions = portionsOf(handover, first);
  return { kind: 'portions', portions, total: first.total, close: () => handover.close() };
}

function portionsOf(handover: Handover, first: Portion): Portions {
  return {
    [Symbol.asyncIterator]: () => eachPortion(handover, first),
    get isSieved() {
      return handover.isSieved;
    },
  };
}

async function* eachPortion(handover: Handover, first: Portion): AsyncGenerator<Rows> {
  for (let portion = first; ; portion = await handover.next()) {
    if (portion.kind === 'last') return yield portion.snapshot.data;
    portion.take();
    yield portion.rows;
  }
}

type Portion =
  | {
      readonly kind: 'rows';
      readonly rows: Rows;
      readonly total: number | undefined;
      readonly take: () => void;
    }
  | { readonly kind: 'last'; readonly snapshot: LoadedCollection };

/** Holds one portion until the consumer takes it. */
class Handover implements LoadSink, RowSink {
  readonly #closing = new AbortController();
  #next = Promise.withResolvers<Portion>();
  #giveUp: (() => void) | undefined;
  readonly isPaced: boolean;
  readonly needsTotal: boolean;
  hasTaken = false;
  isSieved = false;
  readonly #request: AbortSignal;
  readonly #abort = (): void => this.#closing.abort(this.#request.reason);

  /** `request` cancels the read with the request. `AbortSignal.any` costs ten times as much for each list. */
  constructor(
    { isPaced, needsTotal }: Required<Pick<RowSink, 'isPaced' | 'needsTotal'>>,
    request: AbortSignal,
  ) {
    this.isPaced = isPaced;
    this.needsTotal = needsTotal;
    this.#request = request;
    if (request.aborted) this.#abort();
    else request.addEventListener('abort', this.#abort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#closing.signal;
  }

  /** The next portion, once it is there; to be asked for again when the portion is taken. */
  next(): Promise<Portion> {
    return this.#next.promise;
  }

  put(rows: Rows, total: number | undefined): Promise<void> {
    this.hasTaken = true;
    return new Promise((resolve, reject) => {
      this.#giveUp = () => reject(clientClosed());
      if (this.signal.aborted) return this.#giveUp();
      const take = (): void => {
        this.#next = Promise.withResolvers();
        resolve();
      };
      this.#next.resolve({ kind: 'rows', rows, total, take });
    });
  }

  end(snapshot: LoadedCollection): void {
    this.#request.removeEventListener('abort', this.#abort);
    this.#next.resolve({ kind: 'last', snapshot });
  }

  fail(error: unknown): void {
    this.#request.removeEventListener('abort', this.#abort);
    // The rest of a cancelled read has no consumer.
    this.#next.promise.catch(() => undefined);
    this.#next.reject(error);
  }

  close(): void {
    this.#closing.abort(clientClosed());
    this.#giveUp?.();
  }
}

/** The number of rows that related entities are read for together, at most. */
const MOST_TOGETHER = 16_000;

/**
 * Puts portions together, each time twice as many rows: what is read beside them takes fewer calls for many rows than for
 * few at a time.
 */
export async function* largerPortions(portions: AsyncIterable<Rows>): AsyncGenerator<Rows> {
  let together: Row[] = [];
  let least = 1;
  for await (const rows of portions) {
    for (const row of rows) together.push(row);
    if (together.length < least) continue;
    least = Math.min(MOST_TOGETHER, 2 * together.length);
    yield together;
    together = [];
  }
  yield together;
}

/** The rows of portions as one list, for work that goes through it once and is run by the budget. */
export class ArrivingRows implements Rows {
  /** Unknown before the end. */
  readonly length = Number.POSITIVE_INFINITY;
  readonly #portions: AsyncIterator<Rows>;
  readonly #budget: RequestBudget;
  #rows: readonly Row[] = [];
  #at = 0;
  #isOver = false;

  constructor(portions: AsyncIterable<Rows>, budget: RequestBudget) {
    this.#portions = portions[Symbol.asyncIterator]();
    this.#budget = budget;
  }

  /** Waits for the next row; to be called before the work begins. */
  async arrive(): Promise<void> {
    while (!this.#isOver) {
      const { done = false, value } = await this.#portions.next();
      this.#isOver = done;
      this.#budget.renew();
      this.#rows = done ? [] : await this.#budget.rows(value);
      this.#at = 0;
      if (this.#rows.length > 0) return;
    }
  }

  [Symbol.iterator](): Iterator<Row> {
    return { next: () => this.#next() };
  }

  #next(): IteratorResult<Row> {
    const row = this.#rows[this.#at];
    if (row === undefined) {
      if (!this.#isOver) throw new Error('The work has not waited for the next row.');
      return { done: true, value: undefined };
    }
    this.#at += 1;
    if (this.#at === this.#rows.length) {
      const arrival = this.arrive();
      // Work that has ended waits for no row.
      arrival.catch(() => undefined);
      this.#budget.waitFor(arrival);
    }
    return { done: false, value: row };
  }
}
