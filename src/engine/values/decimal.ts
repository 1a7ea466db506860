import { GatewayError } from '../../contract/gateway-error.ts';

/**
 * Edm.Decimal with exact values: a number, or a string (or bigint) if a number would be inexact.
 *
 * A number represents its shortest decimal form: 0.1 is one tenth.
 */
export type DecimalValue = number | bigint | string;

/** coefficient × 10^-scale */
interface Parts {
  readonly coefficient: bigint;
  readonly scale: number;
}

const FORM = /^([+-]?)(\d{1,400})(?:\.(\d{1,400}))?(?:[eE]([+-]?\d{1,3}))?$/;
/** Maximum number of digits before or after the point, as in {@link FORM}. */
const MOST_DIGITS = 400;
/** Significant digits, or one more, of a quotient that does not end earlier. */
const QUOTIENT_DIGITS = 28;
/** Any decimal of so many digits is the shortest form of a double. */
const EXACT_DIGITS = 15;

/** The value that the text names, or undefined where it is not a decimal, or one of more digits than are taken. */
export function parseDecimal(text: string): DecimalValue | undefined {
  if (!FORM.test(text)) return undefined;
  const parts = withoutTrailingZeros(partsOfText(text));
  return isTooLong(parts) ? undefined : plainValue(parts);
}

/** Throws BadRequest for a decimal of more digits than are taken: any other value would be a wrong one. */
function partsOfText(text: string): Parts {
  const found = FORM.exec(text);
  if (found === null) throw tooLong();
  const [, sign = '', whole = '0', fraction = '', exponent = '0'] = found;
  const coefficient = BigInt(whole + fraction);
  return {
    coefficient: sign === '-' ? -coefficient : coefficient,
    scale: fraction.length - Number(exponent),
  };
}

function partsOf(value: DecimalValue): Parts {
  return typeof value === 'bigint' ? { coefficient: value, scale: 0 } : partsOfText(String(value));
}

/** Throws BadRequest where a result has more digits than are taken. */
function toValue(parts: Parts): DecimalValue {
  const shortest = withoutTrailingZeros(parts);
  if (isTooLong(shortest)) throw tooLong();
  return plainValue(shortest);
}

function isTooLong({ coefficient, scale }: Parts): boolean {
  return scale > MOST_DIGITS || String(magnitude(coefficient)).length - scale > MOST_DIGITS;
}

function tooLong(): GatewayError {
  return new GatewayError('BadRequest', `Decimals of more than ${MOST_DIGITS} digits are not computed with.`);
}

function plainValue({ coefficient, scale }: Parts): DecimalValue {
  const digits = String(magnitude(coefficient));
  if (digits.length <= EXACT_DIGITS && Math.abs(scale) < 300) {
    return Number(`${coefficient}e${-scale}`);
  }
  return (coefficient < 0n ? '-' : '') + withPoint(digits, scale);
}

function withoutTrailingZeros({ coefficient, scale }: Parts): Parts {
  let rest = coefficient;
  let places = scale;
  while (rest !== 0n && rest % 10n === 0n) {
    rest /= 10n;
    places -= 1;
  }
  return { coefficient: rest, scale: rest === 0n ? 0 : places };
}

function withPoint(digits: string, scale: number): string {
  if (scale <= 0) {
    return digits + '0'.repeat(-scale);
  }
  const padded = digits.padStart(scale + 1, '0');
  return `${padded.slice(0, -scale)}.${padded.slice(-scale)}`;
}

function power(exponent: number): bigint {
  return 10n ** BigInt(exponent);
}

/** Both coefficients at the finer of the two scales. */
function align(left: Parts, right: Parts): readonly [bigint, bigint, number] {
  const scale = Math.max(left.scale, right.scale);
  return [
    left.coefficient * power(scale - left.scale),
    right.coefficient * power(scale - right.scale),
    scale,
  ];
}

function isFiniteValue(value: DecimalValue): boolean {
  return typeof value !== 'number' || Number.isFinite(value);
}

/** Negative, zero or positive; NaN where one of them is not a number. */
export function compareDecimals(left: DecimalValue, right: DecimalValue): number {
  if (typeof left === 'number' && typeof right === 'number') {
    return left - right || (left === right ? 0 : Number.NaN);
  }
  if (!isFiniteValue(left) || !isFiniteValue(right)) {
    return Number(left) - Number(right);
  }
  const [first, second] = align(partsOf(left), partsOf(right));
  return first < second ? -1 : first > second ? 1 : 0;
}

/** An exact operation; with INF or NaN, which only `divby` makes, that of doubles. */
function operation(
  exact: (left: Parts, right: Parts) => Parts,
  floating: (left: number, right: number) => number,
): (left: DecimalValue, right: DecimalValue) => DecimalValue {
  return (left, right) =>
    isFiniteValue(left) && isFiniteValue(right)
      ? toValue(exact(partsOf(left), partsOf(right)))
      : floating(Number(left), Number(right));
}

export const addDecimals = operation(
  (left, right) => {
    const [first, second, scale] = align(left, right);
    return { coefficient: first + second, scale };
  },
  (left, right) => left + right,
);

export const subtractDecimals = operation(
  (left, right) => {
    const [first, second, scale] = align(left, right);
    return { coefficient: first - second, scale };
  },
  (left, right) => left - right,
);

export const multiplyDecimals = operation(
  (left, right) => ({
    coefficient: left.coefficient * right.coefficient,
    scale: left.scale + right.scale,
  }),
  (left, right) => left * right,
);

/** The divisor must not be zero. A quotient that does not end is rounded to 28 or 29 significant digits. */
export const divideDecimals = operation(divideParts, (left, right) => left / right);

/** The divisor must not be zero. The result has the sign of the dividend. */
export const remainderOfDecimals = operation(
  (left, right) => {
    const [first, second, scale] = align(left, right);
    return { coefficient: first % second, scale };
  },
  (left, right) => left % right,
);

function divideParts(left: Parts, right: Parts): Parts {
  const extra = Math.max(0, QUOTIENT_DIGITS + digitCount(right) - digitCount(left));
  return {
    coefficient: divideRounding(left.coefficient * power(extra), right.coefficient),
    scale: left.scale + extra - right.scale,
  };
}

function digitCount({ coefficient }: Parts): number {
  return String(magnitude(coefficient)).length;
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}

/** Half away from zero. */
function divideRounding(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  const rest = dividend % divisor;
  const up = dividend < 0n === divisor < 0n ? 1n : -1n;
  return 2n * magnitude(rest) >= magnitude(divisor) ? quotient + up : quotient;
}

export function isZero(value: DecimalValue): boolean {
  return compareDecimals(value, 0) === 0;
}

/** Half away from zero (5.1.1.9.1), `floor` or `ceiling`, of any numeric value. */
export function roundDecimal(value: DecimalValue, mode: 'round' | 'floor' | 'ceiling'): DecimalValue {
  if (!isFiniteValue(value)) {
    return value;
  }
  const { coefficient, scale } = partsOf(value);
  return scale <= 0 ? value : toValue({ coefficient: roundParts(coefficient, power(scale), mode), scale: 0 });
}

function roundParts(coefficient: bigint, unit: bigint, mode: 'round' | 'floor' | 'ceiling'): bigint {
  const whole = coefficient / unit;
  const exact = whole * unit === coefficient;
  switch (mode) {
    case 'round':
      return divideRounding(coefficient, unit);
    case 'floor':
      return exact || coefficient > 0n ? whole : whole - 1n;
    case 'ceiling':
      return exact || coefficient < 0n ? whole : whole + 1n;
  }
}
