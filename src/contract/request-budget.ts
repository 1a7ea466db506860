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

/** The limited quantities. */
type Expense = Exclude<keyof BudgetLimits, 'textLength' | 'rowItems' | 'matchSteps'>;

/** Number of rows between two looks at the clock. */
const ROWS_PER_LOOK = 128;
/** Equivalents of cost: items per row. */
const ITEMS_PER_ROW = 8;
/** Nodes, characters and steps per item. */
const NODES_PER_ITEM = 4;
const CHARACTERS_PER_ITEM = 64;
const STEPS_PER_ITEM = 4;

/**
 * The limits of one request; all parts of a batch share the budget of the batch.
 *
 * Rows, items, characters, bytes and time are charged where the work is done; exceeding a limit throws an
 * error that names it. Long work runs here in stretches, with other requests between them.
 */
export class RequestBudget implements Pace {
  /** Milliseconds since 1970. */
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
  #awaited: Promise<void> | undefined;
  #isRenewed = false;
  #kept = 0;
  /** The cost of the current row, in items. */
  #rowWork = 0;

  /**
   * Starts a budget. Work stops once the signal is aborted. All charges also count for the enclosing budget.
   */
  constructor(limits: BudgetLimits, signal?: AbortSignal, within?: RequestBudget) {
    this.#limits = limits;
    this.#signal = signal;
    this.#within = within;
  }

  /** Charges rows that are combined: joined, multiplied, or nested. */
  chargeRows(rows: number): void {
    this.#charge('rows', rows);
  }

  /** Charges items of collections, for an expression with `nodes` nodes. */
  chargeItems(items: number, nodes = 1): void {
    this.#chargeRow(items * Math.max(1, nodes / NODES_PER_ITEM));
    this.#charge('items', items);
  }

