import type { Row } from '../../contract/row.ts';
import { type Pace, rowsAtOnce, type Work } from '../../contract/work.ts';
import type { NewAccumulator } from '../aggregate/accumulator.ts';
import type { Run } from '../compile/evaluator.ts';
import type { ResultTypes } from '../results/result-type.ts';
import type { Scope } from '../scope/scope.ts';
import type { Transformation } from '../tree/apply-tree.ts';

/** What goes through its input set more than once, or looks at rows by their place. */
export function overArray(pace: Pace, run: (rows: readonly Row[]) => Work<readonly Row[]>): Run {
  return function* (rows) {
    return yield* run(yield* rowsAtOnce(rows, pace));
  };
}

/** The input set as it is. */
export function identity(pace: Pace): Run {
  return (rows) => rowsAtOnce(rows, pace);
}

/** A transformation, compiled: what it does, and what names mean in the transformation behind it. */
export interface Step {
  readonly run: Run;
  /**
   * Makes one instance of all rows, each of which it needs once; undefined where the transformation does not do
   * that.
   */
  readonly gather?: NewAccumulator<Row> | undefined;
  readonly scope: Scope;
}

/** What transformations that have others within need. */
export interface Applying {
  readonly types: ResultTypes;
  /** Compiles a sequence of transformations whose input is of the scope's instance type. */
  readonly sequence: (transformations: readonly Transformation[], scope: Scope) => Step;
}
