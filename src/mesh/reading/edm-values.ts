import type { Value } from '../../contract/row.ts';
import type { PrimitiveTypeName } from '../../model/edm.ts';
import { hasLiteralForm } from '../../model/literal-form.ts';

/** Turns a JSON value, neither null nor undefined, into the property's value; undefined where it has none. */
export type Conversion = (value: unknown) => Value | undefined;

/**
 * The conversion from the JSON of a GraphQL type to an EDM type, or undefined where the JSON value is
 * the value already. JSON values have been checked against the GraphQL type before.
 */
export function conversionTo(type: PrimitiveTypeName, graphqlType: string): Conversion | undefined {
  switch (type) {
    case 'Edm.String':
      return STRINGS.has(graphqlType) ? undefined : toText;
    case 'Edm.Boolean':
      return graphqlType === 'Boolean' ? undefined : toBoolean;
    case 'Edm.SByte':
      return integer(-128, 127);
    case 'Edm.Byte':
      return integer(0, 255);
    case 'Edm.Int16':
      return integer(-32_768, 32_767);
    case 'Edm.Int32':
      return graphqlType === 'Int' ? undefined : integer(-2_147_483_648, 2_147_483_647);
    case 'Edm.Int64':
      return graphqlType === 'Int' ? undefined : toInt64;
    case 'Edm.Single':
    case 'Edm.Double':
      return NUMBERS.has(graphqlType) ? undefined : toNumber;
    case 'Edm.Decimal':
      return NUMBERS.has(graphqlType) ? undefined : toDecimal;
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

const STRINGS: ReadonlySet<string> = new Set(['String']);
const NUMBERS: ReadonlySet<string> = new Set(['Int', 'Float']);

function toText(value: unknown): Value | undefined {
  return typeof value === 'object' ? undefined : String(value);
}

function toBoolean(value: unknown): Value | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

/** Not one that is beyond all doubles, which JSON.parse takes for infinite. */
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

function toDecimal(value: unknown): Value | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return String(value);
  return typeof value === 'string' && /^[+-]?\d+(\.\d+)?([eE][+-]?\d{1,3})?$/.test(value) ? value : undefined;
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
