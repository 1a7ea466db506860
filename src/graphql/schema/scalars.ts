import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import { parsePrimitive } from '../../engine/values/primitive.ts';
import type { PrimitiveTypeName } from '../../model/edm.ts';

const CSDL = 'https://docs.oasis-open.org/odata/odata-csdl-json/v4.01/odata-csdl-json-v4.01.html';

/** Whole numbers that a number of JSON may not hold exactly: those are strings. */
export const LONG = exactNumber('Long', 'Edm.Int64', 'A whole number of 64 bits; a string beyond 2^53.');
export const DECIMAL = exactNumber(
  'Decimal',
  'Edm.Decimal',
  'An exact decimal number; a string where a number is not exact.',
);
export const DATE = text('Date', 'Edm.Date', 'https://scalars.graphql.org/andimarek/local-date.html');
export const DATE_TIME = text(
  'DateTime',
  'Edm.DateTimeOffset',
  'https://scalars.graphql.org/andimarek/date-time.html',
);
export const TIME_OF_DAY = text(
  'TimeOfDay',
  'Edm.TimeOfDay',
  'https://scalars.graphql.org/apollographql/localtime-v0.1.html',
);
export const DURATION = text(
  'Duration',
  'Edm.Duration',
  'https://www.w3.org/TR/xmlschema11-2/#dayTimeDuration',
);
export const UUID = text('UUID', 'Edm.Guid', 'https://www.rfc-editor.org/rfc/rfc4122');
export const BASE64 = text('Base64', 'Edm.Binary', 'https://www.rfc-editor.org/rfc/rfc4648#section-5');

/** Any value of JSON. */
export const JSON_VALUE = anyValue('JSON', 'https://www.rfc-editor.org/rfc/rfc8259');
/** A place on the earth as a GeoJSON object. */
export const GEO_JSON = anyValue('GeoJSON', 'https://www.rfc-editor.org/rfc/rfc7946');

function exactNumber(name: string, type: PrimitiveTypeName, description: string): GraphQLScalarType {
  const parse = (value: unknown, node?: ValueNode): unknown => {
    const isExact = typeof value !== 'number' || !Number.isInteger(value) || Number.isSafeInteger(value);
    const isNumber = typeof value === 'number' || typeof value === 'string' || typeof value === 'bigint';
    const found = isNumber && isExact ? parsePrimitive(type, plain(value)) : undefined;
    if (found === undefined) throw unfit(name, value, node);
    return found;
  };
  return new GraphQLScalarType({
    name,
    description,
    specifiedByURL: CSDL,
    serialize: (value) => (typeof value === 'bigint' ? String(value) : value),
    parseValue: (value) => parse(value),
    parseLiteral: (node) => parse(literalText(node, Kind.INT, Kind.FLOAT, Kind.STRING), node),
  });
}

/** JavaScript writes large and small numbers with an exponent, which no literal of a decimal has. */
function plain(value: number | string | bigint): string {
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
  return new GraphQLScalarType({ name, specifiedByURL, serialize: shownValue });
}

/** Whole numbers that a number of JSON may not hold exactly are strings within other values, too. */
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
  const shown = typeof value === 'object' ? 'an object' : JSON.stringify(String(value).slice(0, 100));
  return new GraphQLError(`Expected a value of type ${name}, found ${shown}.`, { nodes: node ?? null });
}
