/** The primitive types of OData CSDL 4.01, section 3.3, that a model may use. */
export type PrimitiveTypeName =
  | 'Edm.Binary'
  | 'Edm.Boolean'
  | 'Edm.Byte'
  | 'Edm.Date'
  | 'Edm.DateTimeOffset'
  | 'Edm.Decimal'
  | 'Edm.Double'
  | 'Edm.Duration'
  | 'Edm.Guid'
  | 'Edm.Int16'
  | 'Edm.Int32'
  | 'Edm.Int64'
  | 'Edm.SByte'
  | 'Edm.Single'
  | 'Edm.String'
  | 'Edm.TimeOfDay';

/** Abstract, stream and geography types (CSDL 4.01, 3.3 and 4): no query option compares their values. */
export type OpaqueTypeName =
  | 'Edm.Stream'
  | 'Edm.Untyped'
  | 'Edm.GeographyPoint'
  | 'Edm.GeographyLineString'
  | 'Edm.GeographyPolygon'
  | 'Edm.GeographyMultiPoint'
  | 'Edm.GeographyMultiLineString'
  | 'Edm.GeographyMultiPolygon'
  | 'Edm.GeographyCollection';

/** A type that has a value of its own in JSON, by its qualified name. */
export interface PrimitiveType {
  readonly kind: 'primitive';
  readonly name: PrimitiveTypeName | OpaqueTypeName;
}

/** What a value is in JSON. */
export type JsonType = 'array' | 'boolean' | 'integer' | 'number' | 'object' | 'string';

/** A limit of a number; what is exclusive is not reached (Validation.Exclusive). */
export interface Bound {
  readonly value: number;
  readonly exclusive: boolean;
}

/** What restricts the values of a type (CSDL 4.01, 7.2, and the vocabulary Org.OData.Validation.V1). */
export interface Facets {
  readonly maxLength?: number | undefined;
  readonly precision?: number | undefined;
  readonly scale?: number | 'variable' | undefined;
  readonly pattern?: string | undefined;
  readonly minimum?: Bound | undefined;
  readonly maximum?: Bound | undefined;
  readonly multipleOf?: number | undefined;
  /** All values that there may be beside null: the upstream's, where they are not those of an enumeration type. */
  readonly allowedValues?: readonly (string | number | boolean)[] | undefined;
}

/** CSDL 4.01, 6.5: which types the properties of a key may have. */
const KEY_TYPES: ReadonlySet<string> = new Set([
  'Edm.Boolean',
  'Edm.Byte',
  'Edm.Date',
  'Edm.DateTimeOffset',
  'Edm.Decimal',
  'Edm.Duration',
  'Edm.Guid',
  'Edm.Int16',
  'Edm.Int32',
  'Edm.Int64',
  'Edm.SByte',
  'Edm.String',
  'Edm.TimeOfDay',
]);

/** Whether the values of a type can be keys. */
export function isKeyType(type: string | undefined): boolean {
  return type !== undefined && KEY_TYPES.has(type);
}

/** Whether JSON has values of the primitive type as numbers (JSON Format 4.01, 7.1). */
export function isNumeric(type: string): boolean {
  return NUMBERS.has(type);
}

const NUMBERS: ReadonlySet<string> = new Set([
  'Edm.Byte',
  'Edm.Decimal',
  'Edm.Double',
  'Edm.Int16',
  'Edm.Int32',
  'Edm.Int64',
  'Edm.SByte',
  'Edm.Single',
]);

/**
 * The forms of values that are texts, in URLs, in JSON and in CSDL alike (OData 4.01 ABNF, primitiveValue).
 *
 * Years have four digits, as in RFC 3339; fractions of a second have up to twelve.
 */
const DATE = /^\d{4}-\d\d-\d\d$/;
const GUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const BASE64_URL = /^[\w-]*={0,2}$/;

/** timeOfDayValue; its groups are the parts. The day's last minute may have a leap second. */
export const TIME_OF_DAY = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d|(?<=23:59:)60)(?:\.(\d{1,12}))?)?$/;
/** dateTimeOffsetValue, in any year; its groups are the date, the time, the offset and the parts of that. */
export const DATE_TIME_OFFSET =
  /^(-?\d{4,6}-\d\d-\d\d)T((?:[01]\d|2[0-3]):[0-5]\d(?::(?:[0-5]\d|(?<=23:59:)60)(?:\.\d{1,12})?)?)(Z|([+-])(0\d|1[0-4]):([0-5]\d))$/i;
/** durationValue, with one part at least; its groups are the sign and the parts. */
export const DURATION =
  /^([+-])?P(?=\d|T)(?:(\d{1,12})D)?(?:T(?=\d)(?:(\d{1,12})H)?(?:(\d{1,12})M)?(?:(\d{1,12})(?:\.(\d{1,12}))?S)?)?$/;

