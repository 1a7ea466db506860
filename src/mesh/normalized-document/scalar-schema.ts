import { integerType } from '../../derive/edm-types/primitive-type.ts';
import { meshName } from '../../model/mesh-name.ts';
import { isTrue, items } from '../../openapi/document/document-node.ts';
import { jsonTypes, keyword, type Schema, type SchemaReader, setting } from '../../openapi/schemas/schema.ts';

export type ScalarType = 'string' | 'boolean' | 'integer' | 'number';

const SCALARS: readonly string[] = ['string', 'boolean', 'integer', 'number'];

/** The only JSON type beside null, if it is scalar. */
export function scalarType(schema: Schema): ScalarType | undefined {
  const types = jsonTypes(schema);
  // Integers are numbers.
  const [only, ...others] = types.includes('number') ? types.filter((type) => type !== 'integer') : types;
  return others.length === 0 && SCALARS.includes(only ?? '') ? (only as ScalarType) : undefined;
}

/** The common JSON type of all branches, such as two string formats. */
export function commonScalar(schema: Schema, read: SchemaReader): ScalarType | undefined {
  const branches = schema.alternatives.map(read);
  const types = new Set(branches.map((branch) => branch && scalarType(branch)));
  if (types.has('number')) types.delete('integer');
  const [only, ...others] = types;
  return others.length === 0 ? only : undefined;
}

/** The formats that the model has, too, with Mesh's names. Mesh would reject valid values for others. */
const FORMATS: Readonly<Record<ScalarType, ReadonlyMap<string, string>>> = {
  string: new Map(['date', 'date-time', 'time', 'uuid', 'byte'].map((format) => [format, format])),
  integer: new Map(),
  number: new Map([
    ['float', 'float'],
    ['int32', 'int32'],
    ['int64', 'int64'],
  ]),
  boolean: new Map(),
};

/**
 * The scalar type without restrictions: Mesh would create a scalar for each pattern and length, and validate
 * clients' values with the document's regular expressions. With `enumerated` false, values outside of the
 * `enum` are allowed.
 */
export function scalarSchema(schema: Schema, type: ScalarType, enumerated = true): PreparedSchema {
  const values = enumerated ? enumValues(schema, type) : undefined;
  if (values !== undefined) return { type, enum: twice(values), ...defaultOf(schema, type, values) };
  if (type === 'integer')
    return {
      type,
      format: integerType(schema) === 'Edm.Int32' ? 'int32' : 'int64',
      ...defaultOf(schema, type),
    };
  const format = FORMATS[type].get(String(keyword(schema, 'format')?.value));
  return format === undefined ? { type, ...defaultOf(schema, type) } : { type, format };
}

/**
 * Repeats a single value: Mesh would name its type after the value, and share the type among equal values.
 */
function twice(values: readonly unknown[]): readonly unknown[] {
  return values.length === 1 ? [...values, ...values] : values;
}

export function isEnum(schema: Schema): boolean {
  const type = scalarType(schema);
  return type !== undefined && enumValues(schema, type) !== undefined;
}

/** Larger enumerations are strings in GraphQL, because each value costs memory. */
const MOST_VALUES = 10_000;

/** The values beside null, if all have the type and distinct GraphQL names. */
function enumValues(schema: Schema, type: ScalarType): readonly unknown[] | undefined {
  if (type === 'boolean' || isTrue(setting(schema, 'flags'))) return undefined;
  const values = items(keyword(schema, 'enum')).flatMap(({ value }) => (value === null ? [] : [value]));
  const names = new Set(values.map((value) => meshName(String(value))));
  const isEnumeration = values.length > 0 && values.length <= MOST_VALUES && names.size === values.length;
  return isEnumeration && values.every((value) => isOf(type, value)) ? values : undefined;
}

/** The default, so that clients may omit the parameter. */
function defaultOf(schema: Schema, type: ScalarType, values?: readonly unknown[]): PreparedSchema {
  const value = keyword(schema, 'default')?.value;
  const isFit = isOf(type, value) && (values?.includes(value) ?? true);
  return isFit ? { default: value } : {};
}

function isOf(type: ScalarType, value: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value) && value === (Number(value) | 0);
  return type === 'number' ? Number.isFinite(value) : typeof value === type;
}

/** A JSON schema in the form for Mesh. */
export type PreparedSchema = Readonly<Record<string, unknown>>;

/** The schema for any value, as a JSON scalar. A new object each time, because Mesh changes its input. */
export function anySchema(): PreparedSchema {
  return { title: 'Any' };
}

export function isAny(schema: PreparedSchema): boolean {
  return schema['title'] === 'Any';
}
