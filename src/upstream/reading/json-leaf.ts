import type { Value } from '../../contract/row.ts';
import { ExactNumber } from '../../core/exact-number.ts';
import type { PrimitiveTypeName, StructuralProperty, TypeUse } from '../../model/edm.ts';
import { hasLiteralForm, type JsonType } from '../../model/type-use.ts';

/** GraphQL's names of JSON types; `JSON` if the type alone does not determine validity. */
type JsonScalar = 'Int' | 'BigInt' | 'Float' | 'String' | 'Boolean' | 'JSON';

/** The check of a JSON value. */
interface JsonCheck {
  readonly expected: string;
  readonly accepts: (value: unknown) => boolean;
}

/** An integer of any size, as a number. */
const INTEGER: JsonCheck = {
  expected: 'an integer',
  accepts: (value) =>
    Number.isSafeInteger(value) ||
    typeof value === 'bigint' ||
    (value instanceof ExactNumber && /^-?\d{1,40}$/.test(value.text)),
};

const CHECKS: Readonly<Record<JsonScalar, JsonCheck>> = {
  Int: {
    expected: 'an integer of 32 bits',
    accepts: (value) => typeof value === 'number' && value === (value | 0),
  },
  // Many APIs write large ones as texts.
  BigInt: {
    expected: 'an integer',
    accepts: (value) => INTEGER.accepts(value) || (typeof value === 'string' && /^-?\d{1,40}$/.test(value)),
  },
  Float: {
    expected: 'a number',
    accepts: (value) => Number.isFinite(value) || value instanceof ExactNumber,
  },
  String: { expected: 'a string', accepts: (value) => typeof value === 'string' },
  Boolean: { expected: 'true or false', accepts: (value) => typeof value === 'boolean' },
  JSON: { expected: 'a value', accepts: () => true },
};

/** The `typeof` of valid values, if it suffices as a check. */
export function plainTypeOf(scalar: JsonScalar): 'string' | 'boolean' | undefined {
  if (scalar === 'String') return 'string';
  return scalar === 'Boolean' ? 'boolean' : undefined;
}

/** The JSON values of a property, and their conversion to the EDM type. */
export interface JsonLeaf {
  readonly scalar: JsonScalar;
  readonly check: JsonCheck;
  /** Undefined where the JSON value is the value already. */
  readonly convert: Conversion | undefined;
}

/** The documented restrictions of JSON values. */
export type JsonValues = Pick<TypeUse, 'facets'> & Partial<Pick<StructuralProperty, 'upstreamTypes'>>;

/** `strict`: values beside those that the document allows are refused. */
export function jsonLeaf(type: PrimitiveTypeName, values: JsonValues, strict: boolean): JsonLeaf {
  const [only, ...others] = values.upstreamTypes ?? [];
  const scalar = others.length > 0 ? 'JSON' : scalarOf(type, only);
  const check = scalar === 'BigInt' && type === 'Edm.String' ? INTEGER : CHECKS[scalar];
  const convert = conversionTo(type, scalar);
  const { allowedValues } = values.facets;
  if (!strict || allowedValues === undefined) return { scalar, check, convert };
  return { scalar: 'JSON', check, convert: toOneOf(new Set(allowedValues), convert) };
}

function toOneOf(values: ReadonlySet<unknown>, convert: Conversion = (value) => value as Value): Conversion {
  return (value) => {
    const result = convert(value);
    return values.has(result) ? result : undefined;
  };
}

function scalarOf(type: PrimitiveTypeName, jsonType: JsonType | undefined): JsonScalar {
  switch (jsonType) {
    case 'string':
      return 'String';
    case 'boolean':
      return 'Boolean';
    case 'integer':
      return type === 'Edm.String' ? 'BigInt' : (INTEGERS.get(type) ?? 'Float');
    case 'number':
      return INTEGERS.get(type) ?? 'Float';
    default:
      return 'JSON';
  }
}

