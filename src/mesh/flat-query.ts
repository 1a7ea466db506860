import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isObjectType,
} from 'graphql';
import type { Row } from '../contract/entity-source.ts';
import type { EntityType } from '../model/edm.ts';
import { comparableType } from '../model/readable-property.ts';
import type { OperationField } from './operation-field.ts';
import { propertyOf } from './response-check.ts';
import { compileRowReader, type RowColumn, type RowReader } from './row-reader.ts';

/** How GraphQL itself reads rows whose values are single and of primitive types. */
export interface FlatReading {
  /** The selection of the root field. */
  readonly selection: string;
  /** The names that lead from the result to the entities: the root field's, and the list's where it is wrapped. */
  readonly path: readonly string[];
  readonly width: number;
  readonly toRow: RowReader;
}

interface FlatOptions {
  readonly operation: OperationField;
  readonly wrappedIn: string | undefined;
  readonly entityType: EntityType;
  readonly properties: readonly string[];
}

/**
 * Undefined where GraphQL has no words for the values: it would need a depth for types that refer to
 * themselves, and has neither open types nor decimals nor, in a list of several types, one row for each.
 */
export function flatReading(options: FlatOptions): FlatReading | undefined {
  const { field } = options.operation;
  const answer = objectType(field.type);
  const wrapper = options.wrappedIn === undefined ? undefined : answer && fieldOf(answer, options.wrappedIn);
  if (options.wrappedIn !== undefined && wrapper === undefined) return undefined;
  const type = wrapper === undefined ? answer : objectType(wrapper.type);
  const columns = type && columnsOf(options, type);
  if (columns === undefined) return undefined;
  const selected = columns.map(({ alias, field: name }) => `${alias}: ${name}`).join(' ') || '__typename';
  return {
    selection: wrapper === undefined ? selected : `${wrapper.name} { ${selected} }`,
    path: wrapper === undefined ? [field.name] : [field.name, wrapper.name],
    width: columns.length,
    toRow: compileRowReader(columns),
  };
}

function objectType(type: GraphQLOutputType): GraphQLObjectType | undefined {
  const named = getNamedType(type);
  return isObjectType(named) ? named : undefined;
}

function fieldOf(type: GraphQLObjectType, property: string): GraphQLField<unknown, unknown> | undefined {
  return Object.values(type.getFields()).find((field) => propertyOf(field) === property);
}

function columnsOf(
  { entityType, properties }: FlatOptions,
  type: GraphQLObjectType,
): readonly RowColumn[] | undefined {
  const fields = new Map(Object.values(type.getFields()).map((field) => [propertyOf(field), field]));
  const columns = properties.map((name, index) => columnOf(entityType, name, index, fields));
  return columns.every((column) => column !== undefined) ? columns : undefined;
}

/** Names of OData may have letters that a GraphQL name cannot have. */
const GRAPHQL_NAME = /^(?!__)[A-Za-z_]\w*$/;

function columnOf(
  { structuralProperties }: EntityType,
  name: string,
  index: number,
  fields: ReadonlyMap<string | undefined, GraphQLField<unknown, unknown>>,
): RowColumn | undefined {
  const property = structuralProperties.get(name);
  const type = comparableType(property);
  const field = property && fields.get(property.upstreamName);
  if (field === undefined || type === undefined || type === 'Edm.Decimal') return undefined;
  return {
    name,
    field: field.name,
    alias: GRAPHQL_NAME.test(name) ? name : `_${index}`,
    type,
    graphqlType: getNamedType(field.type).name,
  };
}

type Executed = Record<string, unknown>;

/** What a result has at the end of a path. */
export function followPath(result: unknown, path: readonly string[]): unknown {
  return path.reduce((found: unknown, name) => (found as Executed | null | undefined)?.[name], result);
}

/** The objects are the execution's own, so that they become the rows. */
export function flatRows(objects: (Executed | Row)[], toRow: RowReader): readonly Row[] {
  for (let index = 0; index < objects.length; index += 1) {
    objects[index] = toRow(objects[index] as Executed, index);
  }
  return objects as readonly Row[];
}
