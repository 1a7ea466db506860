import type { Bound, OpaqueTypeName, PrimitiveTypeName } from '../../model/type-use.ts';
import { number, text } from '../../openapi/document/document-node.ts';
import { type DocumentSource, quote } from '../../openapi/document/document-source.ts';
import { jsonTypes, keyword, type Schema, setting, valueNodes } from '../../openapi/schemas/schema.ts';
import type { Derivation } from '../operations/derivation.ts';
import { markUsed } from '../vocabulary/vocabulary.ts';
import { decimalPattern } from './decimal-pattern.ts';

type JsonType = 'string' | 'integer' | 'number' | 'boolean';
type TypeOfFormat = ReadonlyMap<string, PrimitiveTypeName>;

/** Formats of the OpenAPI format registry; other formats are ignored. */
const FORMATS: Readonly<Record<JsonType, TypeOfFormat>> = {
  // Small integers are widened: several clients cannot map Int16, Byte and SByte.
  integer: new Map([
    ['int8', 'Edm.Int32'],
    ['uint8', 'Edm.Int32'],
    ['int16', 'Edm.Int32'],
    ['uint16', 'Edm.Int32'],
    ['int32', 'Edm.Int32'],
    ['int64', 'Edm.Int64'],
    ['uint32', 'Edm.Int64'],
    ['uint64', 'Edm.Decimal'],
  ]),
  number: new Map([
    ['float', 'Edm.Single'],
    ['decimal', 'Edm.Decimal'],
    ['int32', 'Edm.Int32'],
    ['int64', 'Edm.Int64'],
  ]),
  string: new Map([
    ['date', 'Edm.Date'],
    ['date-time', 'Edm.DateTimeOffset'],
    ['time', 'Edm.TimeOfDay'],
    ['duration', 'Edm.Duration'],
    ['uuid', 'Edm.Guid'],
    ['byte', 'Edm.Binary'],
    ['decimal', 'Edm.Decimal'],
  ]),
  boolean: new Map(),
};

const WITHOUT_FORMAT: Readonly<Record<Exclude<JsonType, 'integer'>, PrimitiveTypeName>> = {
  number: 'Edm.Double',
  string: 'Edm.String',
  boolean: 'Edm.Boolean',
};

/** The types whose values are JSON numbers. */
export const NUMERIC_TYPES: ReadonlySet<string> = new Set([
  'Edm.Byte',
  'Edm.SByte',
  'Edm.Int16',
  'Edm.Int32',
  'Edm.Int64',
  'Edm.Decimal',
  'Edm.Single',
  'Edm.Double',
]);

/** The types that `x-odata.type` may give to values of a JSON type. */
const FITTING: Readonly<Record<JsonType, ReadonlySet<string>>> = {
  integer: new Set([...NUMERIC_TYPES, 'Edm.String']),
  number: new Set(['Edm.Decimal', 'Edm.Single', 'Edm.Double', 'Edm.String']),
  string: new Set([
    'Edm.String',
    'Edm.Date',
    'Edm.DateTimeOffset',
    'Edm.TimeOfDay',
    'Edm.Duration',
    'Edm.Guid',
    'Edm.Binary',
    'Edm.Int64',
    'Edm.Decimal',
  ]),
  boolean: new Set(['Edm.Boolean', 'Edm.String']),
};

const GEOGRAPHY: ReadonlySet<string> = new Set<OpaqueTypeName>([
  'Edm.GeographyPoint',
  'Edm.GeographyLineString',
  'Edm.GeographyPolygon',
  'Edm.GeographyMultiPoint',
  'Edm.GeographyMultiLineString',
  'Edm.GeographyMultiPolygon',
  'Edm.GeographyCollection',
]);

/**
 * The primitive type of a schema's values: by `x-odata.type` if it is compatible, otherwise by JSON type and
 * format. Undefined for objects, arrays, and values of several types.
 */
export function primitiveType(
  source: DocumentSource,
  schema: Schema,
): PrimitiveTypeName | OpaqueTypeName | undefined {
  const jsonType = singleJsonType(schema);
  const declared = setting(schema, 'type');
  const name = text(declared);
  if (declared === undefined || name === undefined) return conventionalType(schema, jsonType);
  markUsed(source, schema, ['type']);
  if (isFitting(schema, jsonType, name)) return name;
  const values = jsonTypes(schema).join(' or ') || 'any type';
  source.report(
    'error',
    declared.pointer,
    `${quote(name)} is not a type for values that are ${values} in JSON`,
  );
  return conventionalType(schema, jsonType);
}

function conventionalType(schema: Schema, jsonType: JsonType | undefined): PrimitiveTypeName | undefined {
  if (jsonType === undefined) return undefined;
  const encoding = text(keyword(schema, 'contentEncoding'));
  if (jsonType === 'string' && encoding !== undefined && /^base64(?:url)?$/i.test(encoding))
    return 'Edm.Binary';
  if (jsonType === 'integer') return integerType(schema);
  if (jsonType === 'string' && isDecimalText(schema)) return 'Edm.Decimal';
  return FORMATS[jsonType].get(text(keyword(schema, 'format')) ?? '') ?? WITHOUT_FORMAT[jsonType];
}

