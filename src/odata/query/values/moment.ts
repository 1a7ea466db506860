/**
 * The run that is under way: a compiled query runs many times, and `now()` is one instant in each run.
 *
 * Runs are synchronous, so one record per compiled query is enough.
 */
export interface Moment {
  /** When the run began, in milliseconds since 1970. */
  startedAt: number;
  /** Whether the query asks for the time: its answers grow old although the data does not change. */
  isAskedFor: boolean;
  /** What `matchesPattern` has taken in this run, in milliseconds. */
  patternTime: number;
  /** How many items lambda operators and conditions have gone through in this run. */
  items: number;
  /** How many instances transformations of `$apply` have made of others, or put into others, in this run. */
  results: number;
}

export function createMoment(): Moment {
  return { startedAt: 0, isAskedFor: false, patternTime: 0, items: 0, results: 0 };
}

export function beginRun(moment: Moment): void {
  moment.startedAt = Date.now();
  moment.patternTime = 0;
  moment.items = 0;
  moment.results = 0;
}
