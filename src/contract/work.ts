import { GatewayError } from './gateway-error.ts';
import { DEFAULT_REQUEST_LIMITS, type LimitsOf, REQUEST_LIMITS } from './request-limits.ts';
import type { Row, Rows } from './row.ts';

/** How long work goes on in one round of the event loop, whoever's it is, in milliseconds. */
const STRETCH_MS = 3;
/** More rounds than a short request takes: it comes in, its upstream is asked, and the answer comes and is sent. */
const ROUNDS = 8;

/** Whoever has worked for long and waits for the next turn, first come, first served. */
const waiting: (() => void)[] = [];
/** Whoever begins and has found that others have used this round up. */
const beginning: (() => void)[] = [];
/** Milliseconds that have been worked in this round. */
let worked = 0;
/** Rounds until one of those who wait goes on. */
let roundsLeft = ROUNDS;
let isCounting = false;

/** Whether this round has time left for work. */
function hasTime(): boolean {
  return worked < STRETCH_MS;
}

/** Counts milliseconds of work towards those of this round. */
export function spend(milliseconds: number): void {
  worked += milliseconds;
  countRounds();
}

/**
 * Resolves when others have had their turn: what has come in from the network, and those that have waited for longer.
 *
 * One of those who wait goes on after a few rounds of the event loop, however many they are: so the loop is never held
 * for longer than by one of them, and a short request is through after one or two.
 */
export function nextTurn(): Promise<void> {
  return inQueue(waiting);
}

/** Resolves when a round has time for whoever begins: soon, since those that have worked for long go behind. */
function firstTurn(): Promise<void> {
  return inQueue(beginning);
}

function inQueue(queue: (() => void)[]): Promise<void> {
  return new Promise((resume) => {
    queue.push(resume);
    countRounds();
  });
}

/** A round in which nobody has anything to do takes some microseconds. */
function countRounds(): void {
  if (isCounting) return;
  isCounting = true;
  setImmediate(beginRound);
}

function beginRound(): void {
  isCounting = false;
  worked = 0;
  roundsLeft = waiting.length === 0 ? ROUNDS : roundsLeft - 1;
  if (roundsLeft > 0) letBegin();
  else {
    roundsLeft = ROUNDS;
    waiting.shift()?.();
  }
  if (waiting.length > 0 || beginning.length > 0) countRounds();
}

/** What one does that has been resumed is done before the next is looked at. */
function letBegin(): void {
  if (!hasTime()) return;
  const resume = beginning.shift();
  if (resume === undefined) return;
  resume();
  queueMicrotask(letBegin);
}

/**
 * Work that may take long: it yields where others may go first, and whoever carries it out decides whether they do.
 *
 * Nothing that it has put into shared places may stay there while it waits: see {@link within}.
 */
export type Work<Result> = Generator<void, Result, void>;

/** Says at each step of a loop whether it is time to yield. It is asked for every row and costs next to nothing. */
export interface Pace {
  isDue(): boolean;
}

/** A pace that yields each time so many steps have been made. */
export function everyFew(steps: number): Pace {
  let left = steps;
  return {
    isDue() {
      left -= 1;
      if (left > 0) return false;
      left = steps;
      return true;
    },
  };
}

/** Carries work out at once, where it is within something that cannot wait. */
export function finished<Result>(work: Work<Result>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/** Work that needs a place to be set while it runs: it is set before each stretch of it, and cleared behind it. */
export function* within<Result>(
  enter: () => void,
  leave: () => void,
  begin: () => Work<Result>,
): Work<Result> {
  let work: Work<Result> | undefined;
  for (;;) {
    enter();
    let step: IteratorResult<void, Result>;
    try {
      work ??= begin();
      step = work.next();
    } finally {
      leave();
    }
    if (step.done === true) return step.value;
    yield;
  }
}

/** What the function makes of each of the items. */
export function* mapped<Item, Result>(
  items: Iterable<Item>,
  pace: Pace,
  map: (item: Item, index: number) => Result,
): Work<readonly Result[]> {
  const results: Result[] = [];
  for (const item of items) {
    results.push(map(item, results.length));
    if (pace.isDue()) yield;
  }
  return results;
}

/** All of the rows at once, for what goes through them more than once or looks at some by their place. */
export function* rowsAtOnce(rows: Rows, pace: Pace): Work<readonly Row[]> {
  return Array.isArray(rows) ? rows : yield* mapped(rows, pace, (row) => row);
}

/** The items by their keys, in their order. */
export function* groupedBy<Item, Key>(
  items: Iterable<Item>,
  pace: Pace,
  keyOf: (item: Item) => Key,
): Work<ReadonlyMap<Key, readonly Item[]>> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
    if (pace.isDue()) yield;
  }
  return groups;
}