/** Whether texts without a format are all decimal numbers, by their pattern. */
function isDecimalText(schema: Schema): boolean {
  const pattern = text(keyword(schema, 'pattern'));
  if (pattern === undefined || keyword(schema, 'format') !== undefined) return false;
  return valueNodes(schema).length === 0 && decimalPattern(pattern) !== undefined;
}

/**
 * The type of integers: by their format, otherwise by their range. Identifiers exceed 32 bits even in APIs
 * whose document declares no format.
 */
export function integerType(schema: Schema): PrimitiveTypeName {
  const formatted = FORMATS.integer.get(text(keyword(schema, 'format')) ?? '');
  return formatted ?? (isWithinInt32(schema) ? 'Edm.Int32' : 'Edm.Int64');
}

function isFitting(
  schema: Schema,
  jsonType: JsonType | undefined,
  name: string,
): name is PrimitiveTypeName | OpaqueTypeName {
  if (jsonType !== undefined) return FITTING[jsonType].has(name);
  if (name === 'Edm.Untyped') return true;
  const types = jsonTypes(schema);
  return GEOGRAPHY.has(name) && (types.length === 0 || types[0] === 'object');
}

function singleJsonType(schema: Schema): JsonType | undefined {
  const types = jsonTypes(schema);
  // Every integer is a number.
  const [only, ...others] = types.includes('number') ? types.filter((type) => type !== 'integer') : types;
  return others.length === 0 && isJsonType(only) ? only : undefined;
}

function isJsonType(type: string | undefined): type is JsonType {
  return type === 'string' || type === 'integer' || type === 'number' || type === 'boolean';
}

/** The one primitive type that all of the schemas' values are of, as far as numbers and texts can be widened. */
export function widestType(
  source: DocumentSource,
  schemas: readonly Schema[],
): PrimitiveTypeName | OpaqueTypeName | undefined {
  const types = new Set(schemas.map((schema) => primitiveType(source, schema)));
  const [only] = types;
  if (types.size < 2) return only;
  return WIDENING.find(([, narrower]) => [...types].every((type) => narrower.has(type)))?.[0];
}

/** The primitive type of a schema's values; for a choice of schemas, the common type. */
export function sharedPrimitiveType(
  { source, read }: Pick<Derivation, 'source' | 'read'>,
  schema: Schema,
): PrimitiveTypeName | OpaqueTypeName | undefined {
  const own = primitiveType(source, schema);
  if (own !== undefined || schema.alternatives.length === 0) return own;
  const branches = schema.alternatives.flatMap((branch) => read(branch) ?? []);
  return branches.length < schema.alternatives.length ? undefined : widestType(source, branches);
}

const WIDENING: readonly (readonly [PrimitiveTypeName, ReadonlySet<string | undefined>])[] = [
  ['Edm.Int64', new Set(['Edm.Int32', 'Edm.Int64'])],
  ['Edm.Double', new Set(['Edm.Int32', 'Edm.Int64', 'Edm.Single', 'Edm.Double'])],
  // A number, or the text of one, as Pydantic has it.
  ['Edm.Decimal', new Set(['Edm.Int32', 'Edm.Int64', 'Edm.Double', 'Edm.Decimal'])],
  // Types whose JSON values are strings.
  [
    'Edm.String',
    new Set(['Edm.String', 'Edm.Guid', 'Edm.Date', 'Edm.DateTimeOffset', 'Edm.TimeOfDay', 'Edm.Duration']),
  ],
];

const LOWEST_INT32 = -(2 ** 31);
const HIGHEST_INT32 = 2 ** 31 - 1;

/** The least value that a schema allows. */
export function lowerBound(schema: Schema): Bound | undefined {
  return bound(schema, 'minimum', 'exclusiveMinimum', Math.max);
}

/** The greatest value that a schema allows. */
export function upperBound(schema: Schema): Bound | undefined {
  return bound(schema, 'maximum', 'exclusiveMaximum', Math.min);
}

/** The tighter of the two limits. In OpenAPI 3.0 the second one is a boolean that qualifies the first. */
function bound(
  schema: Schema,
  inclusive: string,
  exclusive: string,
  tighter: (a: number, b: number) => number,
): Bound | undefined {
  const including = number(keyword(schema, inclusive));
  const other = keyword(schema, exclusive);
  if (including !== undefined && other?.value === true) return { value: including, exclusive: true };
  const excluding = number(other);
  if (excluding === undefined)
    return including === undefined ? undefined : { value: including, exclusive: false };
  if (including === undefined) return { value: excluding, exclusive: true };
  const value = tighter(including, excluding);
  return { value, exclusive: value === excluding };
}

/**
 * Whether the document limits the integers to 32 bits: by enumerated values or by a maximum. A minimum is not
 * required, since counts and numbers only grow.
 */
function isWithinInt32(schema: Schema): boolean {
  const values = valueNodes(schema).flatMap(({ value }) => (value === null ? [] : [value]));
  if (values.length > 0) return values.every((value) => typeof value === 'number' && isInt32(value));
  const lowest = lowerBound(schema);
  const highest = upperBound(schema);
  if (highest === undefined || highest.value - Number(highest.exclusive) > HIGHEST_INT32) return false;
  return lowest === undefined || lowest.value + Number(lowest.exclusive) >= LOWEST_INT32;
}

function isInt32(value: number): boolean {
  return value >= LOWEST_INT32 && value <= HIGHEST_INT32;
}
