import type { EntityType, StructuralProperty } from '../model/edm.ts';
import { comparableType, isReadable } from '../model/readable-property.ts';
import { jsonLeaf } from './reading/json-leaf.ts';
import type { Lenience } from './reading/lenience.ts';
import { compileRowReader, type RowColumn, type RowReader } from './reading/row-reader.ts';
import { placeOf } from './reading/structural-reader.ts';

/** How rows are read whose values are single and of primitive types, or of none. */
export interface FlatReading {
  readonly width: number;
  /** Numbers are read with all their digits. */
  readonly exact: boolean;
  readonly read: RowReader;
}

interface FlatOptions {
  readonly entityType: EntityType;
  readonly properties: readonly string[];
  /** Undefined where values that are not as they should be are an error. */
  readonly lenience: Lenience | undefined;
}

/** Undefined where a value is an object, a list, or a decimal, whose digits no number holds. */
export function flatReading(options: FlatOptions): FlatReading | undefined {
  const columns = columnsOf(options);
  if (columns === undefined) return undefined;
  return {
    width: columns.reduce((width, { type }) => width + (isUntyped(type) ? UNTYPED_WIDTH : 1), 0),
    exact: columns.some(({ type }) => isUntyped(type)),
    read: compileRowReader(columns),
  };
}

/** Columns that one of values which may be objects weighs as much as. */
const UNTYPED_WIDTH = 16;

function isUntyped(type: RowColumn['type']): boolean {
  return type === 'Edm.Untyped';
}

function columnsOf(options: FlatOptions): readonly RowColumn[] | undefined {
  const columns = options.properties.map((name) => columnOf(options, name));
  return columns.every((column) => column !== undefined) ? columns : undefined;
}

/** The type of a property whose values stand in a row by themselves. */
function flatType(property: StructuralProperty): RowColumn['type'] | undefined {
  if (property.aliasOf !== undefined) return comparableType({ ...property, aliasOf: undefined });
  const isUntypedValue = property.type.name === 'Edm.Untyped' && !property.collection && isReadable(property);
  return isUntypedValue ? 'Edm.Untyped' : comparableType(property);
}

function columnOf({ entityType, lenience: note }: FlatOptions, name: string): RowColumn | undefined {
  const property = entityType.structuralProperties.get(name);
  const type = property && flatType(property);
  if (property === undefined || type === undefined || type === 'Edm.Decimal') return undefined;
  // A key is as it should be, or there is no telling which entity it is.
  const isKey = entityType.key.includes(name);
  const mayBeNull = property.nullable || property.sometimesNull === true;
  return {
    name,
    upstreamName: property.upstreamName,
    within: property.within ?? [],
    type,
    leaf: type === 'Edm.Untyped' ? undefined : jsonLeaf(type, property, note === undefined),
    isRequired: property.required === true && !mayBeNull,
    lenient: note === undefined || isKey ? undefined : { place: placeOf(entityType, property), note },
  };
}
