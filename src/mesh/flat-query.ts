import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isLeafType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import type { EntityType } from '../model/edm.ts';
import type { AnswerPath } from '../model/operation.ts';
import { comparableType, isReadable } from '../model/readable-property.ts';
import type { StructuralProperty } from '../model/structured-type.ts';
import type { Lenience } from './reading/lenience.ts';
import { propertyOf } from './reading/response-check.ts';
import { compileRowReader, type RowColumn, type RowReader } from './reading/row-reader.ts';
import { leafCheck } from './reading/scalar-checks.ts';
import { placeOf } from './reading/structural-reader.ts';
import type { OperationField } from './schema/operation-field.ts';

/** How rows are asked for and read whose values are single and of primitive types, or of none. */
export interface FlatReading {
  /** The selection of the root field. */
  readonly selection: string;
  readonly width: number;
  /** Numbers are read with all their digits. */
  readonly exact: boolean;
  readonly read: RowReader;
}

interface FlatOptions {
  readonly operation: OperationField;
  readonly wrappedIn: AnswerPath | undefined;
  readonly entityType: EntityType;
  readonly properties: readonly string[];
  /** Undefined where values that are not as they should be are an error. */
  readonly lenience: Lenience | undefined;
}

/**
 * Undefined where GraphQL has no words for the values: it would need a depth for types that refer to
 * themselves, and has neither open types nor decimals nor, in a list of several types, one row for each.
 */
export function flatReading(options: FlatOptions): FlatReading | undefined {
  const { field } = options.operation;
  const wrappers = fieldsAlong(field.type, options.wrappedIn ?? []);
  const type = wrappers && objectType(wrappers.at(-1)?.type ?? field.type);
  const columns = type && columnsOf(options, type);
  if (wrappers === undefined || columns === undefined) return undefined;
  const selected = columns.map(selectionOf).join(' ') || '__typename';
  return {
    selection: within(wrappers, selected),
    width: columns.reduce((width, { type }) => width + (isUntyped(type) ? UNTYPED_WIDTH : 1), 0),
    exact: columns.some(({ type }) => isUntyped(type)),
    read: compileRowReader(columns),
  };
}

/** The selection of a column, at its place. */
function selectionOf({ alias, field, holders }: FlatColumn): string {
  return within(holders, `${alias}: ${field}`);
}

function within(fields: readonly GraphQLField<unknown, unknown>[], selection: string): string {
  return fields.reduceRight((inner, { name }) => `${name} { ${inner} }`, selection);
}

/** Columns that one of values which may be objects weighs as much as. */
const UNTYPED_WIDTH = 16;

function isUntyped(type: RowColumn['type']): boolean {
  return type === 'Edm.Untyped';
}

function objectType(type: GraphQLOutputType): GraphQLObjectType | undefined {
  const named = getNamedType(type);
  return isObjectType(named) ? named : undefined;
}

/** The fields that lead to a place in an answer; undefined where GraphQL has none for one of its steps. */
function fieldsAlong(
  answer: GraphQLOutputType,
  path: AnswerPath,
): readonly GraphQLField<unknown, unknown>[] | undefined {
  const fields: GraphQLField<unknown, unknown>[] = [];
  for (const property of path) {
    const type = objectType(fields.at(-1)?.type ?? answer);
    const field = type && fieldOf(type, property);
    if (field === undefined) return undefined;
    fields.push(field);
  }
  return fields;
}

function fieldOf(type: GraphQLObjectType, property: string): GraphQLField<unknown, unknown> | undefined {
  return Object.values(type.getFields()).find((field) => propertyOf(field) === property);
}

function columnsOf(options: FlatOptions, type: GraphQLObjectType): readonly FlatColumn[] | undefined {
  const columns = options.properties.map((name, index) => columnOf(options, name, index, type));
  return columns.every((column) => column !== undefined) ? columns : undefined;
}

interface FlatColumn extends RowColumn {
  /** The name of the GraphQL field, and the one that it is asked for by. */
  readonly field: string;
  readonly alias: string;
  /** The fields that lead to it. */
  readonly holders: readonly GraphQLField<unknown, unknown>[];
}

/** Names of OData may have letters that a GraphQL name cannot have. */
const GRAPHQL_NAME = /^(?!__)[A-Za-z_]\w*$/;

/** The type of a property whose values stand in a row by themselves. */
function flatType(property: StructuralProperty | undefined): RowColumn['type'] | undefined {
  if (property?.aliasOf !== undefined) return comparableType({ ...property, aliasOf: undefined });
  const isUntyped = property?.type.name === 'Edm.Untyped' && !property.collection && isReadable(property);
  return isUntyped ? 'Edm.Untyped' : comparableType(property);
}

function columnOf(
  { entityType, lenience: note }: FlatOptions,
  name: string,
  index: number,
  type: GraphQLObjectType,
): FlatColumn | undefined {
  const property = entityType.structuralProperties.get(name);
  const columnType = flatType(property);
  const holders = property && fieldsAlong(type, property.within ?? []);
  const holder = holders && objectType(holders.at(-1)?.type ?? type);
  const field = property && holder && fieldOf(holder, property.upstreamName);
  if (property === undefined || holders === undefined || field === undefined) return undefined;
  if (columnType === undefined || columnType === 'Edm.Decimal') return undefined;
  const graphqlType = getNamedType(field.type);
  if (!isLeafType(graphqlType)) return undefined;
  // A key is as it should be, or there is no telling which entity it is.
  const isKey = entityType.key.includes(name);
  const place = placeOf(entityType, property);
  return {
    name,
    upstreamName: property.upstreamName,
    within: property.within ?? [],
    holders,
    type: columnType,
    graphqlType: graphqlType.name,
    check: leafCheck(graphqlType),
    isRequired: note === undefined ? isNonNullType(field.type) : isKey && property.required === true,
    lenient: note === undefined || isKey ? undefined : { place, note },
    field: field.name,
    alias: GRAPHQL_NAME.test(name) ? name : `_${index}`,
  };
}
