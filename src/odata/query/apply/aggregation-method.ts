import type { Row, Value } from '../../../contract/entity-source.ts';
import { memberNumber } from '../bind/bind-comparison.ts';
import type { BoundExpression } from '../bind/bound-tree.ts';
import { type ExpressionType, isFloating, isInteger } from '../bind/expression-type.ts';
import { enumerationType } from '../bind/model-type.ts';
import type { Scope } from '../bind/scope.ts';
import { compileValue } from '../compile/compile.ts';
import type { Evaluator } from '../compile/evaluator.ts';
import { keyReader } from '../compile/key-reader.ts';
import { isPlain, type Key, type Ordering, orderingOf } from '../values/compare.ts';
import { type DecimalValue, divideDecimals } from '../values/decimal.ts';
import { requireNumber, requireOrdered, requireSingle } from './aggregation-operand.ts';
import { ExactSum } from './exact-sum.ts';
import { groupKey } from './group-key.ts';

/** Makes one value of the rows of a group. */
export type Fold = (rows: readonly Row[]) => Value;

/** An aggregation method on an expression: its value for rows, and the type of that. */
export interface Folded {
  readonly type: ExpressionType;
  readonly fold: Fold;
}

/** What is said of the number of anything: Edm.Decimal with the scale 0 (Data Aggregation 4.0, 3.1.3.5). */
export const COUNT_TYPE: ExpressionType = 'Edm.Decimal';

/** A standard aggregation method (Data Aggregation 4.0, 3.1.3). Null is left out by all of them. */
export function bindMethod(
  method: string,
  expression: BoundExpression,
  scope: Scope,
  position: number,
): Folded {
  switch (method) {
    case 'sum':
      return sum(requireNumber(method, expression, scope, position));
    case 'average':
      return average(requireNumber(method, expression, scope, position));
    case 'countdistinct':
      return countDistinct(requireSingle(method, expression, scope, position), scope);
    default:
      return extreme(method, requireOrdered(method, expression, scope, position), scope);
  }
}

/** 3.1.3.1: of a type that no sum of the values is too large for; null where there is no value. */
function sum(expression: BoundExpression): Folded {
  const { type } = expression;
  const totalOf = compileTotal(expression);
  const isSmall = isInteger(type) && type !== 'Edm.Int64';
  return {
    type: isFloating(type) ? 'Edm.Double' : isSmall ? 'Edm.Int64' : 'Edm.Decimal',
    fold(rows) {
      const { total, count } = totalOf(rows);
      if (count === 0) return null;
      return isSmall && typeof total === 'string' ? BigInt(total) : total;
    },
  };
}

/** 3.1.3.4: Edm.Double for floating types, else Edm.Decimal. */
function average(expression: BoundExpression): Folded {
  const type = isFloating(expression.type) ? 'Edm.Double' : 'Edm.Decimal';
  const totalOf = compileTotal(expression);
  return {
    type,
    fold(rows) {
      const { total, count } = totalOf(rows);
      if (count === 0) return null;
      return type === 'Edm.Double' ? Number(total) / count : divideDecimals(total, count);
    },
  };
}

interface Total {
  readonly total: DecimalValue;
  /** How many values are not null. */
  readonly count: number;
}

function compileTotal(expression: BoundExpression): (rows: readonly Row[]) => Total {
  const value = compileValue(expression);
  return isFloating(expression.type)
    ? (rows) => floatingTotal(rows, value)
    : (rows) => exactTotal(rows, value);
}

function floatingTotal(rows: readonly Row[], value: Evaluator): Total {
  let total = 0;
  let count = 0;
  for (const row of rows) {
    const found = value(row);
    if (found === null) continue;
    total += found as number;
    count += 1;
  }
  return { total, count };
}

function exactTotal(rows: readonly Row[], value: Evaluator): Total {
  const sum = new ExactSum();
  let count = 0;
  for (const row of rows) {
    const found = value(row);
    if (found === null) continue;
    sum.add(found as DecimalValue);
    count += 1;
  }
  return { total: sum.total(), count };
}

/** 3.1.3.2 and 3.1.3.3: the least or the greatest value, of the same type. */
function extreme(method: string, expression: BoundExpression, scope: Scope): Folded {
  const enumeration = enumerationType(scope.model, expression.type);
  const compared = enumeration === undefined ? expression : memberNumber(expression, enumeration);
  const value = compileValue(expression);
  const ordering = orderingOf(compared.type);
  const key = keyReader(compileValue(compared), ordering);
  const isBeyond = method === 'min' ? isBelow(ordering) : isAbove(ordering);
  return {
    type: expression.type,
    fold(rows) {
      let best: Key | undefined;
      let found: Row | undefined;
      for (const row of rows) {
        const next = key(row);
        if (next === null || (best === undefined ? Number.isNaN(next) : !isBeyond(next, best))) continue;
        best = next;
        found = row;
      }
      return found === undefined ? null : value(found);
    },
  };
}

function isBelow(ordering: Ordering): (left: Key, right: Key) => boolean {
  if (isPlain(ordering)) return (left, right) => left < right;
  return (left, right) => ordering.compare(left, right) < 0;
}

function isAbove(ordering: Ordering): (left: Key, right: Key) => boolean {
  if (isPlain(ordering)) return (left, right) => left > right;
  return (left, right) => ordering.compare(left, right) > 0;
}

/** 3.1.3.5: how many different values there are. */
function countDistinct(expression: BoundExpression, scope: Scope): Folded {
  const value = compileValue(expression);
  const key = groupKey(expression, scope);
  return {
    type: COUNT_TYPE,
    fold(rows) {
      const values = new Set<unknown>();
      for (const row of rows) {
        const found = value(row);
        if (found !== null) values.add(key === undefined ? found : key(found));
      }
      return values.size;
    },
  };
}

/** Numbers of items that are counted for each row: none is none, and not null. */
export function total(expression: BoundExpression): Folded {
  const value = compileValue(expression);
  return { type: COUNT_TYPE, fold: (rows) => rows.reduce((sum, row) => sum + Number(value(row)), 0) };
}
