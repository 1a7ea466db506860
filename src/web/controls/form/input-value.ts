import { writeValue } from '../../service/entity.ts';
import type { Limits, Property } from '../../service/metadata.ts';

/** The parsed text of an input. */
type InputValue =
  /** Empty: the property is omitted. */
  | { readonly kind: 'none' }
  /** JSON text, which keeps all digits of a number. */
  | { readonly kind: 'value'; readonly json: string }
  | { readonly kind: 'problem'; readonly message: string };

/** The text of a value, without the quotes of a JSON string. */
export function writeInput({ json }: { readonly json: string }): string {
  return json.startsWith('"') ? String(JSON.parse(json)) : json;
}

function value(of: string): InputValue {
  return { kind: 'value', json: JSON.stringify(of) };
}

function problem(message: string): InputValue {
  return { kind: 'problem', message };
}

function readJson(text: string, expected: string): InputValue {
  try {
    JSON.parse(text);
    return { kind: 'value', json: text.trim() };
  } catch {
    return problem(`Expected ${expected}.`);
  }
}

/** Parses the text for a property, or an item of it, by its type and limits. */
export function readInput({ type, nullable, limits }: Property, text: string): InputValue {
  if (text.trim() === '') return nullable ? { kind: 'none' } : problem('Fill this in.');
  switch (type.kind) {
    case 'enum':
      return value(text);
    case 'complex':
      return readJson(text, 'JSON');
    case 'primitive':
      return checkLimits(readPrimitive(type.name, text), limits);
  }
}

/** The value or an error; the service checks it, too. */
function checkLimits(value: InputValue, limits: Limits): InputValue {
  if (value.kind !== 'value') return value;
  const text = writeInput(value);
  const message = value.json.startsWith('"') ? textProblem(text, limits) : numberProblem(text, limits);
  return message === undefined ? value : problem(message);
}

/** MaxLength counts Unicode characters (CSDL 4.01, 7.2.2). */
function textProblem(text: string, { maxLength, pattern, allowedValues }: Limits): string | undefined {
  const length = [...text].length;
  if (maxLength !== undefined && length > maxLength)
    return `At most ${maxLength} characters; this is ${length}.`;
  if (allowedValues !== undefined && !allowedValues.includes(text)) return 'Choose one of the values.';
  if (pattern !== undefined && !matches(text, pattern)) return `Expected text that matches ${pattern}.`;
  return undefined;
}

/** The service checks patterns that browsers do not support. */
function matches(text: string, pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return true;
  }
}

function numberProblem(text: string, { minimum, maximum, scale }: Limits): string | undefined {
  const number = Number(text);
  if (
    minimum !== undefined &&
    (number < minimum.value || (minimum.isExclusive && number === minimum.value))
  ) {
    return minimum.isExclusive ? `More than ${minimum.value}.` : `At least ${minimum.value}.`;
  }
  if (
    maximum !== undefined &&
    (number > maximum.value || (maximum.isExclusive && number === maximum.value))
  ) {
    return maximum.isExclusive ? `Less than ${maximum.value}.` : `At most ${maximum.value}.`;
  }
  const decimals = /\.(\d*?)0*$/.exec(text)?.[1]?.length ?? 0;
  return scale !== undefined && decimals > scale ? `At most ${scale} decimal places.` : undefined;
}

/** Minimum and maximum of the integer types (CSDL 4.01, 3.3). */
const INTEGERS: Readonly<Record<string, readonly [bigint, bigint]>> = {
  'Edm.Byte': [0n, 255n],
  'Edm.SByte': [-128n, 127n],
  'Edm.Int16': [-32_768n, 32_767n],
  'Edm.Int32': [-2_147_483_648n, 2_147_483_647n],
  'Edm.Int64': [-9_223_372_036_854_775_808n, 9_223_372_036_854_775_807n],
};

interface TextForm {
  readonly pattern: RegExp;
  readonly expected: string;
}

