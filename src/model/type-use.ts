/** The supported primitive types of OData (CSDL 4.01, 3.3). */
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

/** Abstract, stream and geography types (CSDL 4.01, 3.3 and 4), whose values cannot be compared. */
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

/** A type with a JSON value of its own, by its qualified name. */
export interface PrimitiveType {
  readonly kind: 'primitive';
  readonly name: PrimitiveTypeName | OpaqueTypeName;
}

export type JsonType = 'array' | 'boolean' | 'integer' | 'number' | 'object' | 'string';

/** A limit of a number; an exclusive one is not included (Validation.Exclusive). */
export interface Bound {
  readonly value: number;
  readonly exclusive: boolean;
}

/** Restrictions on the values of a type (CSDL 4.01, 7.2, and the vocabulary Org.OData.Validation.V1). */
export interface Facets {
  readonly maxLength?: number | undefined;
  readonly precision?: number | undefined;
  readonly scale?: number | 'variable' | undefined;
  readonly pattern?: string | undefined;
  readonly minimum?: Bound | undefined;
  readonly maximum?: Bound | undefined;
  readonly multipleOf?: number | undefined;
  /** All allowed values beside null, in the upstream's form; not used for enumeration types. */
  readonly allowedValues?: readonly (string | number | boolean)[] | undefined;
}

/** CSDL 4.01, 6.5: types that key properties may have. */
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

export function isKeyType(type: string | undefined): boolean {
  return type !== undefined && KEY_TYPES.has(type);
}

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
 * The lexical forms of values that are texts in URLs, JSON and CSDL (OData 4.01 ABNF, primitiveValue).
 *
 * Years have four digits, as in RFC 3339; fractions of a second have up to twelve.
 */
const DATE = /^\d{4}-\d\d-\d\d$/;
const GUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const BASE64_URL = /^[\w-]*={0,2}$/;

/** timeOfDayValue; the groups are its parts. The last minute of a day may have a leap second. */
export const TIME_OF_DAY = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d|(?<=23:59:)60)(?:\.(\d{1,12}))?)?$/;
/**
 * dateTimeOffsetValue, in any year; the groups are the date, the time, the offset and the parts of the
 * offset.
 */
export const DATE_TIME_OFFSET =
  /^(-?\d{4,6}-\d\d-\d\d)T((?:[01]\d|2[0-3]):[0-5]\d(?::(?:[0-5]\d|(?<=23:59:)60)(?:\.\d{1,12})?)?)(Z|([+-])(0\d|1[0-4]):([0-5]\d))$/i;
/** durationValue, with at least one part; the groups are the sign and the parts. */
export const DURATION =
  /^([+-])?P(?=\d|T)(?:(\d{1,12})D)?(?:T(?=\d)(?:(\d{1,12})H)?(?:(\d{1,12})M)?(?:(\d{1,12})(?:\.(\d{1,12}))?S)?)?$/;

/** Whether the text has the lexical form of the type. False for types that are not texts in JSON. */
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

/** Whether the day exists in the calendar. */
function isDate(text: string): boolean {
  return DATE.test(text) && isDay(text);
}

function isDay(isoDate: string): boolean {
  const day = Date.parse(`${isoDate}T00:00:00Z`);
  return !Number.isNaN(day) && new Date(day).toISOString().startsWith(`${isoDate}T`);
}

const DISTANT_DATE = /^(?:(-)(\d{4,6})|(\d{5,6}))(-\d\d-\d\d)/;

/**
 * A date before the year 0 or after 9999 in ISO 8601, with a sign and six digits; undefined for all others.
 */
export function distantDate(text: string): string | undefined {
  const [, sign = '+', before, after = before, day = ''] = DISTANT_DATE.exec(text) ?? [];
  return after === undefined ? undefined : `${sign}${after.padStart(6, '0')}${day}`;
}

/** Whether the text is a comparable date outside the range of valid values. */
export function isDistant(type: string, text: string): boolean {
  const date = distantDate(text);
  if (date === undefined || !isDay(date)) return false;
  return type === 'Edm.Date'
    ? /^-?\d+-\d\d-\d\d$/.test(text)
    : type === 'Edm.DateTimeOffset' && DATE_TIME_OFFSET.test(text);
}

/** The number of fraction digits of the seconds. */
export function fractionDigits(text: string): number {
  return /\.(\d+)/.exec(text)?.[1]?.length ?? 0;
}

/** The schema's restrictions on parameter values that the gateway chooses (JSON Schema, Validation 6). */
export interface ValueBounds {
  /** `int32` has its own limits, because Mesh represents it as a GraphQL Int. */
  readonly type?: 'int32' | 'integer' | 'number' | 'boolean' | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly multipleOf?: number | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly pattern?: string | undefined;
  /** All allowed values, as texts. */
  readonly values?: readonly string[] | undefined;
}

/** Tests whether a text matches a pattern of the document. */
type Matches = (pattern: string, text: string) => boolean;

/** Whether the document allows the value, given as a text. A pattern that cannot be checked allows none. */
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

/**
 * The smallest allowed number from the wanted one up, else the largest; undefined if no number is allowed.
 */
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
