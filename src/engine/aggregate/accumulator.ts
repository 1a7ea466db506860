import type { Row } from '../../contract/row.ts';
import type { Rows } from '../../contract/rows.ts';
import { finished, type Pace, type Work } from '../../contract/work.ts';

/** Makes one result of rows that come one after the other, and that it need not keep. */
export interface Accumulator<Result> {
  add(row: Row): void;
  result(): Result;
  /** Makes the result in steps, where that may take long. */
  readonly work?: (() => Work<Result>) | undefined;
}

/** Begins with no rows. */
export type NewAccumulator<Result> = () => Accumulator<Result>;

/** Begins a group, with no rows either: the row that will be its first is given for what all of them share. */
export type NewGroupAccumulator<Result> = (first: Row) => Accumulator<Result>;

export function* gathered<Result>(gather: NewAccumulator<Result>, rows: Rows, pace: Pace): Work<Result> {
  const gathering = gather();
  for (const row of rows) {
    gathering.add(row);
    if (pace.isDue()) yield;
  }
  const { work } = gathering;
  return work === undefined ? gathering.result() : yield* work();
}

/** The results of all groups. */
export function* gatheredAll<Result>(
  groups: readonly Accumulator<Result>[],
  pace: Pace,
): Work<readonly Result[]> {
  const results: Result[] = [];
  for (const group of groups) {
    const { work } = group;
    results.push(work === undefined ? group.result() : yield* work());
    if (pace.isDue()) yield;
  }
  return results;
}

/** For what can only be made of all rows at once. */
export function gatherRows<Result>(resultOf: (rows: readonly Row[]) => Work<Result>): NewAccumulator<Result> {
  return () => {
    const rows: Row[] = [];
    const work = () => resultOf(rows);
    return { add: (row) => void rows.push(row), result: () => finished(work()), work };
  };
}

export function gatherThen<Inner, Result>(
  gather: NewAccumulator<Inner>,
  resultOf: (result: Inner) => Result,
): NewAccumulator<Result> {
  return () => gatheringThen(gather(), resultOf);
}

/** What is made of a result, once it is there. */
export function gatheringThen<Inner, Result>(
  { add, result, work }: Accumulator<Inner>,
  resultOf: (result: Inner) => Result,
): Accumulator<Result> {
  return { add, result: () => resultOf(result()), work: work && (() => workThen(work(), resultOf)) };
}

export function* workThen<Inner, Result>(
  work: Work<Inner>,
  resultOf: (result: Inner) => Result,
): Work<Result> {
  return resultOf(yield* work);
}
