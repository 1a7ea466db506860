import type { Value } from '../../contract/row.ts';
import type { PrimitiveTypeName } from '../../model/edm.ts';
import { hasLiteralForm } from '../../model/type-use.ts';
import { parseDecimal } from './decimal.ts';

const PRIMITIVE_TYPES: ReadonlySet<string | object> = new Set<PrimitiveTypeName>([
  'Edm.Binary',
  'Edm.Boolean',
  'Edm.Byte',
  'Edm.Date',
  'Edm.DateTimeOffset',
  'Edm.Decimal',
  'Edm.Double',
  'Edm.Duration',
  'Edm.Guid',
  'Edm.Int16',
  'Edm.Int32',
  'Edm.Int64',
  'Edm.SByte',
  'Edm.Single',
  'Edm.String',
  'Edm.TimeOfDay',
]);

/** Whether an expression may name the type in `cast` and `isof`, and compare its values. */
export function isPrimitiveName(type: string | object): type is PrimitiveTypeName {
  return PRIMITIVE_TYPES.has(type);
}

const INTEGER = /^[+-]?\d{1,30}$/;
const FLOATING = /^[+-]?\d{1,400}(?:\.\d{1,400})?(?:e[+-]?\d{1,4})?$/i;

const RANGE: Readonly<Record<IntegerTypeName, readonly [bigint, bigint]>> = {
  'Edm.SByte': [-128n, 127n],
  'Edm.Byte': [0n, 255n],
  'Edm.Int16': [-32_768n, 32_767n],
  'Edm.Int32': [-2_147_483_648n, 2_147_483_647n],
  'Edm.Int64': [-9_223_372_036_854_775_808n, 9_223_372_036_854_775_807n],
};

type IntegerTypeName = 'Edm.SByte' | 'Edm.Byte' | 'Edm.Int16' | 'Edm.Int32' | 'Edm.Int64';

/**
 * The value of that type which the text names in the form of a literal (OData 4.01 ABNF), or undefined
 * where it names none.
 */
export function parsePrimitive(type: PrimitiveTypeName, text: string): Value | undefined {
  switch (type) {
    case 'Edm.String':
      return text;
    case 'Edm.Boolean':
      return parseBoolean(text.toLowerCase());
    case 'Edm.SByte':
    case 'Edm.Byte':
    case 'Edm.Int16':
    case 'Edm.Int32':
    case 'Edm.Int64':
      return INTEGER.test(text) ? integerValue(BigInt(text.replace(/^\+/, '')), type) : undefined;
    case 'Edm.Decimal':
      return parseDecimal(text);
    case 'Edm.Single':
    case 'Edm.Double':
      return NAMED_NUMBERS.get(text) ?? (FLOATING.test(text) ? Number(text) : undefined);
    default:
      return hasLiteralForm(type, text) ? text : undefined;
  }
}

function parseBoolean(text: string): boolean | undefined {
  return text === 'true' ? true : text === 'false' ? false : undefined;
}

/** Numbers without digits (ABNF, nanInfinity). */
export const NAMED_NUMBERS: ReadonlyMap<unknown, number> = new Map([
  ['INF', Number.POSITIVE_INFINITY],
  ['-INF', Number.NEGATIVE_INFINITY],
  ['NaN', Number.NaN],
]);

/** A number, or a bigint beyond 2^53; undefined beyond the type's range. */
export function integerValue(value: bigint, type: IntegerTypeName): number | bigint | undefined {
  const [least, greatest] = RANGE[type];
  if (value < least || value > greatest) {
    return undefined;
  }
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
