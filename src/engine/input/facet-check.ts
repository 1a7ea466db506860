import { plainDigits } from '../../contract/plain-digits.ts';
import type { Value } from '../../contract/row.ts';
import { matchesSafely, type SafeRegExp, safeRegExp } from '../../contract/safe-regexp.ts';
import type { ValueType } from '../../model/edm.ts';
import { fractionDigits } from '../../model/literal-form.ts';
import type { Bound, Facets } from '../../model/type-use.ts';

/** A facet that a value does not keep. */
export interface Violation {
  readonly expected: string;
  readonly found: string;
}

/** The first facet of a primitive type that a value, which is of the type, does not keep; undefined for none. */
export function violatedFacet(type: ValueType, facets: Facets, value: Value): Violation | undefined {
  switch (type.name) {
    case 'Edm.String':
      return lengthOf([...String(value)].length, 'characters', facets) ?? patternOf(String(value), facets);
    case 'Edm.Binary':
      return lengthOf(Buffer.byteLength(String(value), 'base64url'), 'bytes', facets);
    case 'Edm.DateTimeOffset':
    case 'Edm.TimeOfDay':
    case 'Edm.Duration':
      return fractionOf(String(value), facets) ?? patternOf(String(value), facets);
    case 'Edm.Decimal':
      return digitsOf(plainDigits(String(value)), facets) ?? rangeOf(value, facets);
    default:
      return isNumber(value) ? rangeOf(value, facets) : undefined;
  }
}

function isNumber(value: Value): boolean {
  return typeof value === 'number' || typeof value === 'bigint';
}

function lengthOf(length: number, unit: string, { maxLength }: Facets): Violation | undefined {
  if (maxLength === undefined || length <= maxLength) return undefined;
  return { expected: `at most ${maxLength} ${unit}`, found: String(length) };
}

function fractionOf(text: string, { precision }: Facets): Violation | undefined {
  const digits = fractionDigits(text);
  if (precision === undefined || digits <= precision) return undefined;
  return { expected: `seconds with at most ${precision} decimal places`, found: String(digits) };
}

/** CSDL 4.01, 7.2.3 and 7.2.4: digits in all, and right of the point, but for zeros that say nothing. */
function digitsOf(number: string, { precision, scale }: Facets): Violation | undefined {
  const [whole = '', fraction = ''] = number.replace(/^-/, '').split('.');
  const right = fraction.replace(/0+$/, '').length;
  const left = whole.replace(/^0+/, '').length;
  if (typeof scale === 'number' && right > scale) {
    return { expected: `at most ${scale} decimal places`, found: String(right) };
  }
  const room = precision === undefined ? undefined : precision - (typeof scale === 'number' ? scale : right);
  if (room === undefined || left <= room) return undefined;
  return { expected: `at most ${precision} digits`, found: String(left + right) };
}

function rangeOf(value: Value, { minimum, maximum, multipleOf }: Facets): Violation | undefined {
  const number = typeof value === 'string' ? Number(value) : (value as number | bigint);
  if (minimum !== undefined && !isAbove(number, minimum)) {
    return {
      expected: `${minimum.exclusive ? 'more than' : 'at least'} ${minimum.value}`,
      found: String(value),
    };
  }
  if (maximum !== undefined && !isBelow(number, maximum)) {
    return {
      expected: `${maximum.exclusive ? 'less than' : 'at most'} ${maximum.value}`,
      found: String(value),
    };
  }
  if (multipleOf === undefined || isMultiple(Number(number), multipleOf)) return undefined;
  return { expected: `a multiple of ${multipleOf}`, found: String(value) };
}

function isAbove(number: number | bigint, { value, exclusive }: Bound): boolean {
  return exclusive ? number > value : number >= value;
}

function isBelow(number: number | bigint, { value, exclusive }: Bound): boolean {
  return exclusive ? number < value : number <= value;
}

/** Doubles are not exact: 0.3 is a multiple of 0.1 all the same. */
function isMultiple(number: number, unit: number): boolean {
  const quotient = number / unit;
  return !Number.isFinite(quotient) || Math.abs(quotient - Math.round(quotient)) <= Math.abs(quotient) * 1e-9;
}

function patternOf(text: string, facets: Facets): Violation | undefined {
  const { pattern } = facets;
  if (pattern === undefined || matches(text, expressionOf(facets, pattern))) return undefined;
  return { expected: `text that matches ${pattern}`, found: 'other text' };
}

/** What cannot be matched, or not in little time, is left to the upstream. */
function matches(text: string, expression: SafeRegExp | undefined): boolean {
  return expression === undefined || matchesSafely(expression, text) !== false;
}

interface CompiledPattern {
  readonly expression: SafeRegExp | undefined;
}

const COMPILED = new WeakMap<Facets, CompiledPattern>();

function expressionOf(facets: Facets, pattern: string): SafeRegExp | undefined {
  const known = COMPILED.get(facets) ?? { expression: safeRegExp(pattern, '') };
  COMPILED.set(facets, known);
  return known.expression;
}
