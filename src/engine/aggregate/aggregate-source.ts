import type { Row, Value } from '../../contract/row.ts';
import { compileValue } from '../compile/compile.ts';
import { scopeOfItems } from '../results/result-scope.ts';
import type { BindExpression } from '../scope/bind-expression.ts';
import type { BoundExpression } from '../scope/bound-tree.ts';
import type { Scope } from '../scope/scope.ts';
import type { Expression, PathExpression, PathSegment } from '../tree/expression-tree.ts';
import { isCollection } from '../typing/expression-type.ts';

/** Goes through items that a row has. */
export type VisitItems = (row: Row, visit: (item: Row) => void) => void;

/** What is aggregated: an expression about the rows, or about the items of collections in them. */
interface AggregateSource {
  /** The items that a row has, as often as it has them; undefined for the row itself. */
  readonly visitItems: VisitItems | undefined;
  readonly expression: BoundExpression;
  /** What names mean in the expression. */
  readonly scope: Scope;
}

/**
 * Binds the expression of an aggregate. Behind a collection, a path goes on in each of its items
 * (Data Aggregation 4.0, 3.1.1): `Sales/Amount` of products are the amounts of all their sales.
 */
export function bindSource(expression: Expression, scope: Scope, bind: BindExpression): AggregateSource {
  if (expression.kind === 'path') {
    for (const [index, next] of [...expression.segments.slice(1), undefined].entries()) {
      if (next !== undefined && next.kind !== 'name') continue;
      const collection = bind(upTo(expression, index + 1), scope);
      if (isCollection(collection.type)) {
        return bindItems(collection, expression, expression.segments.slice(index + 1), scope, bind);
      }
    }
  }
  return { visitItems: undefined, expression: bind(expression, scope), scope };
}

function upTo(path: PathExpression, length: number): PathExpression {
  return { ...path, segments: path.segments.slice(0, length) };
}

function bindItems(
  collection: BoundExpression,
  { position }: PathExpression,
  rest: readonly PathSegment[],
  scope: Scope,
  bind: BindExpression,
): AggregateSource {
  const itemScope = scopeOfItems(scope, collection);
  const path: PathExpression = { kind: 'path', position, root: undefined, segments: rest };
  const inner =
    rest.length === 0
      ? { visitItems: undefined, expression: itemScope.instance, scope: itemScope }
      : bindSource(path, itemScope, bind);
  const visitOwn = visitIn(collection, scope);
  const deeper = inner.visitItems;
  if (deeper === undefined) return { ...inner, visitItems: visitOwn };
  return { ...inner, visitItems: (row, visit) => visitOwn(row, (item) => deeper(item, visit)) };
}

/** Those of a collection that is null are none. */
function visitIn(collection: BoundExpression, { current }: Scope): VisitItems {
  const value = compileValue(collection);
  return (row, visit) => {
    const items = (value(row) ?? []) as readonly Value[] as readonly Row[];
    current.budget.chargeItems(items.length);
    for (const item of items) visit(item);
  };
}
