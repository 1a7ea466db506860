import { heldMembers, instanceType, readWhole, scopeOfResults } from '../results/result-scope.ts';
import type { Scope } from '../scope/scope.ts';
import type { Transformation } from '../tree/apply-tree.ts';
import { collectResults } from './collect-results.ts';
import { mergeMembers } from './merge-members.ts';
import { type Applying, overArray, type Step } from './step.ts';

type Concat = Extract<Transformation, { kind: 'concat' }>;

/** concat (Data Aggregation 4.0, 3.3.2): the results of several sequences on the same input set, in turn. */
export function compileConcat({ sequences, position }: Concat, scope: Scope, applying: Applying): Step {
  const steps = sequences.map((sequence) => applying.sequence(sequence, scope));
  const { current } = scope;
  return {
    run: overArray(current, (rows) => collectResults(current, steps, ({ run }) => run(rows))),
    scope: scopeOfAll(
      steps.map((step) => step.scope),
      scope,
      applying,
      position,
    ),
  };
}

/** Where all sequences leave the instances what they are, so does this; else results have what any of them have. */
function scopeOfAll(scopes: readonly Scope[], scope: Scope, { types }: Applying, position: number): Scope {
  const isSame = scopes.every(
    ({ instance, computed }) =>
      instance.type === scope.instance.type && computed.size === scope.computed.size,
  );
  if (isSame) return scope;
  for (const each of scopes) readWhole(each);
  const members = mergeMembers(scopes.map(heldMembers), 'concat', scope, types, position);
  return scopeOfResults(scope, types.define(instanceType(scope), 'concat', members));
}
