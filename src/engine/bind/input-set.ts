import type { Row } from '../../contract/row.ts';
import { type Work, within } from '../../contract/work.ts';
import { variableOf } from '../scope/bound-tree.ts';
import type { InputSet, Scope } from '../scope/scope.ts';
import { collectionOf } from '../typing/expression-type.ts';

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

/** Runs what reads the set, or the node, which compiled queries do not keep. */
export function withInput<Result>(
  { variable: { cell } }: InputSet,
  input: readonly Row[] | Row,
  begin: () => Work<Result>,
): Work<Result> {
  return within(
    () => {
      cell.value = input;
    },
    () => {
      cell.value = null;
    },
    begin,
  );
}
