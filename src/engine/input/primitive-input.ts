import { plainDigits, type Row, type Value } from '../../contract/row.ts';
import { ExactNumber } from '../../core/exact-number.ts';
import { matchesSafely, type SafeRegExp, safeRegExp } from '../../core/safe-regexp.ts';
import type { EnumerationType, TypeUse, ValueType } from '../../model/edm.ts';
import {
  type Facets,
  fractionDigits,
  hasLiteralForm,
  type OpaqueTypeName,
  type PrimitiveTypeName,
} from '../../model/type-use.ts';
import { parseEnumeration } from '../values/enumeration.ts';
import { integerValue, NAMED_NUMBERS, parsePrimitive } from '../values/primitive.ts';
import { describe, isInputObject, quote } from './mistakes.ts';
import type { Reading } from './reading.ts';

/**
 * The primitive value for a non-null JSON value (JSON Format, 7.1), or undefined if it is invalid. Int64 and
 * Decimal are accepted as numbers and strings, regardless of IEEE754Compatible, because both are unambiguous.
 */
export function readPrimitive(type: PrimitiveTypeName | OpaqueTypeName, json: unknown): Value | undefined {
  switch (type) {
    case 'Edm.Boolean':
      return typeof json === 'boolean' ? json : undefined;
    case 'Edm.Byte':
    case 'Edm.SByte':
    case 'Edm.Int16':
    case 'Edm.Int32': {
      const number = json instanceof ExactNumber ? json.valueOf() : json;
      return Number.isInteger(number) ? integerValue(BigInt(number as number), type) : undefined;
    }
    case 'Edm.Int64':
      return readInt64(json);
    case 'Edm.Decimal':
      return readDecimal(json);
    case 'Edm.Single':
    case 'Edm.Double':
      return readFloating(json);
    case 'Edm.Untyped':
      return plainJson(json);
    case 'Edm.Stream':
      return undefined;
    default:
      return type.startsWith('Edm.Geography') ? readGeography(type, json) : readText(type, json);
  }
}

function readText(type: PrimitiveTypeName | OpaqueTypeName, json: unknown): string | undefined {
  if (typeof json !== 'string') return undefined;
  if (type === 'Edm.Binary') return readBinary(json);
  const isFree = type === 'Edm.String';
  return (isFree ? json.isWellFormed() : hasLiteralForm(type, json)) ? json : undefined;
}

const BASE64 = /^[\w+/-]*={0,2}$/;
const DECIMAL = /^[+-]?\d{1,400}(?:\.\d{1,400})?(?:[eE][+-]?\d{1,3})?$/;
/** Any decimal of so many digits is the shortest form of a double. */
const EXACT_DIGITS = 15;

function readInt64(json: unknown): Value | undefined {
  // A number that is no exact one has the digits that it was written with.
  const text = typeof json === 'number' ? String(json) : textOf(json);
  return text === undefined ? undefined : parsePrimitive('Edm.Int64', text);
}

function readDecimal(json: unknown): Value | undefined {
  if (typeof json === 'number') return Number.isFinite(json) ? json : undefined;
  const text = textOf(json);
  if (text === undefined || !DECIMAL.test(text)) return undefined;
  return text.length <= EXACT_DIGITS && !/e/i.test(text) ? Number(text) : text;
}

function readFloating(json: unknown): number | undefined {
  const number = json instanceof ExactNumber ? json.valueOf() : json;
  return NAMED_NUMBERS.get(json) ?? (Number.isFinite(number) ? Number(number) : undefined);
}

function textOf(json: unknown): string | undefined {
  if (json instanceof ExactNumber) return json.text;
  return typeof json === 'string' ? json : undefined;
}

/** base64url; the other alphabet is understood, too. */
function readBinary(text: string): string | undefined {
  const digits = text.replace(/=+$/, '').length;
  return BASE64.test(text) && digits % 4 !== 1 ? text.replaceAll('+', '-').replaceAll('/', '_') : undefined;
}