/** Whether the text has the form of a value of a type whose values are texts; no other type's does. */
export function hasLiteralForm(type: string, text: string): boolean {
  switch (type) {
    case 'Edm.Date':
      return isDate(text);
    case 'Edm.DateTimeOffset':
      return DATE_TIME_OFFSET.test(text) && isDate(text.slice(0, 10));
    case 'Edm.TimeOfDay':
      return TIME_OF_DAY.test(text);
    case 'Edm.Duration':
      return DURATION.test(text);
    case 'Edm.Guid':
      return GUID.test(text);
    case 'Edm.Binary':
      return BASE64_URL.test(text);
    default:
      return false;
  }
}

/** On a day that the calendar has. */
function isDate(text: string): boolean {
  return DATE.test(text) && isDay(text);
}

function isDay(isoDate: string): boolean {
  const day = Date.parse(`${isoDate}T00:00:00Z`);
  return !Number.isNaN(day) && new Date(day).toISOString().startsWith(`${isoDate}T`);
}

const DISTANT_DATE = /^(?:(-)(\d{4,6})|(\d{5,6}))(-\d\d-\d\d)/;

/**
 * The date as ISO 8601 writes those before the year 0 and after 9999, with a sign and six digits; undefined for all
 * others.
 */
export function distantDate(text: string): string | undefined {
  const [, sign = '+', before, after = before, day = ''] = DISTANT_DATE.exec(text) ?? [];
  return after === undefined ? undefined : `${sign}${after.padStart(6, '0')}${day}`;
}

/** Whether the text is a literal that compares with dates, but that none of them has the form of. */
export function isDistant(type: string, text: string): boolean {
  const date = distantDate(text);
  if (date === undefined || !isDay(date)) return false;
  return type === 'Edm.Date'
    ? /^-?\d+-\d\d-\d\d$/.test(text)
    : type === 'Edm.DateTimeOffset' && DATE_TIME_OFFSET.test(text);
}

/** How many digits of a second's fraction the text has. */
export function fractionDigits(text: string): number {
  return /\.(\d+)/.exec(text)?.[1]?.length ?? 0;
}

/** What a schema allows of the values of a parameter, as far as the gateway chooses them (JSON Schema, Validation 6). */
export interface ValueBounds {
  /** The first is of 32 bits: the upstream's face towards the gateway holds no larger ones there. */
  readonly type?: 'int32' | 'integer' | 'number' | 'boolean' | undefined;
  /** The lowest and the highest number. */
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly multipleOf?: number | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly pattern?: string | undefined;
  /** All values that there are, as they are sent. */
  readonly values?: readonly string[] | undefined;
}

/** Whether a text matches a pattern of the document's. */
type Matches = (pattern: string, text: string) => boolean;

/** Whether the document allows the value, as it is sent. A pattern that nobody can check allows none. */
export function allows(bounds: ValueBounds, text: string, matches: Matches = () => false): boolean {
  const { values, minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern } = bounds;
  if (values !== undefined && !values.includes(text)) return false;
  if (!isOfType(bounds, text)) return false;
  const length = [...text].length;
  return length >= minLength && length <= maxLength && (pattern === undefined || matches(pattern, text));
}

function isOfType({ type, ...range }: ValueBounds, text: string): boolean {
  if (type === undefined) return true;
  if (type === 'boolean') return text === 'true' || text === 'false';
  const number = text.trim() === '' ? Number.NaN : Number(text);
  if (!Number.isFinite(number) || !isWithin(range, number)) return false;
  return type === 'number' || (Number.isInteger(number) && isWithin(INTEGERS[type], number));
}

const INTEGERS = {
  int32: { minimum: -2_147_483_648, maximum: 2_147_483_647 },
  integer: { minimum: -(2 ** 63), maximum: 2 ** 63 },
} as const satisfies Readonly<Record<string, ValueBounds>>;

function isWithin({ minimum, maximum, multipleOf }: Omit<ValueBounds, 'type'>, number: number): boolean {
  return (
    number >= (minimum ?? Number.NEGATIVE_INFINITY) &&
    number <= (maximum ?? Number.POSITIVE_INFINITY) &&
    (multipleOf === undefined || Number.isInteger(number / multipleOf))
  );
}

/** The number nearest to the wanted one that is allowed and not below it; else the highest one. Undefined where there is none. */
export function nearestAllowed(bounds: ValueBounds, wanted: number): number | undefined {
  const { type, minimum = 0, multipleOf = 1, values } = bounds;
  const most = type === 'int32' ? INTEGERS.int32.maximum : Number.MAX_SAFE_INTEGER;
  const maximum = Math.min(bounds.maximum ?? most, most);
  const stepped = (number: number, round: (quotient: number) => number) =>
    round(number / multipleOf) * multipleOf;
  const listed = values
    ?.map(Number)
    .filter((value) => Number.isSafeInteger(value))
    .toSorted((a, b) => a - b);
  const candidates = listed ?? [
    Math.max(stepped(wanted, Math.ceil), stepped(minimum, Math.ceil)),
    stepped(maximum, Math.floor),
  ];
  const allowed = candidates.filter((candidate) => allows(bounds, String(candidate)));
  return allowed.find((candidate) => candidate >= wanted) ?? allowed.at(-1);
}
