import { type BoundExpression, badRequest, call, type Evaluate, type Scope } from '../scope/scope.ts';
import type { ArithmeticOperator } from '../tree/query-tree.ts';
import {
  type ExpressionType,
  isFloating,
  isInteger,
  isNumeric,
  typeName,
  widerType,
} from '../typing/expression-type.ts';
import {
  dateInPicoseconds,
  dateTimeParts,
  durationOf,
  instantOf,
  PICOSECONDS,
  writeDate,
  writeDateTime,
  writeDuration,
} from '../values/date-time.ts';
import * as decimal from '../values/decimal.ts';
import { type DecimalValue, divideDecimals, multiplyDecimals, roundDecimal } from '../values/decimal.ts';
import { integerValue } from '../values/primitive.ts';
import { promote } from './coerce.ts';

/**
 * An arithmetic operator over bound operands (5.1.1.2), or undefined where it has no meaning for their
 * types. Evaluation is a BadRequest at the operator where a result is beyond its type, and for a division
 * by zero that is not one of doubles.
 */
export function bindArithmetic(
  operator: ArithmeticOperator,
  left: BoundExpression,
  right: BoundExpression,
  scope: Scope,
  position: number,
): BoundExpression | undefined {
  const fail = failureAt(scope, position);
  if (isNumeric(left.type) && isNumeric(right.type)) {
    const common = widerType(left.type, right.type);
    const { type, evaluate } = numericOperation(operator, common, fail);
    return call(operator, type, position, [promote(left, common), promote(right, common)], evaluate);
  }
  const operation = temporalOperation(operator, left.type, right.type, fail);
  return operation && call(operator, operation.type, position, [left, right], operation.evaluate);
}

/** `-x` (5.1.1.2.3), or undefined where that has no meaning. */
export function bindNegation(
  operand: BoundExpression,
  scope: Scope,
  position: number,
): BoundExpression | undefined {
  if (operand.type === 'Edm.Duration') {
    return call('negate', operand.type, position, [operand], negateDuration);
  }
  if (!isNumeric(operand.type)) {
    return undefined;
  }
  const { type, evaluate } = negation(operand.type, failureAt(scope, position));
  return call('negate', type, position, [operand], evaluate);
}

function failureAt(scope: Scope, position: number): Failure {
  return (message) => {
    throw badRequest(scope, position, message);
  };
}

/** The result's type, and how it is found. */
interface Operation {
  readonly type: ExpressionType;
  readonly evaluate: Evaluate;
}

/** Fails with a BadRequest that points at the operator. */
type Failure = (message: string) => never;

type Integer = number | bigint;
type IntegerOperator = Exclude<ArithmeticOperator, 'divby'>;

/**
 * An operator on two numbers that are promoted to one type (5.1.1.2).
 *
 * Sums, differences and products of integers are Edm.Int64, so that those of smaller types cannot
 * overflow; `divby` of integers is Edm.Decimal.
 */
function numericOperation(operator: ArithmeticOperator, common: ExpressionType, fail: Failure): Operation {
  const type = resultType(operator, common);
  if (isFloating(common)) {
    return { type, evaluate: FLOATING[operator] };
  }
  return isInteger(common) && operator !== 'divby'
    ? { type, evaluate: integerOperation(operator, fail) }
    : { type, evaluate: decimalOperation(operator, fail) };
}

function negation(type: ExpressionType, fail: Failure): Operation {
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
    // A division by zero is NaN; adding zero turns -0 into 0.
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
function notZero<Operand extends decimal.DecimalValue>(
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

/** An operator on dates, times and durations (5.1.1.2), or undefined where it has no meaning for them. */
function temporalOperation(
  operator: ArithmeticOperator,
  left: ExpressionType,
  right: ExpressionType,
  fail: Failure,
): Operation | undefined {
  if (left === 'Edm.Duration' && isNumeric(right)) {
    return scaling(operator, fail);
  }
  if (isNumeric(left) && right === 'Edm.Duration' && operator === 'mul') {
    return {
      type: right,
      evaluate: (factor: DecimalValue, duration: string) => multiply(duration, factor, fail),
    };
  }
  return OPERATIONS.get(`${typeName(left)} ${operator} ${typeName(right)}`);
}

function negateDuration(duration: string): string {
  return writeDuration(-durationOf(duration));
}

const OPERATIONS: ReadonlyMap<string, Operation> = new Map([
  ['Edm.DateTimeOffset add Edm.Duration', moving('Edm.DateTimeOffset', moveDateTime, 1n)],
  ['Edm.DateTimeOffset sub Edm.Duration', moving('Edm.DateTimeOffset', moveDateTime, -1n)],
  ['Edm.Date add Edm.Duration', moving('Edm.Date', moveDate, 1n)],
  ['Edm.Date sub Edm.Duration', moving('Edm.Date', moveDate, -1n)],
  ['Edm.Duration add Edm.Duration', duration((left, right) => durationOf(left) + durationOf(right))],
  ['Edm.Duration sub Edm.Duration', duration((left, right) => durationOf(left) - durationOf(right))],
  [
    'Edm.DateTimeOffset sub Edm.DateTimeOffset',
    duration((left, right) => instantOf(left) - instantOf(right)),
  ],
  ['Edm.Date sub Edm.Date', duration((left, right) => dateInPicoseconds(left) - dateInPicoseconds(right))],
]);

function moving(
  type: ExpressionType,
  move: (from: string, by: bigint) => string | null,
  direction: bigint,
): Operation {
  return { type, evaluate: (from: string, by: string) => move(from, direction * durationOf(by)) };
}

function moveDateTime(from: string, by: bigint): string | null {
  return writeDateTime(instantOf(from) + by, dateTimeParts(from)?.offset ?? 0);
}

/** A part of a day leads to the day that it falls into. */
function moveDate(from: string, by: bigint): string | null {
  return writeDate(dateInPicoseconds(from) + by);
}

function duration(between: (left: string, right: string) => bigint): Operation {
  return {
    type: 'Edm.Duration',
    evaluate: (left: string, right: string) => writeDuration(between(left, right)),
  };
}

function scaling(operator: ArithmeticOperator, fail: Failure): Operation | undefined {
  switch (operator) {
    case 'mul':
      return {
        type: 'Edm.Duration',
        evaluate: (text: string, factor: DecimalValue) => multiply(text, factor, fail),
      };
    case 'div':
    case 'divby':
      return {
        type: 'Edm.Duration',
        evaluate: (text: string, divisor: DecimalValue) =>
          writeScaled(divideDecimals(durationOf(text), notZero(divisor, operator, fail)), fail),
      };
    default:
      return undefined;
  }
}

function multiply(text: string, factor: DecimalValue, fail: Failure): string {
  return writeScaled(multiplyDecimals(durationOf(text), factor), fail);
}

const LONGEST = 10 ** 12 * Number(PICOSECONDS);

/** Digits below a picosecond are truncated. */
function writeScaled(picoseconds: DecimalValue, fail: Failure): string {
  const size = Number(picoseconds);
  // NaN is not shorter, either.
  if (!(Math.abs(size) < LONGEST)) {
    return fail('the duration is too long');
  }
  return writeDuration(BigInt(roundDecimal(picoseconds, size < 0 ? 'ceiling' : 'floor')));
}
