import type { Value } from '../../contract/row.ts';
import type { PrimitiveTypeName } from '../../model/edm.ts';
import type { Evaluate } from '../scope/bound-tree.ts';
import { plainValue } from '../scope/untyped.ts';
import { type ExpressionType, isFloating, isInteger, isNumeric } from '../typing/expression-type.ts';
import { dateOf, dateTimeParts } from '../values/date-time.ts';
import { type DecimalValue, roundDecimal } from '../values/decimal.ts';
import { parsePrimitive } from '../values/primitive.ts';

/** The conversion of `cast` (5.1.1.10.1): null where a value has no counterpart in the type. */
export function convertTo(type: PrimitiveTypeName, from: ExpressionType): Evaluate {
  if (type === from) {
    return (value: Value) => value;
  }
  if (from === 'Edm.Untyped') {
    return (value: Value) => convertUntyped(type, value);
  }
  if (type === 'Edm.String') {
    return (value: Value) => writeText(value);
  }
  if (from === 'Edm.String') {
    return (text: string) => parsePrimitive(type, text) ?? null;
  }
  if (isNumeric(type) && isNumeric(from)) {
    return numericConversion(type);
  }
  return TEMPORAL.get(`${from} ${type}`) ?? (() => null);
}

/** The value itself tells what it is converted from. */
function convertUntyped(type: PrimitiveTypeName, value: Value): Value {
  const plain = plainValue(value);
  const from = TYPES_OF.get(typeof plain);
  return from === undefined ? null : (convertTo(type, from) as (from: Value) => Value)(plain);
}

const TYPES_OF: ReadonlyMap<string, PrimitiveTypeName> = new Map<string, PrimitiveTypeName>([
  ['string', 'Edm.String'],
  ['boolean', 'Edm.Boolean'],
  ['number', 'Edm.Decimal'],
  ['bigint', 'Edm.Int64'],
]);

const TEMPORAL: ReadonlyMap<string, Evaluate> = new Map<string, Evaluate>([
  ['Edm.DateTimeOffset Edm.Date', dateOf],
  ['Edm.DateTimeOffset Edm.TimeOfDay', (text: string) => dateTimeParts(text)?.time ?? null],
  ['Edm.Date Edm.DateTimeOffset', (text: string) => `${text}T00:00:00Z`],
]);

/** In the form of a literal without quotes and prefixes. */
function writeText(value: Value): string {
  switch (value) {
    case Number.POSITIVE_INFINITY:
      return 'INF';
    case Number.NEGATIVE_INFINITY:
      return '-INF';
    default:
      return String(value);
  }
}

function numericConversion(type: PrimitiveTypeName): Evaluate {
  if (isFloating(type)) {
    return (value: DecimalValue) => (type === 'Edm.Single' ? Math.fround(Number(value)) : Number(value));
  }
  return (value: DecimalValue) => parsePrimitive(type, exactText(value, isInteger(type))) ?? null;
}

/** The digits of a number, without those behind the point where the type has none. */
function exactText(value: DecimalValue, whole: boolean): string {
  const found = whole ? roundDecimal(value, Number(value) < 0 ? 'ceiling' : 'floor') : value;
  return typeof found === 'number' && Number.isInteger(found) ? String(BigInt(found)) : String(found);
}