/** Types whose JSON strings have a certain form. */
const TEXT_FORMS: Readonly<Record<string, TextForm>> = {
  'Edm.Date': { pattern: /^\d{4}-\d\d-\d\d$/, expected: 'a date, such as 2026-01-31' },
  'Edm.TimeOfDay': { pattern: /^\d\d:\d\d(:\d\d(\.\d+)?)?$/, expected: 'a time, such as 14:30' },
  'Edm.Guid': {
    pattern: /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i,
    expected: 'a GUID, such as 01234567-89ab-cdef-0123-456789abcdef',
  },
  'Edm.Duration': {
    pattern: /^-?P(?=\d|T\d)(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?$/,
    expected: 'a duration, such as P1DT2H30M',
  },
  'Edm.Binary': { pattern: /^[\w-]*={0,2}$/, expected: 'bytes in base64url' },
};

function readPrimitive(type: string, text: string): InputValue {
  const trimmed = text.trim();
  if (type === 'Edm.String') return value(text);
  if (type === 'Edm.Boolean') return { kind: 'value', json: trimmed };
  if (type === 'Edm.DateTimeOffset') return readMoment(trimmed);
  if (isGeographic(type)) return readGeography(trimmed);
  const range = INTEGERS[type];
  if (range !== undefined) return readInteger(trimmed, range);
  if (/^Edm\.(Single|Double|Decimal)$/.test(type)) return readNumber(trimmed);
  const form = TEXT_FORMS[type];
  if (form === undefined) return readJson(text, 'JSON');
  return form.pattern.test(trimmed) ? value(trimmed) : problem(`Expected ${form.expected}.`);
}

function isGeographic(type: string): boolean {
  return /^Edm\.Geo(graphy|metry)/.test(type);
}

/** The format of the type's texts, if browsers have no input for it. */
export function formHint(type: string): string | undefined {
  if (isGeographic(type)) return GEOGRAPHY_HINT;
  if (!/^Edm\.(Guid|Duration|Binary)$/.test(type)) return undefined;
  const expected = TEXT_FORMS[type]?.expected;
  return expected && `${expected.charAt(0).toUpperCase()}${expected.slice(1)}.`;
}

function readInteger(text: string, [least, greatest]: readonly [bigint, bigint]): InputValue {
  if (!/^[+-]?\d{1,30}$/.test(text)) return problem('Expected a whole number.');
  const number = BigInt(text.replace('+', ''));
  if (number >= least && number <= greatest) return { kind: 'value', json: String(number) };
  return problem(`Expected a whole number from ${least} to ${greatest}.`);
}

function readNumber(text: string): InputValue {
  const [, sign, digits] = /^([+-]?)0*(\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/i.exec(text) ?? [];
  if (digits === undefined) return problem('Expected a number, such as 12.5.');
  return { kind: 'value', json: `${sign === '-' ? '-' : ''}${digits}` };
}

/** Parses a moment; without an offset, in the browser's time zone. */
function readMoment(text: string): InputValue {
  const moment = new Date(text);
  if (Number.isNaN(moment.getTime())) return problem('Expected a date and a time.');
  return value(moment.toISOString());
}

/** Shapes by their keyword in text, with the nesting of their positions in GeoJSON. */
const SHAPES: Readonly<Record<string, readonly [type: string, depth: number]>> = {
  POINT: ['Point', 0],
  LINESTRING: ['LineString', 1],
  POLYGON: ['Polygon', 2],
  MULTIPOINT: ['MultiPoint', 1],
  MULTILINESTRING: ['MultiLineString', 2],
  MULTIPOLYGON: ['MultiPolygon', 3],
};

const GEOGRAPHY_HINT = 'Such as POINT(4.9 52.4): first the longitude. GeoJSON will do, too.';

/** Parses well-known text or GeoJSON to the service's GeoJSON (JSON Format 4.01, 7.1). */
export function readGeography(text: string): InputValue {
  if (text.startsWith('{')) return readJson(text, 'GeoJSON');
  const [, word = '', rest = ''] = /^(?:SRID=\d+;)?\s*([a-z]+)\s*(\(.*\))$/is.exec(text) ?? [];
  const shape = SHAPES[word.toUpperCase()];
  const coordinates = shape && coordinatesOf(rest, shape[1]);
  if (shape === undefined || coordinates === undefined)
    return problem('Expected a shape, such as POINT(4.9 52.4).');
  return { kind: 'value', json: JSON.stringify({ type: shape[0], coordinates }) };
}

/** Converts GeoJSON to well-known text; other values are unchanged. */
export function writeGeography(value: unknown): string {
  const { type, coordinates } = (value ?? {}) as { readonly type?: unknown; readonly coordinates?: unknown };
  const word = String(type).toUpperCase();
  const shape = SHAPES[word];
  if (shape === undefined || !Array.isArray(coordinates)) return JSON.stringify(value);
  const text = JSON.stringify(shape[1] === 0 ? [coordinates] : coordinates)
    .replace(/\[([^[\]]*)\]/g, (_, position: string) => position.replaceAll(',', ' '))
    .replaceAll('[', '(')
    .replaceAll(']', ')');
  return `${word}${text}`;
}

const NUMBER = String.raw`-?\d+(?:\.\d+)?(?:e[+-]?\d+)?`;
const POSITION = new RegExp(String.raw`${NUMBER}(?:\s+${NUMBER}){1,3}`, 'gi');

function coordinatesOf(text: string, depth: number): unknown {
  const json = text
    .replace(POSITION, (position) => `[${position.trim().replace(/\s+/g, ',')}]`)
    .replaceAll('(', '[')
    .replaceAll(')', ']');
  try {
    const nested: unknown = JSON.parse(json);
    if (depth === 0) return Array.isArray(nested) && nested.length === 1 ? ofDepth(nested[0], 0) : undefined;
    return ofDepth(nested, depth);
  } catch {
    return undefined;
  }
}

/** The value, if its positions have that nesting. */
function ofDepth(value: unknown, depth: number): unknown {
  if (!Array.isArray(value)) return undefined;
  if (depth === 0) return value.every((number) => typeof number === 'number') ? value : undefined;
  return value.every((item) => ofDepth(item, depth - 1) !== undefined) ? value : undefined;
}

/** The display text of a property's value, with a line per item. */
export function describeValue(property: Property, value: unknown): string {
  if (value === null || value === undefined) return '';
  if (property.isCollection && Array.isArray(value)) {
    return value.map((item) => describeOne(property, item)).join('\n');
  }
  return describeOne(property, value);
}

function describeOne({ type }: Property, value: unknown): string {
  if (type.kind !== 'primitive') return writeValue(value);
  if (type.name === 'Edm.Boolean' && typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (type.name === 'Edm.DateTimeOffset' && typeof value === 'string')
    return new Date(value).toLocaleString();
  return isGeographic(type.name) ? writeGeography(value) : writeValue(value);
}
