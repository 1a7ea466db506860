import type { Evaluate } from '../scope/bound-tree.ts';
import type { ArithmeticOperator } from '../tree/expression-tree.ts';
import { type ExpressionType, isFloating, isInteger } from '../typing/expression-type.ts';
import * as decimal from '../values/decimal.ts';
import { integerValue } from '../values/primitive.ts';

/** The result's type, and how it is found. */
export interface Operation {
  readonly type: ExpressionType;
  readonly evaluate: Evaluate;
}

/** Fails with a BadRequest that points at the operator. */
export type Failure = (message: string) => never;

type Integer = number | bigint;
type IntegerOperator = Exclude<ArithmeticOperator, 'divby'>;

/**
 * An operator on two numbers that are promoted to one type (5.1.1.2).
 *
 * Sums, differences and products of integers are Edm.Int64, so that those of smaller types cannot
 * overflow; `divby` of integers is Edm.Decimal.
 */
export function numericOperation(
  operator: ArithmeticOperator,
  common: ExpressionType,
  fail: Failure,
): Operation {
  const type = resultType(operator, common);
  if (isFloating(common)) {
    return { type, evaluate: FLOATING[operator] };
  }
  return isInteger(common) && operator !== 'divby'
    ? { type, evaluate: integerOperation(operator, fail) }
    : { type, evaluate: decimalOperation(operator, fail) };
}

export function negation(type: ExpressionType, fail: Failure): Operation {
  if (isFloating(type)) {
    return { type, evaluate: (value: number) => -value };
  }
  const difference = numericOperation('sub', type, fail);
  const subtract = difference.evaluate as (
    left: Integer,
    right: decimal.DecimalValue,
  ) => decimal.DecimalValue;
  return { type: difference.type, evaluate: (value: decimal.DecimalValue) => subtract(0, value) };
}

function resultType(operator: ArithmeticOperator, common: ExpressionType): ExpressionType {
  if (!isInteger(common) || operator === 'div' || operator === 'mod') {
    return common;
  }
  return operator === 'divby' ? 'Edm.Decimal' : 'Edm.Int64';
}

const FLOATING: Readonly<Record<ArithmeticOperator, (left: number, right: number) => number>> = {
  add: (left, right) => left + right,
  sub: (left, right) => left - right,
  mul: (left, right) => left * right,
  div: (left, right) => left / right,
  divby: (left, right) => left / right,
  mod: (left, right) => left % right,
};

/** On safe integers: exact, or not a safe integer. */
const FAST: typeof FLOATING = { ...FLOATING, div: (left, right) => (left - (left % right)) / right };

const EXACT: Readonly<Record<IntegerOperator, (left: bigint, right: bigint) => bigint>> = {
  add: (left, right) => left + right,
  sub: (left, right) => left - right,
  mul: (left, right) => left * right,
  div: (left, right) => left / right,
  mod: (left, right) => left % right,
};

function integerOperation(operator: IntegerOperator, fail: Failure): Evaluate {
  const fast = FAST[operator];
  return (left: Integer, right: Integer) => {
    const result = typeof left === 'number' && typeof right === 'number' ? fast(left, right) : Number.NaN;
    // A division by zero comes to NaN; adding zero makes -0 a zero.
    return Number.isSafeInteger(result) ? result + 0 : exactInteger(operator, left, right, fail);
  };
}

function exactInteger(operator: IntegerOperator, left: Integer, right: Integer, fail: Failure): Integer {
  const divides = operator === 'div' || operator === 'mod';
  const divisor = divides ? notZero(right, operator, fail) : right;
  const result = EXACT[operator](BigInt(left), BigInt(divisor));
  return integerValue(result, 'Edm.Int64') ?? fail(`the result of '${operator}' is beyond Edm.Int64`);
}

/** The divisor, where it is one. */
export function notZero<Operand extends decimal.DecimalValue>(
  divisor: Operand,
  operator: string,
  fail: Failure,
): Operand {
  return decimal.isZero(divisor) ? fail(`division by zero in '${operator}'`) : divisor;
}

function decimalOperation(operator: ArithmeticOperator, fail: Failure): Evaluate {
  switch (operator) {
    case 'add':
      return decimal.addDecimals;
    case 'sub':
      return decimal.subtractDecimals;
    case 'mul':
      return decimal.multiplyDecimals;
    case 'div':
      return dividing(operator, decimal.divideDecimals, fail);
    case 'mod':
      return dividing(operator, decimal.remainderOfDecimals, fail);
    case 'divby':
      return divideBy;
  }
}

type DecimalOperation = (left: decimal.DecimalValue, right: decimal.DecimalValue) => decimal.DecimalValue;

function dividing(operator: string, divide: DecimalOperation, fail: Failure): DecimalOperation {
  return (left, right) => divide(left, notZero(right, operator, fail));
}

/** Never fails: by zero it is INF, -INF or NaN (5.1.1.2.5). */
function divideBy(left: decimal.DecimalValue, right: decimal.DecimalValue): decimal.DecimalValue {
  return decimal.isZero(right) ? Number(left) / 0 : decimal.divideDecimals(left, right);
}
