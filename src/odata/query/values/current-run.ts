import { type BudgetLimits, RequestBudget } from '../../../contract/request-budget.ts';
import { DEFAULT_REQUEST_LIMITS } from '../../../contract/request-limits.ts';
import { type Pace, type Work, within } from '../../../contract/work.ts';

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
export class CurrentRun implements Pace {
  /** Whether the query asks for the time: its answers grow old although the data does not change. */
  isAskedForTime = false;
  readonly #outside: QueryRun;
  #run: QueryRun;

  /** What is computed once, before or between runs, has bounds as each by itself, and none together. */
  constructor(limits: BudgetLimits = DEFAULT_REQUEST_LIMITS.budget) {
    const all = { items: Number.POSITIVE_INFINITY, characters: Number.POSITIVE_INFINITY };
    this.#outside = beginRun(new RequestBudget({ ...limits, ...all }));
    this.#run = this.#outside;
  }

  get startedAt(): number {
    return this.#run.startedAt;
  }

  get budget(): RequestBudget {
    return this.#run.budget;
  }

  isDue(): boolean {
    return this.#run.budget.isDue();
  }

  /** The work as a part of the run. */
  during<Result>(run: QueryRun, begin: () => Work<Result>): Work<Result> {
    return within(
      () => {
        this.#run = run;
      },
      () => {
        this.#run = this.#outside;
      },
      begin,
    );
  }
}
