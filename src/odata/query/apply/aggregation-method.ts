import type { Row, Value } from '../../../contract/entity-source.ts';
import { memberNumber } from '../bind-comparison.ts';
import type { BoundExpression } from '../bound-tree.ts';
import { type Key, orderingOf } from '../compare.ts';
import { compileValue } from '../compile.ts';
import { type DecimalValue, divideDecimals } from '../decimal.ts';
import type { Evaluator } from '../evaluator.ts';
import {
  type ExpressionType,
  isCollection,
  isFloating,
  isGeography,
  isInteger,
  isNumeric,
} from '../expression-type.ts';
import { keyReader } from '../key-reader.ts';
import { enumerationType, structuredType } from '../model-type.ts';
import { badRequest, quote, type Scope } from '../scope.ts';
import { readAs } from '../untyped.ts';
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
  const value = compileValue(expression);
  if (isFloating(type)) return { type: 'Edm.Double', fold: floatingSum(value) };
  const isSmall = isInteger(type) && type !== 'Edm.Int64';
  return {
    type: isSmall ? 'Edm.Int64' : 'Edm.Decimal',
    fold(rows) {
      const { total, count } = exactTotal(rows, value);
      if (count === 0) return null;
      return isSmall && typeof total === 'string' ? BigInt(total) : total;
    },
  };
}

/** 3.1.3.4: Edm.Double for floating types, else Edm.Decimal. */
function average(expression: BoundExpression): Folded {
  const value = compileValue(expression);
  if (isFloating(expression.type)) {
    const total = floatingSum(value);
    const count = countValues(value);
    return {
      type: 'Edm.Double',
      fold(rows) {
        const found = total(rows);
        return found === null ? null : Number(found) / count(rows);
      },
    };
  }
  return {
    type: 'Edm.Decimal',
    fold(rows) {
      const { total, count } = exactTotal(rows, value);
      return count === 0 ? null : divideDecimals(total, count);
    },
  };
}

function floatingSum(value: Evaluator): Fold {
  return (rows) => {
    let total: number | null = null;
    for (const row of rows) {
      const found = value(row);
      if (found !== null) total = (total ?? 0) + Number(found);
    }
    return total;
  };
}

function exactTotal(rows: readonly Row[], value: Evaluator): { total: DecimalValue; count: number } {
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

function countValues(value: Evaluator): (rows: readonly Row[]) => number {
  return (rows) => rows.reduce((count, row) => (value(row) === null ? count : count + 1), 0);
}

/** 3.1.3.2 and 3.1.3.3: the least or the greatest value, of the same type. */
function extreme(method: string, expression: BoundExpression, scope: Scope): Folded {
  const enumeration = enumerationType(scope.model, expression.type);
  const compared = enumeration === undefined ? expression : memberNumber(expression, enumeration);
  const value = compileValue(expression);
  const ordering = orderingOf(compared.type);
  const key = keyReader(compileValue(compared), ordering);
  const sign = method === 'min' ? -1 : 1;
  return {
    type: expression.type,
    fold(rows) {
      let best: Key | undefined;
      let found: Row | undefined;
      for (const row of rows) {
        const next = key(row);
        if (next === null || (best !== undefined && !(ordering.compare(next, best) * sign > 0))) continue;
        best = next;
        found = row;
      }
      return found === undefined ? null : value(found);
    },
  };
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

function requireNumber(
  method: string,
  found: BoundExpression,
  scope: Scope,
  position: number,
): BoundExpression {
  const expression = readAs(found, 'Edm.Decimal');
  if (!isNumeric(expression.type)) throw unfit(method, 'a number', expression, scope, position);
  return expression;
}

function requireSingle(
  method: string,
  expression: BoundExpression,
  scope: Scope,
  position: number,
): BoundExpression {
  if (isCollection(expression.type)) throw unfit(method, 'a single value', expression, scope, position);
  return expression;
}

function requireOrdered(
  method: string,
  expression: BoundExpression,
  scope: Scope,
  position: number,
): BoundExpression {
  const { type } = expression;
  const hasNone = isCollection(type) || isGeography(type) || structuredType(scope.model, type) !== undefined;
  if (hasNone) throw unfit(method, 'a primitive value', expression, scope, position);
  return expression;
}

function unfit(
  method: string,
  expected: string,
  { type }: BoundExpression,
  scope: Scope,
  position: number,
): Error {
  return badRequest(scope, position, `${quote(method)} expects ${expected}, found ${type}`);
}
