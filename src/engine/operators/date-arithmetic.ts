import type { ArithmeticOperator } from '../tree/expression-tree.ts';
import { type ExpressionType, isNumeric } from '../typing/expression-type.ts';
import {
  dateInPicoseconds,
  dateTimeParts,
  instantOf,
  PICOSECONDS,
  writeDate,
  writeDateTime,
} from '../values/date-time.ts';
import { type DecimalValue, divideDecimals, multiplyDecimals, roundDecimal } from '../values/decimal.ts';
import { durationOf, writeDuration } from '../values/duration.ts';
import { type Failure, notZero, type Operation } from './numeric-arithmetic.ts';

/** An operator on dates, times and durations (5.1.1.2), or undefined where it has no meaning for them. */
export function temporalOperation(
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
  return OPERATIONS.get(`${left} ${operator} ${right}`);
}

export function negateDuration(duration: string): string {
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

/** What is below a picosecond is cut off. */
function writeScaled(picoseconds: DecimalValue, fail: Failure): string {
  const size = Number(picoseconds);
  // NaN is not shorter, either.
  if (!(Math.abs(size) < LONGEST)) {
    return fail('the duration is too long');
  }
  return writeDuration(BigInt(roundDecimal(picoseconds, size < 0 ? 'ceiling' : 'floor')));
}
