import type { Row } from '../../contract/row.ts';
import type { Pace, Work } from '../../contract/work.ts';
import type { Run } from '../compile/evaluator.ts';
import { membersOf, requireNewName, typeOfInstances, withDynamic } from '../results/result-scope.ts';
import type { Scope } from '../scope/scope.ts';
import type { Transformation } from '../tree/apply-tree.ts';
import { collectionOf } from '../typing/expression-type.ts';
import { resultsByName } from './nest.ts';
import { bindItems } from './nested-items.ts';
import type { Applying, Step } from './step.ts';

type AddNested = Extract<Transformation, { kind: 'addnested' }>;

/**
 * addnested (Data Aggregation 4.0, 3.5.2): instances keep what they have, with the results of sequences over
 * their related items as collections. Along a path the instances are those that its last property is of, and
 * are held by those that the path starts at.
 */
export function compileAddNested(addNested: AddNested, scope: Scope, applying: Applying): Step {
  const { path } = addNested;
  const first = path.findIndex(isProperty);
  const isLast = !path.slice(first + 1).some(isProperty);
  return isLast ? addResults(addNested, scope, applying) : addWithin(addNested, first + 1, scope, applying);
}

/** The other names in a path are type casts. */
function isProperty(name: string): boolean {
  return !name.includes('.');
}

function addResults({ path, items, position }: AddNested, scope: Scope, applying: Applying): Step {
  const nested = bindItems('addnested', path, position, scope);
  const steps = items.map(({ alias, then }) => ({ alias, ...applying.sequence(then, nested.scope) }));
  return {
    run: eachExtended(scope.current, function* (row) {
      return { ...row, ...(yield* resultsByName(steps, nested.of(row))) };
    }),
    scope: steps.reduce((before, { alias, scope: results }) => {
      requireNewName(alias, membersOf(before), scope, position);
      return withDynamic(before, alias, collectionOf(typeOfInstances(results, 'addnested', applying.types)));
    }, scope),
  };
}

/** The path goes on in what its first names lead to. */
function addWithin(addNested: AddNested, length: number, scope: Scope, applying: Applying): Step {
  const { path, position } = addNested;
  const name = path[length - 1] ?? '';
  const held = bindItems('addnested', path.slice(0, length), position, scope);
  const inner = compileAddNested({ ...addNested, path: path.slice(length) }, held.scope, applying);
  const type = typeOfInstances(inner.scope, 'addnested', applying.types);
  return {
    run: eachExtended(scope.current, function* (row) {
      const found = yield* inner.run(held.of(row));
      return found.length === 0 ? row : { ...row, [name]: held.collection ? found : (found[0] ?? null) };
    }),
    scope: withDynamic(scope, name, held.collection ? collectionOf(type) : type),
  };
}

function eachExtended(pace: Pace, extend: (row: Row) => Work<Row>): Run {
  return function* (rows) {
    const extended: Row[] = [];
    for (const row of rows) {
      extended.push(yield* extend(row));
      if (pace.isDue()) yield;
    }
    return extended;
  };
}
