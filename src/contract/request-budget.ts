import { DEFAULT_REQUEST_LIMITS, type LimitsOf, REQUEST_LIMITS } from '../core/request-limits.ts';
import {
  firstTurn,
  hasTime,
  nextTurn,
  type Pace,
  rowsAtOnce,
  spend,
  type Work,
  within,
} from '../core/work.ts';
import { GatewayError } from './gateway-error.ts';
import type { Row, Rows } from './row.ts';

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
