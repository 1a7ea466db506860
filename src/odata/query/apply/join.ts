import type { Row, Value } from '../../../contract/entity-source.ts';
import type { Transformation } from '../../url/tree.ts';
import { bindExpression } from '../bind/bind.ts';
import { isCollection } from '../bind/expression-type.ts';
import { structuredType } from '../bind/model-type.ts';
import { badRequest, quote, type Scope } from '../bind/scope.ts';
import { compileValue } from '../compile/compile.ts';
import { bindNames } from './aggregate.ts';
import { type CollectResults, collectAt } from './collect-results.ts';
import { membersOf, requireNewName, scopeOfItems, typeOfInstances, withDynamic } from './result-scope.ts';
import type { Applying, Run, Step } from './step.ts';

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
  const joined = bindNames(path, position, scope, bindExpression);
  const itemScope = scopeOfItems(scope, joined);
  if (structuredType(scope.model, itemScope.instance.type) === undefined) {
    throw badRequest(
      scope,
      position,
      `${quote(kind)} expects entities or complex values, found ${joined.type}`,
    );
  }
  const inner = applying.sequence(then, itemScope);
  const value = compileValue(joined);
  const items: (row: Row) => readonly Row[] = isCollection(joined.type)
    ? (row) => (value(row) ?? []) as readonly Value[] as readonly Row[]
    : (row) => only(value(row) as Row | null);
  return {
    run: joining(alias, (row) => inner.run(items(row)), kind === 'outerjoin', collectAt(scope, position)),
    scope: withDynamic(scope, alias, typeOfInstances(inner.scope, kind, applying.types)),
  };
}

function only(value: Row | null): readonly Row[] {
  return value === null ? [] : [value];
}

function joining(
  alias: string,
  items: (row: Row) => readonly Row[],
  isOuter: boolean,
  collect: CollectResults,
): Run {
  return (rows) =>
    collect(rows, (row) => {
      const found = items(row);
      if (isOuter && found.length === 0) return [{ ...row, [alias]: null }];
      return found.map((item) => ({ ...row, [alias]: item }));
    });
}