  /** Charges a pattern match: in the worst case, each character takes as many steps as the pattern's size. */
  chargeMatch(length: number, size: number): void {
    const steps = length * size;
    if (steps > this.#limits.matchSteps) throw exceeded('matchSteps', this.#limits.matchSteps);
    this.#chargeRow(steps / STEPS_PER_ITEM);
  }

  /** Charges a text that an expression creates. */
  chargeText(length: number): void {
    this.#chargeRow(length / CHARACTERS_PER_ITEM);
    if (length > this.#limits.textLength) throw exceeded('textLength', this.#limits.textLength);
    this.#charge('characters', length);
  }

  /** Charges milliseconds of work outside {@link run}. */
  chargeTime(milliseconds: number): void {
    this.#charge('milliseconds', milliseconds);
  }

  /**
   * Charges bytes of a response while it is written. They are returned once it is complete, and charged to
   * its holder.
   */
  chargeAnswer(bytes: number): void {
    this.#charge('answerBytes', bytes);
  }

  /** Charges bytes of a complete response that waits for others. Never throws. */
  hold(bytes: number): void {
    this.#add('answerBytes', bytes);
  }

  /** Returns the bytes charged by {@link chargeAnswer}. */
  returnAnswer(bytes: number): void {
    this.#add('answerBytes', -bytes);
  }

  /** Throws if the held responses leave no room for another. */
  assertRoom(): void {
    const { answerBytes } = this.#limits;
    if (this.#used.answerBytes >= answerBytes) throw exceeded('answerBytes', answerBytes);
  }

  /** Begins the budget anew, but for the bytes of the answer: for the next portion of a list that is not held as a whole. */
  renew(): void {
    this.#isRenewed = true;
    for (const expense of RENEWED) this.#add(expense, -this.#used[expense]);
  }

  /** Counts a group, or a distinct value, that is kept of a list that is not held as a whole. */
  keep(): void {
    this.#kept += 1;
    if (this.#isRenewed && this.#kept > MOST_KEPT) throw tooManyKept();
  }

  /** Suspends the work that is run, at its next pause, until the promise settles: the next row is not there yet. */
  waitFor(arrival: Promise<void>): void {
    this.#awaited = arrival;
    this.#rowsToLook = 0;
  }

  isDue(): boolean {
    this.#rowsToLook -= 1;
    return this.#rowsToLook < 0;
  }

  /** Runs work, and lets others run after each stretch. */
  async run<Result>(work: Work<Result>): Promise<Result> {
    if (!hasTime()) await firstTurn();
    for (;;) {
      this.#signal?.throwIfAborted();
      const { done, value } = this.#work(work);
      const awaited = this.#awaited;
      this.#awaited = undefined;
      if (done === true) return value;
      await (awaited ?? nextTurn());
    }
  }

  /** All rows in an array; lets others run while rows are computed. */
  async rows(rows: Rows): Promise<readonly Row[]> {
    return Array.isArray(rows) ? rows : this.run(rowsAtOnce(rows, this));
  }

  /** Returns what this budget has used to the enclosing one. */
  release(): void {
    if (this.#within === undefined) return;
    for (const expense of EXPENSES) this.#within.#add(expense, -this.#used[expense]);
  }

  /** Runs one stretch of the work. */
  #work<Result>(work: Work<Result>): IteratorResult<void, Result> {
    for (;;) {
      const start = performance.now();
      this.#rowsToLook = ROWS_PER_LOOK;
      this.#rowWork = 0;
      const step = work.next();
      const taken = performance.now() - start;
      spend(taken);
      this.#charge('milliseconds', taken);
      if (step.done === true || !hasTime() || this.#awaited !== undefined) return step;
    }
  }

  /** Limits the work for a single row, during which nothing else runs. */
  #chargeRow(items: number): void {
    this.#rowsToLook -= items / ITEMS_PER_ROW;
    this.#rowWork += items;
    if (this.#rowWork > this.#limits.rowItems) throw exceeded('rowItems', this.#limits.rowItems);
  }

  #charge(expense: Expense, amount: number): void {
    this.#add(expense, amount);
    this.#check(expense);
  }

  /** Counts first and checks then, here and in the enclosing budget, so that everything can be returned. */
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
 * The budget of the request that a compiled query currently runs for.
 *
 * Set before each stretch of a run, so that one object per compiled query suffices.
 */
export class CurrentBudget implements Pace {
  /** Whether the work reads the clock: its results age even if the data does not change. */
  isAskedForTime = false;
  budget: RequestBudget;
  readonly #outside: RequestBudget;

  /** Work before or between runs has limits per operation, but no total. */
  constructor(limits: BudgetLimits = DEFAULT_REQUEST_LIMITS.budget) {
    const all = { items: Number.POSITIVE_INFINITY, characters: Number.POSITIVE_INFINITY };
    this.#outside = new RequestBudget({ ...limits, ...all });
    this.budget = this.#outside;
  }

  isDue(): boolean {
    return this.budget.isDue();
  }

  /** Runs the work with the budget of the request. */
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

/** Maximum number of groups and distinct values of a list that is not held as a whole. */
const MOST_KEPT = 1_000_000;

function tooManyKept(): GatewayError {
  const message = `The request comes to more than ${MOST_KEPT} groups and distinct values of a list that is aggregated page by page: narrow it, for example with $filter.`;
  return new GatewayError('BadRequest', message);
}

const RENEWED: readonly Expense[] = ['rows', 'items', 'characters', 'milliseconds'];
const EXPENSES: readonly Expense[] = [...RENEWED, 'answerBytes'];

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

/** Names the variable, so that operators can raise the limit. */
function exceeded(limit: keyof BudgetLimits, most: number): GatewayError {
  const { variable } = REQUEST_LIMITS.budget[limit];
  const message = `The request comes to more than ${most} ${WHAT[limit]} (${variable}): ask for less at a time.`;
  return new GatewayError(limit === 'answerBytes' ? 'PayloadTooLarge' : 'BadRequest', message, {
    limit: variable,
  });
}
