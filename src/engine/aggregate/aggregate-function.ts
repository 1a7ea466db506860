import type { Row, Value } from '../../contract/row.ts';
import { finished, type Pace } from '../../contract/work.ts';
import { requireCollection } from '../operators/bind-collection.ts';
import { scopeOfItems } from '../results/result-scope.ts';
import type { BindExpression } from '../scope/bind-expression.ts';
import type { BoundExpression } from '../scope/bound-tree.ts';
import { call } from '../scope/call.ts';
import type { Scope } from '../scope/scope.ts';
import type { PathSegment } from '../tree/expression-tree.ts';
import { gathered, type NewAccumulator } from './accumulator.ts';
import { bindAggregate } from './aggregate.ts';

type AggregateSegment = Extract<PathSegment, { kind: 'aggregate' }>;

/** The function aggregate (Data Aggregation 4.0, 5.1), on a collection in the row or on `$these`. */
export function bindAggregateFunction(
  owner: BoundExpression,
  { item, position }: AggregateSegment,
  scope: Scope,
  bind: BindExpression,
): BoundExpression {
  const collection = requireCollection(owner, `'aggregate'`, scope, position);
  const isThese = owner === scope.these?.variable;
  const itemScope = isThese ? { ...scope, instance: scope.row } : scopeOfItems(scope, collection);
  const { type, gather } = bindAggregate(item, itemScope, bind);
  return call('aggregate', type, position, [collection], gatheredOnce(gather, scope.current));
}

/** For each instance the same collection would be gone through again. */
function gatheredOnce(gather: NewAccumulator<Value>, pace: Pace): (rows: readonly Row[]) => Value {
  const values = new WeakMap<readonly Row[], Value>();
  return (rows) => {
    const known = values.get(rows);
    if (known !== undefined) return known;
    const value = finished(gathered(gather, rows, pace));
    values.set(rows, value);
    return value;
  };
}
