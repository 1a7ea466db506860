import type { Row } from '../../contract/row.ts';
import type { Work } from '../../contract/work.ts';
import type { Run } from '../compile/evaluator.ts';
import { membersOf, requireNewName, typeOfInstances, withDynamic } from '../results/result-scope.ts';
import type { Scope } from '../scope/scope.ts';
import type { Transformation } from '../tree/apply-tree.ts';
import type { CurrentRun } from '../values/current-run.ts';
import { collectResults } from './collect-results.ts';
import { bindItems } from './nested-items.ts';
import type { Applying, Step } from './step.ts';

type Join = Extract<Transformation, { kind: 'join' | 'outerjoin' }>;

/**
 * join, outerjoin (Data Aggregation 4.0, 3.5.1): an instance for each item of a collection in it, after the
 * items are transformed. Only outerjoin keeps instances without items.
 */
export function compileJoin(
  { kind, path, alias, then, position }: Join,
  scope: Scope,
  applying: Applying,
): Step {
  requireNewName(alias, membersOf(scope), scope, position);
  const items = bindItems(kind, path, position, scope);
  const inner = applying.sequence(then, items.scope);
  return {
    run: joining(scope.current, alias, (row) => inner.run(items.of(row)), kind === 'outerjoin'),
    scope: withDynamic(scope, alias, typeOfInstances(inner.scope, kind, applying.types)),
  };
}

function joining(
  current: CurrentRun,
  alias: string,
  items: (row: Row) => Work<readonly Row[]>,
  isOuter: boolean,
): Run {
  return (rows) =>
    collectResults(current, rows, function* (row) {
      const found = yield* items(row);
      if (isOuter && found.length === 0) return [{ ...row, [alias]: null }];
      return found.map((item) => ({ ...row, [alias]: item }));
    });
}
