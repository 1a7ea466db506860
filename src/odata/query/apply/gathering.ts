import type { Row } from '../../../contract/entity-source.ts';
import type { Rows } from '../../../contract/rows.ts';
import type { Pace, Work } from '../../../contract/work.ts';

/** Makes one result of rows that come one after the other, and that it need not keep. */
export interface Gathering<Result> {
  add(row: Row): void;
  result(): Work<Result>;
}

/** Begins with no rows. */
export type Gather<Result> = () => Gathering<Result>;

/** Begins a group, with no rows either: the row that will be its first is given for what all of them share. */
export type GatherGroup<Result> = (first: Row) => Gathering<Result>;

export function* gathered<Result>(gather: Gather<Result>, rows: Rows, pace: Pace): Work<Result> {
  const gathering = gather();
  for (const row of rows) {
    gathering.add(row);
    if (pace.isDue()) yield;
  }
  return yield* gathering.result();
}

/** For what can only be made of all rows at once. */
export function gatherRows<Result>(resultOf: (rows: readonly Row[]) => Work<Result>): Gather<Result> {
  return () => {
    const rows: Row[] = [];
    return { add: (row) => void rows.push(row), result: () => resultOf(rows) };
  };
}

export function gatherThen<Inner, Result>(
  gather: Gather<Inner>,
  resultOf: (result: Inner) => Result,
): Gather<Result> {
  return () => {
    const { add, result } = gather();
    return {
      add,
      *result() {
        return resultOf(yield* result());
      },
    };
  };
}
