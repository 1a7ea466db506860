import type { ArithmeticOperator } from '../url/tree.ts';
import type { BoundExpression, Evaluate } from './bound-tree.ts';
import { promote } from './coerce.ts';
import {
  dateInPicoseconds,
  dateTimeParts,
  instantOf,
  PICOSECONDS,
  writeDate,
  writeDateTime,
} from './date-time.ts';
import * as decimal from './decimal.ts';
import { durationOf, writeDuration } from './duration.ts';
import type { ExpressionType } from './expression-type.ts';
import { isFloating, isInteger, isNumeric, widerType } from './expression-type.ts';
import { integerValue } from './primitive.ts';
import { badRequest, type Scope } from './scope.ts';

type Integer = number | bigint;

/** An operator with the types it takes: how its result is typed and found. */
export interface Arithmetic {
  readonly type: ExpressionType;
  readonly left: BoundExpression;
  readonly right: BoundExpression;
  readonly evaluate: Evaluate;
}

/** Fails with a BadRequest that points at the operator. */
type Failure = (message: string) => never;

/**
 * An arithmetic operator for the types of its operands (5.1.1.2), or undefined where it has no meaning
 * for them.
 *
 * Sums and products of integers are Edm.Int64, so that those of smaller types cannot overflow; beyond
 * 64 bits, and for a division by zero that is not one of doubles, evaluation is a BadRequest.
 */
export function bindArithmetic(
  operator: ArithmeticOperator,
  left: BoundExpression,
  right: BoundExpression,
  scope: Scope,
  position: number,
): Arithmetic | undefined {
  const fail: Failure = (message) => {
    throw badRequest(scope, position, message);
  };
  return isNumeric(left.type) && isNumeric(right.type)
    ? numeric(operator, left, right, fail)
    : temporal(operator, left, right, fail);
}

function numeric(
  operator: ArithmeticOperator,
  left: BoundExpression,
  right: BoundExpression,
  fail: Failure,
): Arithmetic {
  const common = widerType(left.type, right.type);
  const type = resultType(operator, common);
  const evaluate = isFloating(common)
    ? FLOATING[operator]
    : isInteger(common) && operator !== 'divby'
      ? integerOperation(operator, fail)
      : decimalOperation(operator, fail);
  return { type, left: promote(left, common), right: promote(right, common), evaluate };
}