const NO_WAITING: readonly undefined[] = [];

/** What is done in no time, as work. */
export function* atOnce<Result>(compute: () => Result): Work<Result> {
  yield* NO_WAITING;
  return compute();
}

/** Carries out work that is nobody's, or everybody's: others go first each time it has taken a while. */
export async function inTurns<Result>(work: Work<Result>): Promise<Result> {
  if (!hasTime()) await firstTurn();
  for (;;) {
    do {
      const start = performance.now();
      const { done, value } = work.next();
      spend(performance.now() - start);
      if (done === true) return value;
    } while (hasTime());
    await nextTurn();
  }
}

/** How many calls of one request are under way at a time: others ask the upstream, too. */
export const CONCURRENT_CALLS = 8;

/**
 * The results of all calls, in the order of the items; no more than so many calls are under way at a time, and
 * none is begun after one has failed. Calls that wait for nothing do not keep others from being served, however many
 * they are.
 */
export async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  limit: number,
  call: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = new Array(items.length);
  // One iterator for all workers: each takes what no other has taken.
  const rest = items.entries();
  let turn = performance.now();
  let hasFailed = false;
  const work = async (): Promise<void> => {
    for (const [index, item] of rest) {
      if (hasFailed) return;
      results[index] = await call(item);
      if (performance.now() - turn < STRETCH_MS) continue;
      await nextTurn();
      turn = performance.now();
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work));
  } catch (error) {
    hasFailed = true;
    throw error;
  }
  return results;
}

export type BudgetLimits = LimitsOf<'budget'>;

/** What can be used up. */
type Expense = Exclude<keyof BudgetLimits, 'textLength' | 'rowItems' | 'matchSteps'>;

/** How many rows are gone through before the clock is looked at. */
const ROWS_PER_LOOK = 128;
/** What takes as long as a row. */
const ITEMS_PER_ROW = 8;
/** What takes as long as an item. */
const NODES_PER_ITEM = 4;
const CHARACTERS_PER_ITEM = 64;
const STEPS_PER_ITEM = 4;

/**
 * What one request may take of the process, whatever it is made of: all parts of a batch have the one of their batch.
 *
 * Rows, items, characters, bytes and time are charged where the work is done; what goes beyond a limit fails with an
 * error that names it. Work that may be long is carried out here, in stretches between which others are served.
 */
