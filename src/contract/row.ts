import { isObject } from '../core/json-object.ts';

/**
 * The value of a property.
 *
 * Edm.String, dates, times, durations, Guid, Binary and enumerations are strings in their OData form; Int64
 * and Decimal are bigint and string only if a number would be inexact.
 */
export type Value = string | number | bigint | boolean | null | readonly Value[] | Row;

/** Holds the name of a derived type in a value; never serialized. */
export const TYPE: unique symbol = Symbol('duogate.type');

/** Holds the upstream's entity tag of a changed entity; never serialized. */
export const TAG: unique symbol = Symbol('duogate.tag');

/** Marks a created entity of which the upstream returned only the key, as its URL; never serialized. */
export const PARTIAL: unique symbol = Symbol('duogate.partial');

/** An entity or a complex value: values by OData property name. Rows are shared and must not be changed. */
export interface Row {
  readonly [property: string]: Value;
  /** The simple name of the type, if it is derived from the declared one. */
  readonly [TYPE]?: string;
  readonly [TAG]?: string;
  readonly [PARTIAL]?: true;
}

export function isRow(value: Value | undefined): value is Row {
  return isObject(value);
}

/** The own member of that name, or null; ignores members that all objects inherit. */
export function ownValue(value: Value, name: string): Value {
  return isRow(value) && Object.hasOwn(value, name) ? (value[name] ?? null) : null;
}

/** A row with a value at the end of a path of nested rows. */
export function nestedRow(path: readonly string[], value: Value): Row {
  const [name = '', ...others] = path;
  return { [name]: others.length === 0 ? value : nestedRow(others, value) };
}

/** The symbol members of a row. */
export function signsOf(row: Row): object {
  return Object.fromEntries(
    Object.getOwnPropertySymbols(row).map((sign) => [sign, Reflect.get(row, sign)] as const),
  );
}

/** The members with these names; null for missing ones. */
export function picked(row: Row, names: readonly string[]): Row {
  return Object.fromEntries(names.map((name) => [name, row[name] ?? null]));
}

export function valueReader(name: string): (row: Row) => Value {
  return isInherited(name) ? (row) => ownValue(row, name) : (row) => row[name] ?? null;
}

/** Whether all objects inherit a member of that name. */
export function isInherited(name: string): boolean {
  return name in Object.prototype;
}

/**
 * The entities of a list: an array, or rows that are decoded on each iteration. Iterating may throw the
 * GatewayError of a failed read.
 */
export interface Rows extends Iterable<Row> {
  readonly length: number;
}

/** All rows in an array, for repeated or indexed access. */
export function arrayOf(rows: Rows): readonly Row[] {
  return Array.isArray(rows) ? rows : [...rows];
}

/** Maps rows lazily, on each iteration. */
export function mappedRows(rows: Rows, map: (row: Row) => Row): Rows {
  return { length: rows.length, [Symbol.iterator]: () => Iterator.from(rows).map(map) };
}

/** A range of the rows; returns the same object for all rows. */
export function rowsBetween(rows: Rows, begin: number, end: number): Rows {
  if (begin === 0 && end >= rows.length) return rows;
  if (Array.isArray(rows)) return rows.slice(begin, end);
  const length = Math.max(0, Math.min(end, rows.length) - begin);
  return { length, [Symbol.iterator]: () => Iterator.from(rows).drop(begin).take(length) };
}

/** The JSON format of numbers that doubles cannot hold (JSON Format, 3.2 and 3.3). */
interface NumberFormat {
  readonly ieee754Compatible: boolean;
  readonly exponentialDecimals: boolean;
}

/** Converts a non-null value to one that JSON.stringify writes in OData's JSON format. */
export type ValueWriter = (value: Value) => Value;

/** TypeScript's library lacks these functions. */
const { rawJSON, isRawJSON } = JSON as typeof JSON & {
  rawJSON(text: string): Row;
  isRawJSON(value: unknown): value is { readonly rawJSON: string };
};

/** A value that JSON.stringify writes unchanged: a number with all its digits. */
export function rawJson(text: string): Row {
  return rawJSON(text);
}

/** The text that JSON.stringify would write for a scalar, without quotes; undefined for objects. */
export function scalarText(value: unknown): string | undefined {
  if (isRawJSON(value)) return value.rawJSON;
  return typeof value === 'object' ? undefined : String(value);
}

/**
 * Writes Int64 and Decimal with all digits: as numbers, or as strings for IEEE754Compatible clients; with
 * exponents only if the client accepts them (JSON Format, 3.2, 3.3 and 7.1).
 */
export function exactNumberWriter({ ieee754Compatible, exponentialDecimals }: NumberFormat): ValueWriter {
  const digits = exponentialDecimals ? jsonDigits : plainDigits;
  if (ieee754Compatible)
    return (value) =>
      typeof value !== 'number' || Number.isFinite(value) ? digits(String(value)) : doubleValue(value);
  return (value) => {
    if (typeof value !== 'number') return rawJson(digits(String(value)));
    if (!Number.isFinite(value)) return doubleValue(value);
    return exponentialDecimals || !hasExponent(value) ? value : rawJson(plainDigits(String(value)));
  };
}

/** ECMAScript, Number::toString: magnitudes that are written with an exponent. */
function hasExponent(value: number): boolean {
  const magnitude = Math.abs(value);
  return magnitude >= 1e21 || (magnitude < 1e-6 && magnitude > 0);
}

/** JSON Format, 7.1: INF, -INF and NaN are strings. */
export function doubleValue(value: Value): Value {
  if (Number.isFinite(value)) return value;
  return Number.isNaN(value) ? 'NaN' : Number(value) > 0 ? 'INF' : '-INF';
}

/** A value of no declared type; large integers keep all digits. */
export function untypedValue(value: Value): Value {
  if (typeof value === 'bigint') return rawJson(String(value));
  if (typeof value !== 'object' || value === null || isRawJSON(value) || value instanceof Number)
    return value;
  if (Array.isArray(value)) return value.map(untypedValue);
  return Object.fromEntries(Object.entries(value as Row).map(([name, item]) => [name, untypedValue(item)]));
}

const EXPONENTIAL = /^(-?)(\d+)(?:\.(\d+))?[eE]([+-]?\d+)$/;

/** The number without a plus sign, leading zeros or an exponent. */
export function plainDigits(number: string): string {
  const [, sign = '', whole = '', fraction = '', exponent] = EXPONENTIAL.exec(unsigned(number)) ?? [];
  return withoutLeadingZeros(
    exponent === undefined ? unsigned(number) : sign + movePoint(whole, fraction, Number(exponent)),
  );
}

/** Removes a plus sign and leading zeros, which JSON does not allow (RFC 8259, section 6). */
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
