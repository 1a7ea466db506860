import type { Row, Rows, Value } from '../../contract/row.ts';
import type { Pace, Work } from '../../core/work.ts';
import { bindExpression } from '../bind/bind-expression.ts';
import { compileValue, type Evaluator } from '../compile/compile.ts';
import { compileOrder, createSorter, type RowOrder, sortRows } from '../query/order.ts';
import type { Run } from '../query/pipeline.ts';
import { badRequest, constant, quote, readAs, type Scope } from '../scope/scope.ts';
import type { Expression, Transformation } from '../tree/query-tree.ts';
import { isNumeric, typeName } from '../typing/expression-type.ts';
import { addDecimals, compareDecimals, type DecimalValue, multiplyDecimals } from '../values/decimal.ts';
import { identity, overArray } from './compiled-transformation.ts';

type Rank = Extract<Transformation, { kind: 'rank' }>;

/**
 * topcount, topsum, toppercent and their counterparts (Data Aggregation 4.0, 3.3.1): the rows with the
 * highest or lowest values, in that order, until there are enough of them.
 */
export function compileRank({ method, amount, by }: Rank, scope: Scope): Run {
  const order = compileOrder([{ ...by, expression: by, descending: method.startsWith('top') }], [], scope);
  const { current } = scope;
  if (order === undefined) return identity(current);
  if (method.endsWith('count')) {
    const count = compileAmount(amount, method, scope, isCount, 'a positive integer');
    return (rows) => firstOf(rows, order, Number(count()), current);
  }
  const sort = overArray(current, (rows) => sortRows(rows, [order.first, ...order.rest], current));
  const bound = readAs(bindExpression(by, scope), 'Edm.Decimal');
  if (!isNumeric(bound.type)) throw unfit(method, 'a number to add up', typeName(bound.type), by, scope);
  const value = compileValue(bound);
  if (method.endsWith('sum')) {
    const limit = compileAmount(amount, method, scope, () => true, 'a number');
    return function* (rows) {
      return yield* upToSum(yield* sort(rows), value, limit(), current);
    };
  }
  const percentage = compileAmount(amount, method, scope, isPercentage, 'a positive number up to 100');
  // Both sides of the comparison are a hundred times as large, so that nothing has to be divided.
  const hundredfold = multiplied(value, 100);
  return overArray(current, function* (rows) {
    const limit = multiplyDecimals(yield* sumOf(rows, value, current), percentage());
    return yield* upToSum(yield* sort(rows), hundredfold, limit, current);
  });
}

function* firstOf(rows: Rows, order: RowOrder, count: number, pace: Pace): Work<readonly Row[]> {
  const sorter = createSorter(order, Math.min(count, rows.length));
  for (const row of rows) {
    sorter.offer(row);
    if (pace.isDue()) yield;
  }
  return yield* sorter.take(pace);
}

/**
 * The amount is the same for all rows: no path can lead into one, and only `$these` makes it depend on them.
 * What is constant is checked before anything runs.
 */
function compileAmount(
  amount: Expression,
  method: string,
  scope: Scope,
  fits: (value: DecimalValue) => boolean,
  expected: string,
): () => DecimalValue {
  const nothing = constant(null, 'null', amount.position);
  const bound = bindExpression(amount, { ...scope, instance: nothing, it: nothing, computed: new Map() });
  if (!isNumeric(bound.type)) throw unfit(method, expected, typeName(bound.type), amount, scope);
  const evaluate = compileValue(bound);
  const read = () => {
    const value = evaluate(NO_ROW);
    if (value !== null && fits(value as DecimalValue)) return value as DecimalValue;
    throw unfit(method, expected, String(value), amount, scope);
  };
  if (bound.kind === 'constant') read();
  return read;
}

const NO_ROW: Row = {};

function isCount(value: DecimalValue): boolean {
  return Number.isInteger(Number(value)) && Number(value) > 0;
}

function isPercentage(value: DecimalValue): boolean {
  return Number(value) > 0 && Number(value) <= 100;
}

function unfit(
  method: string,
  expected: string,
  found: string,
  { position }: Expression,
  scope: Scope,
): Error {
  return badRequest(scope, position, `${quote(method)} expects ${expected}, found ${found}`);
}

/**
 * The shortest prefix of the rows whose sum reaches the limit (or falls to it, if negative), or all rows
 * (3.3.1.3).
 */
function* upToSum(
  rows: readonly Row[],
  value: Evaluator,
  limit: DecimalValue,
  pace: Pace,
): Work<readonly Row[]> {
  let sum: DecimalValue = 0;
  const isNegative = compareDecimals(limit, 0) < 0;
  const isReached = (reached: DecimalValue) =>
    isNegative ? compareDecimals(reached, limit) <= 0 : compareDecimals(reached, limit) >= 0;
  for (const [index, row] of rows.entries()) {
    if (isReached(sum)) return rows.slice(0, index);
    sum = add(sum, value(row));
    if (pace.isDue()) yield;
  }
  return rows;
}

function* sumOf(rows: readonly Row[], value: Evaluator, pace: Pace): Work<DecimalValue> {
  let sum: DecimalValue = 0;
  for (const row of rows) {
    sum = add(sum, value(row));
    if (pace.isDue()) yield;
  }
  return sum;
}

/** Null adds nothing. Small integers need no exact arithmetic. */
function add(sum: DecimalValue, value: Value): DecimalValue {
  if (value === null) return sum;
  const fast = typeof sum === 'number' && Number.isInteger(value) ? sum + Number(value) : Number.NaN;
  return Number.isSafeInteger(fast) ? fast : addDecimals(sum, value as DecimalValue);
}

function multiplied(value: Evaluator, factor: number): Evaluator {
  return (row) => {
    const found = value(row);
    return found === null ? null : multiplyDecimals(found as DecimalValue, factor);
  };
}
