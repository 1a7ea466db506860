import { isObject } from '../core/json-object.ts';

/**
 * The value of a property.
 *
 * Edm.String, dates, times, durations, Guid, Binary and enumerations are strings in their OData form;
 * Int64 and Decimal are bigint and string only where a number would not be exact.
 */
export type Value = string | number | bigint | boolean | null | readonly Value[] | Row;

/** Where a value says that its type is derived from the declared one; no JSON shows it. */
export const TYPE: unique symbol = Symbol('duogate.type');

/** Where an entity that was written says which entity tag the upstream has given it; no JSON shows it. */
export const TAG: unique symbol = Symbol('duogate.tag');

/** Where an entity that was created says that the upstream has told its key alone, by its URL; no JSON shows it. */
export const PARTIAL: unique symbol = Symbol('duogate.partial');

/** An entity or a complex value: OData property names to values. Rows are shared: never change one. */
export interface Row {
  readonly [property: string]: Value;
  /** The simple name of the type, where it is derived from the one that the model declares at this place. */
  readonly [TYPE]?: string;
  readonly [TAG]?: string;
  readonly [PARTIAL]?: true;
}

export function isRow(value: Value | undefined): value is Row {
  return isObject(value);
}

/** The member of that name, null where there is none: what all objects inherit under a name is none of it. */
export function ownValue(value: Value, name: string): Value {
  return isRow(value) && Object.hasOwn(value, name) ? (value[name] ?? null) : null;
}

/** The row that has nothing but a value at the end of a path, in a row for each name on the way. */
export function nestedRow(path: readonly string[], value: Value): Row {
  const [name = '', ...others] = path;
  return { [name]: others.length === 0 ? value : nestedRow(others, value) };
}

/** What a row says of itself and no JSON shows. */
export function signsOf(row: Row): object {
  return Object.fromEntries(
    Object.getOwnPropertySymbols(row).map((sign) => [sign, Reflect.get(row, sign)] as const),
  );
}

/** What a row has under those names, null where it has nothing. */
export function picked(row: Row, names: readonly string[]): Row {
  return Object.fromEntries(names.map((name) => [name, row[name] ?? null]));
}

/** Reads a property of rows. */
export function valueReader(name: string): (row: Row) => Value {
  return isInherited(name) ? (row) => ownValue(row, name) : (row) => row[name] ?? null;
}

/** Whether all objects have something under that name. */
export function isInherited(name: string): boolean {
  return name in Object.prototype;
}

/**
 * The entities of a list: an array, or rows that are made while they are gone through, and made anew each
 * time. Going through them may fail with the GatewayError that reading them would have failed with.
 */
export interface Rows extends Iterable<Row> {
  readonly length: number;
}

/** All of them at once, for what goes through them more than once or looks at some by their place. */
export function arrayOf(rows: Rows): readonly Row[] {
  return Array.isArray(rows) ? rows : [...rows];
}

/** What the function makes of each of the rows, while somebody goes through them. */
export function mappedRows(rows: Rows, map: (row: Row) => Row): Rows {
  return { length: rows.length, [Symbol.iterator]: () => Iterator.from(rows).map(map) };
}

/** The rows from one place to before another; the same where these are all. */
export function rowsBetween(rows: Rows, begin: number, end: number): Rows {
  if (begin === 0 && end >= rows.length) return rows;
  if (Array.isArray(rows)) return rows.slice(begin, end);
  const length = Math.max(0, Math.min(end, rows.length) - begin);
  return { length, [Symbol.iterator]: () => Iterator.from(rows).drop(begin).take(length) };
}

/** How JSON has numbers that doubles do not hold (JSON Format, 3.2 and 3.3). */
interface NumberFormat {
  readonly ieee754Compatible: boolean;
  readonly exponentialDecimals: boolean;
}

/** Makes of a value, which is not null, what JSON.stringify writes as OData's JSON does. */
export type ValueWriter = (value: Value) => Value;

/** TypeScript's library does not know them yet. */
const { rawJSON, isRawJSON } = JSON as typeof JSON & {
  rawJSON(text: string): Row;
  isRawJSON(value: unknown): value is { readonly rawJSON: string };
};

/** What JSON.stringify writes as it stands: a number with all its digits. */
export function rawJson(text: string): Row {
  return rawJSON(text);
}

/** The text that JSON.stringify would write of a scalar, without quotes; undefined for what is none. */
export function scalarText(value: unknown): string | undefined {
  if (isRawJSON(value)) return value.rawJSON;
  return typeof value === 'object' ? undefined : String(value);
}

/**
 * The writer of Int64 and Decimal, which keep all their digits: numbers, or strings for clients whose
 * numbers are doubles; without exponents unless a client takes them (JSON Format, 3.2, 3.3 and 7.1).
 */
export function exactNumberWriter({ ieee754Compatible, exponentialDecimals }: NumberFormat): ValueWriter {
  const digits = exponentialDecimals ? jsonDigits : plainDigits;
  if (ieee754Compatible)
    return (value) => (isFiniteValue(value) ? digits(String(value)) : doubleValue(value));
  return (value) => {
    if (typeof value !== 'number') return rawJson(digits(String(value)));
    if (!Number.isFinite(value)) return doubleValue(value);
    return exponentialDecimals || !hasExponent(value) ? value : rawJson(plainDigits(String(value)));
  };
}

function isFiniteValue(value: Value): boolean {
  return typeof value !== 'number' || Number.isFinite(value);
}

/** ECMAScript, Number::toString: the magnitudes that it writes with an exponent. */
function hasExponent(value: number): boolean {
  const magnitude = Math.abs(value);
  return magnitude >= 1e21 || (magnitude < 1e-6 && magnitude > 0);
}

/** JSON Format, 7.1: what JSON has no number for is a string. */
export function doubleValue(value: Value): Value {
  if (Number.isFinite(value)) return value;
  return Number.isNaN(value) ? 'NaN' : Number(value) > 0 ? 'INF' : '-INF';
}

/** Values of no declared type: large integers keep their digits. */
export function untypedValue(value: Value): Value {
  if (typeof value === 'bigint') return rawJson(String(value));
  if (typeof value !== 'object' || value === null || isRawJSON(value) || value instanceof Number)
    return value;
  if (Array.isArray(value)) return value.map(untypedValue);
  return Object.fromEntries(Object.entries(value as Row).map(([name, item]) => [name, untypedValue(item)]));
}

const EXPONENTIAL = /^(-?)(\d+)(?:\.(\d+))?[eE]([+-]?\d+)$/;

/** The number without a plus sign, zeros in front, or an exponent. */
export function plainDigits(number: string): string {
  const [, sign = '', whole = '', fraction = '', exponent] = EXPONENTIAL.exec(unsigned(number)) ?? [];
  return withoutLeadingZeros(
    exponent === undefined ? unsigned(number) : sign + movePoint(whole, fraction, Number(exponent)),
  );
}

/** JSON has neither a plus sign nor zeros in front (RFC 8259, section 6). */
function jsonDigits(number: string): string {
  return withoutLeadingZeros(unsigned(number));
}

function unsigned(number: string): string {
  return number.startsWith('+') ? number.slice(1) : number;
}

function withoutLeadingZeros(number: string): string {
  return number.replace(/^(-?)0+(?=\d)/, '$1');
}

function movePoint(whole: string, fraction: string, exponent: number): string {
  const digits = whole + fraction;
  const point = whole.length + exponent;
  if (point <= 0) return `0.${'0'.repeat(-point)}${digits}`;
  return point >= digits.length
    ? digits.padEnd(point, '0')
    : `${digits.slice(0, point)}.${digits.slice(point)}`;
}
