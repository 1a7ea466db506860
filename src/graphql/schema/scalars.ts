import {
  GraphQLBoolean,
  GraphQLEnumType,
  GraphQLError,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  GraphQLScalarType,
  GraphQLString,
  Kind,
  type ValueNode,
  valueFromASTUntyped,
} from 'graphql';
import { rawJson } from '../../contract/row.ts';
import { ExactNumber } from '../../core/exact-number.ts';
import { shorten } from '../../core/shorten.ts';
import { parsePrimitive } from '../../engine/values/primitive.ts';
import type { EnumerationType, PrimitiveTypeName, ValueType } from '../../model/edm.ts';
import { madeOnce } from '../../model/maps.ts';
import type { Input } from '../context/graphql-context.ts';
import type { NumberForm, ShownModel } from '../context/schema-names.ts';

const CSDL = 'https://docs.oasis-open.org/odata/odata-csdl-json/v4.01/odata-csdl-json-v4.01.html';

/** Integers that JSON numbers may not hold exactly; those are strings. */
const LONG: Exact = {
  name: 'Long',
  type: 'Edm.Int64',
  kind: 'A whole number of 64 bits',
  limit: 'beyond 2^53',
};
const DECIMAL: Exact = {
  name: 'Decimal',
  type: 'Edm.Decimal',
  kind: 'An exact decimal number',
  limit: 'where a number is not exact',
};

interface Exact {
  readonly name: string;
  readonly type: PrimitiveTypeName;
  readonly kind: string;
  /** The values that are strings if both JSON types are used. */
  readonly limit: string;
}
const DATE = text('Date', 'Edm.Date', 'https://scalars.graphql.org/andimarek/local-date.html');
const DATE_TIME = text(
  'DateTime',
  'Edm.DateTimeOffset',
  'https://scalars.graphql.org/andimarek/date-time.html',
);
const TIME_OF_DAY = text(
  'TimeOfDay',
  'Edm.TimeOfDay',
  'https://scalars.graphql.org/apollographql/localtime-v0.1.html',
);
const DURATION = text('Duration', 'Edm.Duration', 'https://www.w3.org/TR/xmlschema11-2/#dayTimeDuration');
const UUID = text('UUID', 'Edm.Guid', 'https://www.rfc-editor.org/rfc/rfc4122');
const BASE64 = text('Base64', 'Edm.Binary', 'https://www.rfc-editor.org/rfc/rfc4648#section-5');

/** Any JSON value. */
export const JSON_VALUE = anyValue('JSON', 'https://www.rfc-editor.org/rfc/rfc8259');
/** A GeoJSON object. */
const GEO_JSON = anyValue('GeoJSON', 'https://www.rfc-editor.org/rfc/rfc7946');

/** Numbers in variables have all their digits. */
function plainNumber(value: unknown): unknown {
  return value instanceof ExactNumber ? Number(value) : value;
}

export const INT = new GraphQLScalarType<number>({
  ...GraphQLInt.toConfig(),
  parseValue: (value) => GraphQLInt.parseValue(plainNumber(value)),
});
const FLOAT = new GraphQLScalarType<number>({
  ...GraphQLFloat.toConfig(),
  parseValue: (value) => GraphQLFloat.parseValue(plainNumber(value)),
});

/** The type ID for keys of any type, because graphql-js rejects decimals and booleans as IDs. */
export const ID = new GraphQLScalarType({
  ...GraphQLID.toConfig(),
  serialize: String,
  parseValue: (value) => GraphQLID.parseValue(value instanceof ExactNumber ? value.text : value),
});

/** The JSON of a number with all its digits; Decimals have no exponent. */
const SERIALIZE: Readonly<Record<NumberForm, (value: unknown) => unknown>> = {
  mixed: (value) => (typeof value === 'bigint' ? String(value) : value),
  strings: (value) => digits(value),
  numbers: (value) => rawJson(digits(value)),
};

function digits(value: unknown): string {
  if (typeof value !== 'number') return String(value);
  return Number.isInteger(value) ? String(BigInt(value)) : plain(value);
}

function exactNumber({ name, type, kind, limit }: Exact, form: NumberForm): GraphQLScalarType {
  const written = { mixed: `; a string ${limit}`, strings: ', as a string', numbers: ', as a number' }[form];
  const parse = (value: unknown, node?: ValueNode): unknown => {
    const isNumber = typeof value === 'number' || typeof value === 'string';
    const found = isNumber ? parsePrimitive(type, plain(value)) : undefined;
    if (found === undefined) throw unfit(name, value, node);
    return found;
  };
  return new GraphQLScalarType({
    name,
    description: `${kind}${written}.`,
    specifiedByURL: CSDL,
    serialize: SERIALIZE[form],
    parseValue: (value) => parse(value instanceof ExactNumber ? value.text : value),
    parseLiteral: (node) => parse(literalText(node, Kind.INT, Kind.FLOAT, Kind.STRING), node),
  });
}

