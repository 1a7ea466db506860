import type { Row } from '../../contract/row.ts';
import type { Work } from '../../contract/work.ts';
import { dynamicMember, type Members, merged, NO_MEMBERS } from '../results/members.ts';
import { instanceType, requireNewName, scopeOfResults, typeOfInstances } from '../results/result-scope.ts';
import type { Scope } from '../scope/scope.ts';
import type { Transformation } from '../tree/apply-tree.ts';
import { collectionOf } from '../typing/expression-type.ts';
import { type Applying, overArray, type Step } from './step.ts';

type Nest = Extract<Transformation, { kind: 'nest' }>;

/** nest (Data Aggregation 4.0, 3.5.3): one instance that has the results of sequences as collections. */
export function compileNest({ items, position }: Nest, scope: Scope, applying: Applying): Step {
  const steps = items.map(({ alias, then }) => ({ alias, ...applying.sequence(then, scope) }));
  const members = steps.reduce<Members>((before, { alias, scope: results }) => {
    requireNewName(alias, before, scope, position);
    const type = collectionOf(typeOfInstances(results, 'nest', applying.types));
    return merged(before, dynamicMember(scope.model, alias, type));
  }, NO_MEMBERS);
  return {
    run: overArray(scope.current, function* (rows) {
      return [yield* resultsByName(steps, rows)];
    }),
    scope: scopeOfResults(scope, applying.types.define(instanceType(scope), 'nest', members)),
  };
}

/** What each of the sequences makes of the rows, under its name. */
export function* resultsByName(
  steps: readonly (Pick<Step, 'run'> & { readonly alias: string })[],
  rows: readonly Row[],
): Work<Row> {
  const results: Record<string, readonly Row[]> = {};
  for (const { alias, run } of steps) results[alias] = yield* run(rows);
  return results;
}
