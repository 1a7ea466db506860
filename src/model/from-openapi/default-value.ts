import type { TypeUse } from '../type-use.ts';
import type { Derivation } from './derivation.ts';
import { enumerationMembers } from './enumeration.ts';
import { NUMERIC_TYPES } from './primitive-type.ts';
import { keyword, ownSchema, type Schema } from './schema.ts';

const DATE = String.raw`\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])`;
const TIME = String.raw`(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,12})?)?`;

/** The literals of the types whose values are texts in JSON (CSDL 4.01, 7.2.7; ABNF `primitiveValue`). */
const LITERALS: Readonly<Record<string, RegExp>> = {
  'Edm.Binary': /^[\w-]*={0,2}$/,
  'Edm.Date': new RegExp(`^${DATE}$`),
  'Edm.DateTimeOffset': new RegExp(`^${DATE}T${TIME}(?:Z|[+-][01]\\d:[0-5]\\d)$`),
  'Edm.Duration': /^-?P(?=.)(?:\d+D)?(?:T(?=.)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?$/,
  'Edm.Guid': /^[\dA-F]{8}(?:-[\dA-F]{4}){3}-[\dA-F]{12}$/i,
  'Edm.Int64': /^-?\d{1,19}$/,
  'Edm.Decimal': /^-?\d+(?:\.\d+)?$/,
  'Edm.TimeOfDay': new RegExp(`^${TIME}$`),
};

/** The `default` as CSDL writes it (CSDL 4.01, 7.2.7); undefined for one that is no value of the type. */
export function defaultValue(
  derivation: Derivation,
  schema: Schema,
  { type, collection }: TypeUse,
): string | undefined {
  const value = keyword(schema, 'default')?.value;
  if (collection || value === undefined || value === null) return undefined;
  if (type.kind === 'enumeration') {
    const members = enumerationMembers(derivation, ownSchema(schema));
    return members.find(({ upstreamValue }) => upstreamValue === value)?.name;
  }
  return type.kind === 'primitive' && isOfType(type.name, value) ? String(value) : undefined;
}

function isOfType(type: string, value: unknown): boolean {
  if (type === 'Edm.Boolean') return typeof value === 'boolean';
  if (type === 'Edm.String') return typeof value === 'string' || typeof value === 'number';
  if (typeof value === 'string') return LITERALS[type]?.test(value) === true;
  return NUMERIC_TYPES.has(type) && isNumberOf(type, value);
}

function isNumberOf(type: string, value: unknown): boolean {
  const isWhole = ['Edm.Byte', 'Edm.SByte', 'Edm.Int16', 'Edm.Int32', 'Edm.Int64'].includes(type);
  return isWhole ? Number.isSafeInteger(value) : Number.isFinite(value);
}
