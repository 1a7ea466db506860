import type { Row, Value } from '../../contract/row.ts';
import { hasLiteralForm } from '../../model/literal-form.ts';
import type { OpaqueTypeName, PrimitiveTypeName } from '../../model/type-use.ts';
import { ExactNumber, isObject } from './input-value.ts';

/**
 * The value of a primitive type that JSON, which is not null, stands for (JSON Format, 7.1), or undefined
 * where it does not fit. Int64 and Decimal are taken as numbers and as strings, whatever the request says of
 * IEEE754Compatible: neither can be mistaken.
 */
export function readPrimitive(type: PrimitiveTypeName | OpaqueTypeName, json: unknown): Value | undefined {
  switch (type) {
    case 'Edm.Boolean':
      return typeof json === 'boolean' ? json : undefined;
    case 'Edm.Byte':
      return integer(json, 0, 255);
    case 'Edm.SByte':
      return integer(json, -128, 127);
    case 'Edm.Int16':
      return integer(json, -32_768, 32_767);
    case 'Edm.Int32':
      return integer(json, -2_147_483_648, 2_147_483_647);
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
const INTEGER = /^[+-]?\d{1,19}$/;
/** Any decimal of so many digits is the shortest form of a double. */
const EXACT_DIGITS = 15;

function integer(json: unknown, least: number, greatest: number): number | undefined {
  const number = json instanceof ExactNumber ? Number(json.text) : json;
  if (typeof number !== 'number' || !Number.isInteger(number)) return undefined;
  return number >= least && number <= greatest ? number : undefined;
}

function readInt64(json: unknown): Value | undefined {
  // A number that is no exact one has the digits that it was written with.
  const text = typeof json === 'number' ? String(json) : textOf(json);
  if (text === undefined || !INTEGER.test(text)) return undefined;
  const value = BigInt(text.replace(/^\+/, ''));
  if (value !== BigInt.asIntN(64, value)) return undefined;
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

function readDecimal(json: unknown): Value | undefined {
  if (typeof json === 'number') return Number.isFinite(json) ? json : undefined;
  const text = textOf(json);
  if (text === undefined || !DECIMAL.test(text)) return undefined;
  return text.length <= EXACT_DIGITS && !/e/i.test(text) ? Number(text) : text;
}

function readFloating(json: unknown): number | undefined {
  switch (json) {
    case 'INF':
      return Number.POSITIVE_INFINITY;
    case '-INF':
      return Number.NEGATIVE_INFINITY;
    case 'NaN':
      return Number.NaN;
    default: {
      const number = json instanceof ExactNumber ? Number(json.text) : json;
      return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
    }
  }
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
  if (!isObject(json)) return undefined;
  const name = type.slice('Edm.Geography'.length);
  const isCollection = name === 'Collection';
  const parts = isCollection ? json['geometries'] : json['coordinates'];
  const isNamed = json['type'] === (isCollection ? 'GeometryCollection' : name);
  return isNamed && Array.isArray(parts) ? plainJson(json) : undefined;
}

/** JSON of any kind as a value, with numbers as near as doubles come. */
export function plainJson(json: unknown): Value {
  if (json instanceof ExactNumber) return exactOrNearest(json.text);
  if (Array.isArray(json)) return json.map(plainJson);
  if (!isObject(json)) return json as Value;
  const members = Object.entries(json).map(([name, value]) => [name, plainJson(value)] as const);
  return Object.fromEntries(members) as Row;
}

function exactOrNearest(text: string): Value {
  return /^-?\d+$/.test(text) ? BigInt(text) : Number(text);
}
