import { arrayOf } from '../../../contract/rows.ts';
import type { Run } from '../apply/step.ts';
import { variableOf } from './bound-tree.ts';
import { collectionOf } from './expression-type.ts';
import type { InputSet, Scope } from './scope.ts';

/** `$these` where the instances of the scope go through (Data Aggregation 4.0, 5.1). */
export function inputSet(
  { instance, reads, related, calls }: Pick<Scope, 'instance' | 'reads' | 'related' | 'calls'>,
  position: number,
): InputSet {
  return {
    variable: variableOf(collectionOf(instance.type), position),
    reads: { properties: reads, related, calls },
    isAskedFor: false,
  };
}

/** What comes before the expressions, whose output is then the set that they read. */
export function fillingInput({ variable, isAskedFor }: InputSet, before: Run | undefined): Run | undefined {
  if (!isAskedFor) return before;
  return (rows) => {
    const input = arrayOf(before === undefined ? rows : before(rows));
    variable.cell.value = input;
    return input;
  };
}

/** Runs what reads the set, which compiled queries do not keep. */
export function withInput<Result>({ variable: { cell } }: InputSet, run: () => Result): Result {
  try {
    return run();
  } finally {
    cell.value = null;
  }
}