export class RequestBudget implements Pace {
  /** When the request began, in milliseconds since 1970. */
  readonly startedAt = Date.now();
  readonly #limits: BudgetLimits;
  readonly #signal: AbortSignal | undefined;
  readonly #within: RequestBudget | undefined;
  readonly #used: Record<Expense, number> = {
    rows: 0,
    items: 0,
    characters: 0,
    milliseconds: 0,
    answerBytes: 0,
  };
  #rowsToLook = ROWS_PER_LOOK;
  /** For one row, in items. */
  #rowWork = 0;

  /** Starts a budget. Once the signal is aborted, nothing goes on. What is charged is charged to the budget around, too. */
  constructor(limits: BudgetLimits, signal?: AbortSignal, within?: RequestBudget) {
    this.#limits = limits;
    this.#signal = signal;
    this.#within = within;
  }

  /** Rows that are put together: related to others, multiplied, or put into others. */
  chargeRows(rows: number): void {
    this.#charge('rows', rows);
  }

  /** Items of collections that something is asked of: an expression of so many nodes. */
  chargeItems(items: number, nodes = 1): void {
    this.#chargeRow(items * Math.max(1, nodes / NODES_PER_ITEM));
    this.#charge('items', items);
  }

  /** A pattern of that size that is looked for in a text: in the worst case each character takes as many steps. */
  chargeMatch(length: number, size: number): void {
    const steps = length * size;
    if (steps > this.#limits.matchSteps) throw exceeded('matchSteps', this.#limits.matchSteps);
    this.#chargeRow(steps / STEPS_PER_ITEM);
  }

  /** A text that an expression has made. */
  chargeText(length: number): void {
    this.#chargeRow(length / CHARACTERS_PER_ITEM);
    if (length > this.#limits.textLength) throw exceeded('textLength', this.#limits.textLength);
    this.#charge('characters', length);
  }

  /** Milliseconds of work that was not carried out by {@link run}. */
  chargeTime(milliseconds: number): void {
    this.#charge('milliseconds', milliseconds);
  }

  /** Bytes of an answer while it is written. They are given back once it is there, for whoever holds it to charge. */
  chargeAnswer(bytes: number): void {
    this.#charge('answerBytes', bytes);
  }

  /** Bytes of an answer that is held until others are there, too. What is there already does not fail. */
  hold(bytes: number): void {
    this.#add('answerBytes', bytes);
  }

  /** Gives back what {@link chargeAnswer} has charged. */
  returnAnswer(bytes: number): void {
    this.#add('answerBytes', -bytes);
  }

  /** Fails where so much is held already that there is no room for another answer. */
  assertRoom(): void {
    const { answerBytes } = this.#limits;
    if (this.#used.answerBytes >= answerBytes) throw exceeded('answerBytes', answerBytes);
  }

  isDue(): boolean {
    this.#rowsToLook -= 1;
    return this.#rowsToLook < 0;
  }

  /** Carries work out. Others go first each time it has taken a while. */
  async run<Result>(work: Work<Result>): Promise<Result> {
    if (!hasTime()) await firstTurn();
    for (;;) {
      this.#signal?.throwIfAborted();
      const { done, value } = this.#work(work);
      if (done === true) return value;
      await nextTurn();
    }
  }

  /** All of the rows at once: where they are still to be made, others go first in between. */
  async rows(rows: Rows): Promise<readonly Row[]> {
    return Array.isArray(rows) ? rows : this.run(rowsAtOnce(rows, this));
  }

  /** Gives back to the budget around what this one has used. */
  release(): void {
    if (this.#within === undefined) return;
    for (const expense of EXPENSES) this.#within.#add(expense, -this.#used[expense]);
  }

  /** One stretch of the work: until it is done, or others should go first. */
  #work<Result>(work: Work<Result>): IteratorResult<void, Result> {
    for (;;) {
      const start = performance.now();
      this.#rowsToLook = ROWS_PER_LOOK;
      this.#rowWork = 0;
      const step = work.next();
      const taken = performance.now() - start;
      spend(taken);
      this.#charge('milliseconds', taken);
      if (step.done === true || !hasTime()) return step;
    }
  }

  /** Work for one row is a bound of its own: nobody goes first meanwhile. */
  #chargeRow(items: number): void {
    this.#rowsToLook -= items / ITEMS_PER_ROW;
    this.#rowWork += items;
    if (this.#rowWork > this.#limits.rowItems) throw exceeded('rowItems', this.#limits.rowItems);
  }

  #charge(expense: Expense, amount: number): void {
    this.#add(expense, amount);
    this.#check(expense);
  }

  /** All of what is used is known here and around, whether it was too much or not: so it can be given back. */
  #add(expense: Expense, amount: number): void {
    this.#used[expense] += amount;
    if (this.#within !== undefined) this.#within.#add(expense, amount);
  }

  #check(expense: Expense): void {
    if (this.#used[expense] > this.#limits[expense]) throw exceeded(expense, this.#limits[expense]);
    if (this.#within !== undefined) this.#within.#check(expense);
  }
}

/**
 * The budget of the request that compiled work runs for at the moment: it runs many times, for one request after the
 * other.
 *
 * It is set before each stretch of a run, so that one record per compiled query is enough.
 */
export class CurrentBudget implements Pace {
  /** Whether the work asks for the time: its answers grow old although the data does not change. */
  isAskedForTime = false;
  budget: RequestBudget;
  readonly #outside: RequestBudget;

  /** What is computed once, before or between runs, has bounds as each by itself, and none together. */
  constructor(limits: BudgetLimits = DEFAULT_REQUEST_LIMITS.budget) {
    const all = { items: Number.POSITIVE_INFINITY, characters: Number.POSITIVE_INFINITY };
    this.#outside = new RequestBudget({ ...limits, ...all });
    this.budget = this.#outside;
  }

  isDue(): boolean {
    return this.budget.isDue();
  }

  /** The work as a part of the request. */
  during<Result>(budget: RequestBudget, begin: () => Work<Result>): Work<Result> {
    return within(
      () => this.#set(budget),
      () => this.#set(this.#outside),
      begin,
    );
  }

  #set(budget: RequestBudget): void {
    this.budget = budget;
  }
}

const EXPENSES: readonly Expense[] = ['rows', 'items', 'characters', 'milliseconds', 'answerBytes'];

const WHAT: Readonly<Record<keyof BudgetLimits, string>> = {
  rows: 'rows to combine',
  items: 'items to check',
  rowItems: 'items to check for one row',
  textLength: 'characters in one text',
  characters: 'characters of computed texts',
  matchSteps: 'steps of matching a pattern with one text',
  milliseconds: 'milliseconds of processor time',
  answerBytes: 'bytes in the answer',
};

/** Errors name the variable, for whoever may move the limit. */
function exceeded(limit: keyof BudgetLimits, most: number): GatewayError {
  const { variable } = REQUEST_LIMITS.budget[limit];
  const message = `The request comes to more than ${most} ${WHAT[limit]} (${variable}): ask for less at a time.`;
  return new GatewayError(limit === 'answerBytes' ? 'PayloadTooLarge' : 'BadRequest', message, {
    limit: variable,
  });
}
