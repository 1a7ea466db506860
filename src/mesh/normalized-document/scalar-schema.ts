import { integerType } from '../../derive/edm-types/primitive-type.ts';
import { meshName } from '../../derive/names/mesh-name.ts';
import { isTrue, items } from '../../openapi/document/document-node.ts';
import { jsonTypes, keyword, type Schema, type SchemaReader, setting } from '../../openapi/schemas/schema.ts';

export type ScalarType = 'string' | 'boolean' | 'integer' | 'number';

const SCALARS: readonly string[] = ['string', 'boolean', 'integer', 'number'];

/** The one JSON type beside null that the schema's values have, where it is that of a scalar. */
export function scalarType(schema: Schema): ScalarType | undefined {
  const types = jsonTypes(schema);
  // Every integer is a number.
  const [only, ...others] = types.includes('number') ? types.filter((type) => type !== 'integer') : types;
  return others.length === 0 && SCALARS.includes(only ?? '') ? (only as ScalarType) : undefined;
}

/** The JSON type of all branches, such as of two formats of texts. */
export function commonScalar(schema: Schema, read: SchemaReader): ScalarType | undefined {
  const branches = schema.alternatives.map(read);
  const types = new Set(branches.map((branch) => branch && scalarType(branch)));
  if (types.has('number')) types.delete('integer');
  const [only, ...others] = types;
  return others.length === 0 ? only : undefined;
}

/**
 * The formats that are types of the model too, by the names that Mesh has for them. Others would be held
 * against values that the model takes.
 */
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
 * The type of a scalar and nothing that bounds it: Mesh would make a scalar of its own for each pattern and
 * each length, and hold it against what clients send with a RegExp of the document's. Not `enumerated`: there may
 * be other values than those of its `enum`.
 */
export function scalarSchema(schema: Schema, type: ScalarType, enumerated = true): PreparedSchema {
  const values = enumerated ? enumValues(schema, type) : undefined;
  if (values !== undefined) return { type, enum: twice(values), ...defaultOf(schema, type, values) };
  if (type === 'integer') return { type, format: integerFormat(schema), ...defaultOf(schema, type) };
  const format = FORMATS[type].get(String(keyword(schema, 'format')?.value));
  return format === undefined ? { type, ...defaultOf(schema, type) } : { type, format };
}

/** GraphQL's Int has 32 bits; Mesh has a scalar for larger ones. */
function integerFormat(schema: Schema): 'int32' | 'int64' {
  return integerType(schema) === 'Edm.Int32' ? 'int32' : 'int64';
}

/** Mesh names the type of a single value after that value, and makes one of all that have the same. */
function twice(values: readonly unknown[]): readonly unknown[] {
  return values.length === 1 ? [...values, ...values] : values;
}

/** Whether the scalar becomes a type with a name. */
export function isEnum(schema: Schema): boolean {
  const type = scalarType(schema);
  return type !== undefined && enumValues(schema, type) !== undefined;
}

/** What has more values is a text to GraphQL: no client chooses among so many, and each of them costs. */
const MOST_VALUES = 10_000;

/** The values beside null, where each is of the type and has a name of its own in GraphQL. */
function enumValues(schema: Schema, type: ScalarType): readonly unknown[] | undefined {
  if (type === 'boolean' || isTrue(setting(schema, 'flags'))) return undefined;
  const values = items(keyword(schema, 'enum')).flatMap(({ value }) => (value === null ? [] : [value]));
  const names = new Set(values.map((value) => meshName(String(value))));
  const isEnumeration = values.length > 0 && values.length <= MOST_VALUES && names.size === values.length;
  return isEnumeration && values.every((value) => isOf(type, value)) ? values : undefined;
}

/** Sent where a caller gives no value, so that parameters with a default may be left out. */
function defaultOf(schema: Schema, type: ScalarType, values?: readonly unknown[]): PreparedSchema {
  const value = keyword(schema, 'default')?.value;
  const isFit = isOf(type, value) && (values?.includes(value) ?? true);
  return isFit ? { default: value } : {};
}

function isOf(type: ScalarType, value: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value) && value === (Number(value) | 0);
  return type === 'number' ? Number.isFinite(value) : typeof value === type;
}

/** A JSON schema as Mesh is given it. */
export type PreparedSchema = Readonly<Record<string, unknown>>;

/** Values of any type: a JSON scalar. A new one each time, because Mesh writes into what it is given. */
export function anySchema(): PreparedSchema {
  return { title: 'Any' };
}

export function isAny(schema: PreparedSchema): boolean {
  return schema['title'] === 'Any';
}
