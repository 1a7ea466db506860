import type { Transformation } from '../../url/tree.ts';
import { collectionOf } from '../bind/expression-type.ts';
import { notImplemented, quote, type Scope } from '../bind/scope.ts';
import { bindItems } from './nested-items.ts';
import { membersOf, requireNewName, typeOfInstances, withDynamic } from './result-scope.ts';
import { type Applying, overArray, type Step } from './step.ts';

type AddNested = Extract<Transformation, { kind: 'addnested' }>;

/**
 * addnested (Data Aggregation 4.0, 3.5.2): instances keep what they have, with the results of sequences over
 * their related items as collections.
 *
 * NotImplemented for a path of several segments, whose results belong to what its last but one leads to.
 */
export function compileAddNested(
  { path, items, position }: AddNested,
  scope: Scope,
  applying: Applying,
): Step {
  if (path.length > 1) throw notImplemented(scope, position, `'addnested' along ${quote(path.join('/'))}`);
  const nested = bindItems('addnested', path, position, scope);
  const steps = items.map(({ alias, then }) => ({ alias, ...applying.sequence(then, nested.scope) }));
  return {
    run: overArray((rows) =>
      rows.map((row) => {
        const found = nested.of(row);
        return { ...row, ...Object.fromEntries(steps.map(({ alias, run }) => [alias, run(found)])) };
      }),
    ),
    scope: steps.reduce((before, { alias, scope: results }) => {
      requireNewName(alias, membersOf(before), scope, position);
      return withDynamic(before, alias, collectionOf(typeOfInstances(results, 'addnested', applying.types)));
    }, scope),
  };
}
