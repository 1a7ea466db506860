import { DEFAULT_REQUEST_LIMITS } from '../../contract/request-limits.ts';
import type { Row, Rows, Value } from '../../contract/row.ts';
import { type BudgetLimits, type Pace, RequestBudget, type Work, within } from '../../contract/work.ts';

/** One run of what was compiled, in all of its parts: `now()` is one instant in it, and it has one budget. */
export interface QueryRun {
  /** When it began, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly budget: RequestBudget;
}

export function beginRun(budget: RequestBudget): QueryRun {
  return { startedAt: Date.now(), budget };
}

/**
 * The run that is under way: a compiled query runs many times, for one request after the other.
 *
 * It is set before each stretch of a run, so that one record per compiled query is enough.
 */
export class CurrentRun implements Pace, QueryRun {
  /** Whether the query asks for the time: its answers grow old although the data does not change. */
  isAskedForTime = false;
  startedAt: number;
  budget: RequestBudget;
  readonly #outside: QueryRun;

  /** What is computed once, before or between runs, has bounds as each by itself, and none together. */
  constructor(limits: BudgetLimits = DEFAULT_REQUEST_LIMITS.budget) {
    const all = { items: Number.POSITIVE_INFINITY, characters: Number.POSITIVE_INFINITY };
    this.#outside = beginRun(new RequestBudget({ ...limits, ...all }));
    this.startedAt = this.#outside.startedAt;
    this.budget = this.#outside.budget;
  }

  isDue(): boolean {
    return this.budget.isDue();
  }

  /** The work as a part of the run. */
  during<Result>(run: QueryRun, begin: () => Work<Result>): Work<Result> {
    return within(
      () => this.#set(run),
      () => this.#set(this.#outside),
      begin,
    );
  }

  #set({ startedAt, budget }: QueryRun): void {
    this.startedAt = startedAt;
    this.budget = budget;
  }
}

/** The value of an expression for a row. */
export type Evaluator = (row: Row) => Value;

/** Whether something holds for a row: there is no third answer. */
export type Predicate = (row: Row) => boolean;

/** What a transformation does with its input set. Neither the rows nor their array are changed. */
export type Run = (rows: Rows) => Work<readonly Row[]>;
