import type { Row, Value } from '../../contract/entity-source.ts';
import type { PrimitiveTypeName } from '../../model/edm.ts';
import type { Trail } from '../trail.ts';
import { type Conversion, conversionTo } from './edm-values.ts';
import { type LeafCheck, plainTypeOf } from './scalar-checks.ts';
import { memberInAnyCase } from './structural-reader.ts';

/** A property of a row and where it comes from. */
export interface RowColumn {
  /** The OData name. */
  readonly name: string;
  /** The name in the upstream's JSON. */
  readonly upstreamName: string;
  readonly type: PrimitiveTypeName;
  readonly graphqlType: string;
  readonly check: LeafCheck;
  readonly isRequired: boolean;
}

/** Makes a row of what the upstream sent, which is shared: it is never changed. */
export type RowReader = (object: unknown, trail: Trail) => Row;

interface Column extends RowColumn {
  readonly convert: Conversion | undefined;
}

/** Reads one property into the row. */
type Fill = (object: JsonObject, row: Record<string, Value>, trail: Trail) => void;

/**
 * Compiles the reading of objects whose values are single and of primitive types: each property is looked at
 * once, and what is not wanted is not looked at.
 */
export function compileRowReader(columns: readonly RowColumn[]): RowReader {
  const fills = columns.map(compileColumn);
  const blank = Object.fromEntries(columns.map(({ name }) => [name, null]));
  return (object, trail) => {
    if (!isObject(object)) throw trail.misfit('an object', object);
    // A copy has its shape from the beginning: adding properties one by one would take twice as long.
    const row: Record<string, Value> = { ...blank };
    for (const fill of fills) fill(object, row, trail);
    return row;
  };
}

/** The commonest types have functions of their own, which decide by one look at the value. */
function compileColumn(plain: RowColumn): Fill {
  const { name, upstreamName, type, graphqlType } = plain;
  const column: Column = { ...plain, convert: conversionTo(type, graphqlType) };
  const fill: Fill = (object, row, trail) => {
    row[name] = readColumn(object, object[upstreamName], column, trail);
  };
  if (graphqlType === 'Int') return fillInteger(column, fill);
  const jsType = column.convert === undefined ? plainTypeOf(graphqlType) : undefined;
  if (jsType === undefined) return fill;
  return (object, row, trail) => {
    const found = object[upstreamName];
    if (typeof found === jsType) row[name] = found as Value;
    else fill(object, row, trail);
  };
}

function fillInteger({ name, upstreamName, type, convert }: Column, otherwise: Fill): Fill {
  const isText = type === 'Edm.String';
  if (convert !== undefined && !isText) return otherwise;
  return (object, row, trail) => {
    const found = object[upstreamName];
    if (typeof found === 'number' && found === (found | 0)) row[name] = isText ? String(found) : found;
    else otherwise(object, row, trail);
  };
}

type JsonObject = Readonly<Record<string, unknown>>;

function readColumn(object: JsonObject, found: unknown, column: Column, trail: Trail): Value {
  // What Object.prototype has is an object or a function, so that numbers and texts are the object's own.
  const isOwn = typeof found === 'number' || typeof found === 'string';
  const value = isOwn ? found : memberInAnyCase(object, column.upstreamName);
  if (value !== null && value !== undefined) return converted(value, column, trail);
  if (column.isRequired) throw misfit('a value', value, column, trail);
  return null;
}

function converted(value: unknown, column: Column, trail: Trail): Value {
  const { check, convert, type } = column;
  if (!check.accepts(value)) throw misfit(check.expected, value, column, trail);
  if (convert === undefined) return value as Value;
  const result = convert(value);
  if (result === undefined) throw misfit(`a value of ${type}`, value, column, trail);
  return result;
}

function misfit(expected: string, found: unknown, { upstreamName }: RowColumn, trail: Trail): Error {
  trail.enter();
  trail.at(upstreamName);
  return trail.misfit(expected, found);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