/** RFC 7946; the type's name is the one in the model without `Geography`. */
function readGeography(type: string, json: unknown): Value | undefined {
  if (!isInputObject(json)) return undefined;
  const name = type.slice('Edm.Geography'.length);
  const isCollection = name === 'Collection';
  const parts = isCollection ? json['geometries'] : json['coordinates'];
  const isNamed = json['type'] === (isCollection ? 'GeometryCollection' : name);
  return isNamed && Array.isArray(parts) ? plainJson(json) : undefined;
}

/** JSON of any kind as a value, with numbers as near as doubles come. */
export function plainJson(json: unknown): Value {
  if (json instanceof ExactNumber) return /^-?\d+$/.test(json.text) ? BigInt(json.text) : Number(json.text);
  if (Array.isArray(json)) return json.map(plainJson);
  if (!isInputObject(json)) return json as Value;
  const members = Object.entries(json).map(([name, value]) => [name, plainJson(value)] as const);
  return Object.fromEntries(members) as Row;
}

/** A primitive value within its facets (CSDL 4.01, 7.2). */
export function readPrimitiveValue(reading: Reading, use: TypeUse, json: unknown, path: string): Value {
  const { type } = use;
  const value = type.kind === 'primitive' ? readTyped(reading, type.name, json) : undefined;
  if (value === undefined) {
    reading.mistakes.add(path, type.name, describe(json));
    return null;
  }
  keepFacets(reading, use, value, path);
  return value;
}

function readTyped(
  { ofText }: Reading,
  type: PrimitiveTypeName | OpaqueTypeName,
  json: unknown,
): Value | undefined {
  const isText = ofText !== undefined && typeof json === 'string';
  return readPrimitive(type, isText ? ofText(type, json) : json);
}

/** Reports the facet that a value violates. */
export function keepFacets(
  { mistakes }: Pick<Reading, 'mistakes'>,
  { type, facets }: Pick<TypeUse, 'type' | 'facets'>,
  value: Value,
  path: string,
): void {
  const violation = violatedFacet(type, facets, value);
  if (violation !== undefined) mistakes.add(path, violation.expected, violation.found);
}

/** A member of an enumeration, or several where it is one of flags. */
export function readMember({ mistakes }: Reading, type: EnumerationType, json: unknown, path: string): Value {
  const member = readEnumeration(type, json);
  if (member !== undefined) return member;
  mistakes.add(path, `a member of ${type.name}`, typeof json === 'string' ? quote(json) : describe(json));
  return null;
}

/** Names or numeric values, several of them or their sum for flags (JSON Format, 7.1; ABNF, enumValue). */
function readEnumeration(type: EnumerationType, json: unknown): string | undefined {
  if (typeof json !== 'string' && typeof json !== 'number') return undefined;
  // Others may have the same number.
  const named = type.members.find(({ name }) => name === json);
  return named?.name ?? parseEnumeration(type, String(json));
}

/** A facet that a value does not keep. */
export interface Violation {
  readonly expected: string;
  readonly found: string;
}

/** The first facet of a primitive type that a value, which is of the type, does not keep; undefined for none. */
function violatedFacet(type: ValueType, facets: Facets, value: Value): Violation | undefined {
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
      return typeof value === 'number' || typeof value === 'bigint' ? rangeOf(value, facets) : undefined;
  }
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
  if (minimum !== undefined && !(minimum.exclusive ? number > minimum.value : number >= minimum.value)) {
    return {
      expected: `${minimum.exclusive ? 'more than' : 'at least'} ${minimum.value}`,
      found: String(value),
    };
  }
  if (maximum !== undefined && !(maximum.exclusive ? number < maximum.value : number <= maximum.value)) {
    return {
      expected: `${maximum.exclusive ? 'less than' : 'at most'} ${maximum.value}`,
      found: String(value),
    };
  }
  if (multipleOf === undefined || isMultiple(Number(number), multipleOf)) return undefined;
  return { expected: `a multiple of ${multipleOf}`, found: String(value) };
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

/** Patterns that cannot be matched quickly are left to the upstream. */
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