const INTEGERS: ReadonlyMap<PrimitiveTypeName, 'Int' | 'BigInt'> = new Map([
  ['Edm.SByte', 'Int'],
  ['Edm.Byte', 'Int'],
  ['Edm.Int16', 'Int'],
  ['Edm.Int32', 'Int'],
  ['Edm.Int64', 'BigInt'],
]);

/** Turns a JSON value, neither null nor undefined, into the property's value; undefined where it has none. */
export type Conversion = (value: unknown) => Value | undefined;

/** The conversion from a JSON scalar to an EDM type, or undefined where the JSON value is the value already. */
export function conversionTo(type: PrimitiveTypeName, scalar: JsonScalar): Conversion | undefined {
  switch (type) {
    case 'Edm.String':
      return scalar === 'String' ? undefined : toText;
    case 'Edm.Boolean':
      return scalar === 'Boolean' ? undefined : toBoolean;
    case 'Edm.SByte':
      return integer(-128, 127);
    case 'Edm.Byte':
      return integer(0, 255);
    case 'Edm.Int16':
      return integer(-32_768, 32_767);
    case 'Edm.Int32':
      return scalar === 'Int' ? undefined : integer(-2_147_483_648, 2_147_483_647);
    case 'Edm.Int64':
      return toInt64;
    case 'Edm.Single':
    case 'Edm.Double':
      return scalar === 'Float' ? undefined : toNumber;
    case 'Edm.Decimal':
      return scalar === 'Float' ? undefined : toDecimal;
    case 'Edm.Binary':
      return toBinary;
    case 'Edm.TimeOfDay':
      return toTimeOfDay;
    case 'Edm.Date':
    case 'Edm.DateTimeOffset':
    case 'Edm.Duration':
    case 'Edm.Guid':
      return (value) => (typeof value === 'string' && hasLiteralForm(type, value) ? value : undefined);
  }
}

function toText(value: unknown): Value | undefined {
  return typeof value === 'object' ? undefined : String(value);
}

function toBoolean(value: unknown): Value | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

/** The number of a value; not one that is beyond all doubles, which JSON.parse takes for infinite. */
function toNumber(value: unknown): Value | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function integer(lowest: number, highest: number): Conversion {
  return (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= lowest && value <= highest
      ? value
      : undefined;
}

const INT64_LIMIT = 2n ** 63n;

function toInt64(value: unknown): Value | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : undefined;
  if (typeof value === 'string' && !/^-?\d{1,19}$/.test(value)) return undefined;
  if (typeof value !== 'string' && typeof value !== 'bigint') return undefined;
  const large = BigInt(value);
  if (large < -INT64_LIMIT || large >= INT64_LIMIT) return undefined;
  const number = Number(large);
  return Number.isSafeInteger(number) ? number : large;
}

/** The text of a number; some APIs leave out the digits before the point, or those behind it. */
const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?([eE][+-]?\d{1,3})?$/;

function toDecimal(value: unknown): Value | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return String(value);
  const [, sign = '', whole = '', fraction = '', exponent = ''] =
    (typeof value === 'string' && DECIMAL.exec(value)) || [];
  if (whole === '' && fraction === '') return undefined;
  return `${sign}${whole === '' ? '0' : whole}${fraction === '' ? '' : `.${fraction}`}${exponent}`;
}

/** OData JSON Format 4.01, section 7.1: base64url; OpenAPI's `byte` is base64. */
function toBinary(value: unknown): Value | undefined {
  if (typeof value !== 'string' || !/^[\w+/-]*={0,2}$/.test(value)) return undefined;
  return value.replaceAll('+', '-').replaceAll('/', '_');
}

/** OData's has no zone; JSON Schema's `time` has one. */
const UTC = /(?:[Zz]|[+-]00:00)$/;

function toTimeOfDay(value: unknown): Value | undefined {
  const time = typeof value === 'string' ? value.replace(UTC, '') : '';
  return hasLiteralForm('Edm.TimeOfDay', time) ? time : undefined;
}