function resultType(operator: ArithmeticOperator, common: ExpressionType): ExpressionType {
  if (!isInteger(common)) {
    return common;
  }
  switch (operator) {
    case 'divby':
      return 'Edm.Decimal';
    case 'div':
    case 'mod':
      return common;
    default:
      return 'Edm.Int64';
  }
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

const EXACT: Readonly<Record<Exclude<ArithmeticOperator, 'divby'>, (left: bigint, right: bigint) => bigint>> =
  {
    add: (left, right) => left + right,
    sub: (left, right) => left - right,
    mul: (left, right) => left * right,
    div: (left, right) => left / right,
    mod: (left, right) => left % right,
  };

function integerOperation(operator: Exclude<ArithmeticOperator, 'divby'>, fail: Failure): Evaluate {
  const exact = EXACT[operator];
  const divides = operator === 'div' || operator === 'mod';
  const checked = (right: Integer): Integer => (divides ? notZero(right, operator, fail) : right);
  const slow = (left: Integer, right: Integer): Integer =>
    integerValue(exact(BigInt(left), BigInt(checked(right))), 'Edm.Int64') ??
    fail(`the result of '${operator}' is beyond Edm.Int64`);
  const fast = FAST[operator];
  return (left: Integer, right: Integer) => {
    const result = typeof left === 'number' && typeof right === 'number' ? fast(left, right) : Number.NaN;
    // NaN, too, which is what a division by zero comes to.
    return Number.isSafeInteger(result) ? result + 0 : slow(left, right);
  };
}

function notZero<Operand extends decimal.DecimalValue>(
  divisor: Operand,
  operator: string,
  fail: Failure,
): Operand {
  return decimal.isZero(divisor) ? fail(`division by zero in '${operator}'`) : divisor;
}

function decimalOperation(operator: ArithmeticOperator, fail: Failure): Evaluate {
  type Operand = decimal.DecimalValue;
  switch (operator) {
    case 'add':
      return decimal.addDecimals;
    case 'sub':
      return decimal.subtractDecimals;
    case 'mul':
      return decimal.multiplyDecimals;
    case 'div':
      return (left: Operand, right: Operand) => decimal.divideDecimals(left, notZero(right, operator, fail));
    case 'mod':
      return (left: Operand, right: Operand) =>
        decimal.remainderOfDecimals(left, notZero(right, operator, fail));
    case 'divby':
      return (left: Operand, right: Operand) =>
        decimal.isZero(right) ? Number(left) / 0 : decimal.divideDecimals(left, right);
  }
}

/** Dates, times and durations (5.1.1.2.1 to 5.1.1.2.5). */
function temporal(
  operator: ArithmeticOperator,
  left: BoundExpression,
  right: BoundExpression,
  fail: Failure,
): Arithmetic | undefined {
  const found =
    isNumeric(right.type) && left.type === 'Edm.Duration'
      ? scaling(operator, fail)
      : isNumeric(left.type) && right.type === 'Edm.Duration' && operator === 'mul'
        ? swapped(scaling(operator, fail))
        : TEMPORAL.get(`${left.type} ${operator} ${right.type}`);
  return found && { ...found, left, right };
}

type Temporal = Pick<Arithmetic, 'type' | 'evaluate'>;

const TEMPORAL: ReadonlyMap<string, Temporal> = new Map([
  ['Edm.DateTimeOffset add Edm.Duration', moving('Edm.DateTimeOffset', moveDateTime, 1n)],
  ['Edm.DateTimeOffset sub Edm.Duration', moving('Edm.DateTimeOffset', moveDateTime, -1n)],
  ['Edm.Date add Edm.Duration', moving('Edm.Date', moveDate, 1n)],
  ['Edm.Date sub Edm.Duration', moving('Edm.Date', moveDate, -1n)],
  ['Edm.Duration add Edm.Duration', difference((left, right) => durationOf(left) + durationOf(right))],
  ['Edm.Duration sub Edm.Duration', difference((left, right) => durationOf(left) - durationOf(right))],
  [
    'Edm.DateTimeOffset sub Edm.DateTimeOffset',
    difference((left, right) => instantOf(left) - instantOf(right)),
  ],
  ['Edm.Date sub Edm.Date', difference((left, right) => dateInPicoseconds(left) - dateInPicoseconds(right))],
]);

function moving(
  type: ExpressionType,
  move: (from: string, by: bigint) => string | null,
  direction: bigint,
): Temporal {
  return { type, evaluate: (from: string, by: string) => move(from, direction * durationOf(by)) };
}

function moveDateTime(from: string, by: bigint): string | null {
  return writeDateTime(instantOf(from) + by, dateTimeParts(from)?.offset ?? 0);
}

/** Whole days count: a part of a day leads to the day that it falls into. */
function moveDate(from: string, by: bigint): string | null {
  return writeDate(dateInPicoseconds(from) + by);
}

function difference(between: (left: string, right: string) => bigint): Temporal {
  return {
    type: 'Edm.Duration',
    evaluate: (left: string, right: string) => writeDuration(between(left, right)),
  };
}

/** A duration times or divided by a number; what is below a picosecond is cut off. */
function scaling(operator: ArithmeticOperator, fail: Failure): Temporal | undefined {
  if (operator !== 'mul' && operator !== 'div' && operator !== 'divby') {
    return undefined;
  }
  const scale = operator === 'mul' ? decimal.multiplyDecimals : decimal.divideDecimals;
  return {
    type: 'Edm.Duration',
    evaluate: (duration: string, factor: decimal.DecimalValue) =>
      scaled(
        scale(durationOf(duration), operator === 'mul' ? factor : notZero(factor, operator, fail)),
        fail,
      ),
  };
}

function scaled(picoseconds: decimal.DecimalValue, fail: Failure): string {
  const size = Number(picoseconds);
  if (!(Math.abs(size) < 1e12 * Number(PICOSECONDS))) {
    return fail('the duration is too long');
  }
  const towardsZero = size < 0 ? 'ceiling' : 'floor';
  return writeDuration(BigInt(decimal.roundDecimal(picoseconds, towardsZero)));
}

function swapped(scale: Temporal | undefined): Temporal | undefined {
  const evaluate = scale?.evaluate as ((duration: string, factor: number) => string) | undefined;
  return (
    evaluate && {
      type: 'Edm.Duration',
      evaluate: (factor: number, duration: string) => evaluate(duration, factor),
    }
  );
}

/** `-x`, or undefined where that has no meaning (5.1.1.2.3). */
export function bindNegation(operand: BoundExpression, scope: Scope, position: number): Temporal | undefined {
  const { type } = operand;
  if (type === 'Edm.Duration') {
    return { type, evaluate: (duration: string) => writeDuration(-durationOf(duration)) };
  }
  if (!isNumeric(type)) {
    return undefined;
  }
  const zero = { kind: 'constant', value: 0, type, position } as const;
  const subtraction = bindArithmetic('sub', zero, operand, scope, position);
  const subtract = subtraction?.evaluate as ((left: number, right: number) => number) | undefined;
  return isFloating(type) || subtract === undefined
    ? { type, evaluate: (value: number) => -value }
    : { type: resultType('sub', type), evaluate: (value: number) => subtract(0, value) };
}
