import type { Run } from '../compile/evaluator.ts';
import { createResultTypes } from '../results/result-type.ts';
import type { Scope } from '../scope/scope.ts';
import type { Transformation } from '../tree/apply-tree.ts';
import { countingHeld } from './nested-result-limit.ts';
import type { Applying, Step } from './step.ts';
import { compileSequence } from './transformation.ts';

/**
 * Compiles `$apply` (Data Aggregation 4.0, 3.1): what it makes of the rows, and what names mean in the options
 * that are evaluated behind it.
 *
 * Where instances stay what they are the scope has the type that it had, with the properties that were
 * added among the computed ones; else its type is a {@link ResultType}, which has what is left.
 */
export function compileApply(transformations: readonly Transformation[], scope: Scope): Step {
  const types = createResultTypes(scope.model);
  const applying: Applying = {
    types,
    sequence: (then, inner) => compileSequence(then, inner, applying),
  };
  const applied = applying.sequence(transformations, { ...scope, model: types.model, target: '$apply' });
  const check = countingHeld(applied.scope);
  const { run } = applied;
  return {
    run: check === undefined ? run : checked(run, check),
    scope: { ...applied.scope, these: undefined, target: scope.target },
  };
}

function checked(run: Run, check: Run): Run {
  return function* (rows) {
    return yield* check(yield* run(rows));
  };
}