/** JavaScript writes large and small numbers with an exponent, which decimals must not have. */
function plain(value: number | string): string {
  return typeof value === 'number' && !Number.isInteger(value) && Math.abs(value) < 1e-6
    ? value.toFixed(20)
    : String(value);
}

function text(name: string, type: PrimitiveTypeName, specifiedByURL: string): GraphQLScalarType {
  const parse = (value: unknown, node?: ValueNode): unknown => {
    const found = typeof value === 'string' ? parsePrimitive(type, value) : undefined;
    if (found === undefined) throw unfit(name, value, node);
    return found;
  };
  return new GraphQLScalarType({
    name,
    specifiedByURL,
    parseValue: (value) => parse(value),
    parseLiteral: (node) => parse(literalText(node, Kind.STRING), node),
  });
}

function anyValue(name: string, specifiedByURL: string): GraphQLScalarType {
  return new GraphQLScalarType({
    name,
    specifiedByURL,
    serialize: shownValue,
    parseValue: (value) => value,
    parseLiteral: literalValue,
  });
}

/** The value of a literal. Integers that a double cannot hold keep their digits. */
function literalValue(node: ValueNode, variables?: Input | null): unknown {
  switch (node.kind) {
    case Kind.INT:
      return Number.isSafeInteger(Number(node.value)) ? Number(node.value) : new ExactNumber(node.value);
    case Kind.LIST:
      return node.values.map((each) => literalValue(each, variables));
    case Kind.OBJECT:
      return Object.fromEntries(
        node.fields.map(({ name, value }) => [name.value, literalValue(value, variables)]),
      );
    default:
      return valueFromASTUntyped(node, variables);
  }
}

/** Inexact integers are strings, even in nested values. */
function shownValue(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return value.map(shownValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shownValue(each)]));
}

function literalText(node: ValueNode, ...kinds: readonly Kind[]): unknown {
  return 'value' in node && kinds.includes(node.kind) ? node.value : undefined;
}

function unfit(name: string, value: unknown, node: ValueNode | undefined): GraphQLError {
  const shown = typeof value === 'object' ? 'an object' : JSON.stringify(shorten(String(value)));
  return new GraphQLError(`Expected a value of type ${name}, found ${shown}.`, { nodes: node ?? null });
}

const SCALARS: ReadonlyMap<string, GraphQLScalarType> = new Map<string, GraphQLScalarType>([
  ['Edm.Binary', BASE64],
  ['Edm.Boolean', GraphQLBoolean],
  ['Edm.Byte', INT],
  ['Edm.SByte', INT],
  ['Edm.Int16', INT],
  ['Edm.Int32', INT],
  ['Edm.Single', FLOAT],
  ['Edm.Double', FLOAT],
  ['Edm.Date', DATE],
  ['Edm.DateTimeOffset', DATE_TIME],
  ['Edm.TimeOfDay', TIME_OF_DAY],
  ['Edm.Duration', DURATION],
  ['Edm.Guid', UUID],
  ['Edm.String', GraphQLString],
  ['Edm.Untyped', JSON_VALUE],
  ['Edm.Stream', JSON_VALUE],
]);

const EXACT: Readonly<Record<NumberForm, ReadonlyMap<string, GraphQLScalarType>>> = {
  mixed: exactNumbers('mixed'),
  strings: exactNumbers('strings'),
  numbers: exactNumbers('numbers'),
};

function exactNumbers(form: NumberForm): ReadonlyMap<string, GraphQLScalarType> {
  return new Map([LONG, DECIMAL].map((each) => [each.type, exactNumber(each, form)]));
}

/** The scalar for a primitive type. */
export function scalarOf(name: string, form: NumberForm = 'mixed'): GraphQLScalarType {
  return EXACT[form].get(name) ?? SCALARS.get(name) ?? GEO_JSON;
}

export type ScalarFor = (type: ValueType, isKey?: boolean) => GraphQLScalarType | GraphQLEnumType;

/**
 * Scalars and enumerations, each created once per schema. Key parts are IDs, with which clients cache
 * entities.
 */
export function valueTypes({ names, form }: ShownModel): ScalarFor {
  const enums = new Map<string, GraphQLEnumType>();
  return (type, isKey = false) => {
    if (type.kind === 'primitive') return isKey ? ID : scalarOf(type.name, form.numbers);
    if (type.kind !== 'enumeration') return JSON_VALUE;
    return madeOnce(enums, type.name, () => enumType(names.typeOf(type.name), type, names.valuesOf(type)));
  };
}

/** Internally, members have the names of the model. */
function enumType(
  name: string,
  { description }: EnumerationType,
  values: ReadonlyMap<string, string>,
): GraphQLEnumType {
  return new GraphQLEnumType({
    name,
    description,
    values: Object.fromEntries([...values].map(([written, member]) => [written, { value: member }])),
  });
}

/** Whether values of the type are lists of members, which the model writes with commas. */
export function isFlags(type: ValueType): boolean {
  return type.kind === 'enumeration' && type.flags;
}
