import type { Row, Value } from '../../contract/row.ts';
import { bindNames } from '../aggregate/aggregate.ts';
import { bindExpression } from '../bind/bind.ts';
import { compileValue } from '../compile/compile.ts';
import { scopeOfItems } from '../results/result-scope.ts';
import type { BoundExpression } from '../scope/bound-tree.ts';
import { badRequest, quote, type Scope } from '../scope/scope.ts';
import { isCollection } from '../typing/expression-type.ts';
import { structuredType } from '../typing/model-type.ts';

/** The entities or complex values that a path leads to from each instance, and what is said about them. */
export interface NestedItems {
  readonly scope: Scope;
  readonly of: (row: Row) => readonly Row[];
  /** Whether there can be several. */
  readonly collection: boolean;
}

/** Binds the path that `join`, `outerjoin` and `addnested` transform the items of. */
export function bindItems(
  transformation: string,
  path: readonly string[],
  position: number,
  scope: Scope,
): NestedItems {
  const found = bindNames(path, position, scope, bindExpression);
  const itemScope = scopeOfItems(scope, found);
  if (structuredType(scope.model, itemScope.instance.type) === undefined) {
    throw badRequest(
      scope,
      position,
      `${quote(transformation)} expects entities or complex values, found ${found.type}`,
    );
  }
  const collection = isCollection(found.type);
  const items = collection ? itemsIn(found) : itemIn(found);
  const { current } = scope;
  return {
    scope: itemScope,
    collection,
    of(row) {
      const all = items(row);
      current.budget.chargeRows(all.length);
      return all;
    },
  };
}

function itemsIn(collection: BoundExpression): NestedItems['of'] {
  const value = compileValue(collection);
  return (row) => (value(row) ?? []) as readonly Value[] as readonly Row[];
}

function itemIn(single: BoundExpression): NestedItems['of'] {
  const value = compileValue(single);
  return (row) => only(value(row) as Row | null);
}

function only(value: Row | null): readonly Row[] {
  return value === null ? [] : [value];
}
