import { keyword, ownSchema, type Schema } from '../../../openapi/schemas/schema.ts';
import type { DescribedTypeUse } from '../../description.ts';
import { hasLiteralForm } from '../../literal-form.ts';
import type { Derivation } from '../operations/derivation.ts';
import { enumerationMembers } from './enumeration.ts';
import { NUMERIC_TYPES } from './primitive-type.ts';

/** Of types whose values are numbers in JSON, and may be texts in the document. */
const NUMBERS: Readonly<Record<string, RegExp>> = {
  'Edm.Int64': /^-?\d{1,19}$/,
  'Edm.Decimal': /^-?\d+(?:\.\d+)?$/,
};

/** The `default` as CSDL writes it (CSDL 4.01, 7.2.7); undefined for one that is no value of the type. */
export function defaultValue(
  derivation: Derivation,
  schema: Schema,
  { type, collection }: Pick<DescribedTypeUse, 'type' | 'collection'>,
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
  if (typeof value === 'string') return NUMBERS[type]?.test(value) ?? hasLiteralForm(type, value);
  return NUMERIC_TYPES.has(type) && isNumberOf(type, value);
}

function isNumberOf(type: string, value: unknown): boolean {
  const isWhole = ['Edm.Byte', 'Edm.SByte', 'Edm.Int16', 'Edm.Int32', 'Edm.Int64'].includes(type);
  return isWhole ? Number.isSafeInteger(value) : Number.isFinite(value);
}
