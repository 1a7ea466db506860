import type { Row, Value } from '../contract/entity-source.ts';
import type { PrimitiveTypeName } from '../model/edm.ts';
import { type Conversion, conversionTo } from './edm-values.ts';
import { badResponse } from './upstream-failure.ts';

/** A property of a row and where it comes from. */
export interface RowColumn {
  /** The OData name. */
  readonly name: string;
  /** The name of the GraphQL field. */
  readonly field: string;
  /** The name in the objects that are read. */
  readonly alias: string;
  readonly type: PrimitiveTypeName;
  readonly graphqlType: string;
}

/** Makes a row of an object that nobody else has: where it can, it is changed and not copied. */
export type RowReader = (object: Record<string, unknown>, index: number | undefined) => Row;

/** Compiles what is to be done to each object so that it becomes a row. */
export function compileRowReader(columns: readonly RowColumn[]): RowReader {
  if (columns.length === 0) return () => EMPTY;
  const isRenamed = columns.some(({ alias, name }) => alias !== name);
  return isRenamed ? copyingReader(columns) : changingReader(columns);
}

const EMPTY: Row = Object.freeze({});

interface Change {
  readonly name: string;
  readonly alias: string;
  readonly type: string;
  readonly convert: Conversion;
}

function changeOf({ name, alias, type, graphqlType }: RowColumn): Change | undefined {
  const convert = conversionTo(type, graphqlType);
  return convert && { name, alias, type, convert };
}

function changingReader(columns: readonly RowColumn[]): RowReader {
  const changes = columns.map(changeOf).filter((change) => change !== undefined);
  return (object, index) => {
    for (const change of changes) object[change.name] = converted(object[change.name], change, index);
    return object as Row;
  };
}

function copyingReader(columns: readonly RowColumn[]): RowReader {
  const parts = columns.map((column) => ({ ...column, change: changeOf(column) }));
  return (object, index) => {
    const row: Record<string, Value> = {};
    for (const { name, alias, change } of parts) {
      const value = object[alias];
      row[name] = change === undefined ? ((value ?? null) as Value) : converted(value, change, index);
    }
    return row;
  };
}

function converted(value: unknown, { convert, name, type }: Change, index?: number): Value {
  if (value === null || value === undefined) return null;
  const result = convert(value);
  if (result !== undefined) return result;
  const place = index === undefined ? '' : `[${index}]`;
  throw badResponse(`${place}.${name}: expected a value of ${type}, found a ${typeof value}`);
}
