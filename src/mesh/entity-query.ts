import {
  type DocumentNode,
  type GraphQLField,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isObjectType,
  parse,
} from 'graphql';
import type { Arguments, Row } from '../contract/entity-source.ts';
import { GatewayError } from '../contract/gateway-error.ts';
import type { EntityType, Model, Operation } from '../model/edm.ts';
import type { ListOperation } from '../model/operation.ts';
import { comparableType } from '../model/readable-property.ts';
import type { StructuralProperty } from '../model/structured-type.ts';
import { propertyOf } from './response-check.ts';
import { compileRowReader, type RowColumn, type RowReader } from './row-reader.ts';
import { compileStructuralReader } from './structural-reader.ts';

/** A document of one root field that reads an operation's entities, and what to make of its result. */
export interface EntityQuery {
  readonly document: DocumentNode;
  /** The names that lead from the result to the entities: the root field's, and the list's where it is wrapped. */
  readonly path: readonly string[];
  /** In the order of the operation's parameters. */
  readonly variables: readonly ArgumentVariable[];
  readonly toRow: RowReader;
  readonly columns: readonly RowColumn[];
  /**
   * Reads rows off the answer itself, where GraphQL has no words for their values: it would need a depth
   * for types that refer to themselves, and has neither open types nor decimals.
   */
  readonly direct: DirectReading | undefined;
}

interface DirectReading {
  /** The upstream's name of the list in the answer, where it is wrapped. */
  readonly wrappedIn: string | undefined;
  readonly toRow: RowReader;
}

interface ArgumentVariable {
  readonly name: string;
  /** The operation's parameter that it fills. */
  readonly parameter: string;
  /** The named GraphQL type. */
  readonly type: string;
}

export interface EntityQueryOptions {
  readonly model: Model;
  readonly schema: GraphQLSchema;
  readonly entityType: EntityType;
  readonly operation: ListOperation;
  readonly properties: readonly string[];
}

/** Makes the query of just those properties, each under its OData name. */
export function buildEntityQuery(options: EntityQueryOptions): EntityQuery {
  const { field, type: answerType } = rootField(options.schema, options.operation, 'query');
  const wrapper = wrapperOf(options.operation, answerType);
  const direct = directReading(options);
  const entityType = wrapper === undefined ? answerType : objectType(wrapper);
  const columns = direct === undefined ? columnsOf(options, entityType) : [];
  const variables = variablesOf(options.operation, field);
  const declared = variables.map(({ name, argument }) => `$${name}: ${String(argument.type)}`).join(', ');
  const passed = variables.map(({ name, argument }) => `${argument.name}: $${name}`).join(', ');
  const selected = columns.map(({ alias, field: name }) => `${alias}: ${name}`).join(' ') || '__typename';
  const entities = wrapper === undefined ? selected : `${wrapper.name} { ${selected} }`;
  const text = `query${inParentheses(declared)} { ${field.name}${inParentheses(passed)} { ${entities} } }`;
  return {
    document: parse(text, { noLocation: true }),
    path: wrapper === undefined ? [field.name] : [field.name, wrapper.name],
    variables: variables.map(({ name, parameter, argument }) => ({
      name,
      parameter,
      type: getNamedType(argument.type).name,
    })),
    toRow: compileRowReader(columns),
    columns,
    direct,
  };
}

/**
 * Makes the mutation that creates an entity. It selects nothing: what a create's answer leaves out is
 * null, even where the schema demands a value, and GraphQL would make a failure of that.
 */
export function buildInsertQuery(options: EntityQueryOptions): EntityQuery {
  const { field, type } = rootField(options.schema, options.operation, 'mutation');
  const direct = directReading(options);
  const flat = direct === undefined ? columnsOf(options, type) : [];
  const columns = flat.map((column) => ({ ...column, alias: column.name }));
  return {
    document: parse(`mutation { ${field.name} { __typename } }`, { noLocation: true }),
    path: [field.name],
    variables: [],
    toRow: compileRowReader(columns),
    columns,
    direct,
  };
}

/** Undefined where all values are single and of primitive types that a GraphQL result has exactly. */
function directReading(options: EntityQueryOptions): DirectReading | undefined {
  const { model, entityType, operation, properties } = options;
  const needed = properties.map((name) => propertyNamed(entityType, name));
  if (needed.every(isFlat)) return undefined;
  return { wrappedIn: operation.wrappedIn, toRow: compileStructuralReader(model, needed) };
}

function propertyNamed(
  { name: typeName, structuralProperties }: EntityType,
  name: string,
): StructuralProperty {
  return structuralProperties.get(name) ?? mismatched(`no property "${name}" in ${typeName}`);
}

function isFlat(property: StructuralProperty): boolean {
  const type = comparableType(property);
  return type !== undefined && type !== 'Edm.Decimal';
}

type Field = GraphQLField<unknown, unknown>;
type ObjectType = GraphQLObjectType | GraphQLInterfaceType;

interface RootField {
  readonly field: Field;
  readonly type: ObjectType;
}

function rootField(schema: GraphQLSchema, { id }: Operation, kind: 'query' | 'mutation'): RootField {
  const root = kind === 'query' ? schema.getQueryType() : schema.getMutationType();
  const field = root?.getFields()[id];
  if (field === undefined) throw mismatch(`no ${kind} "${id}"`);
  return { field, type: objectType(field) };
}

function objectType(field: Field): ObjectType {
  const type = getNamedType(field.type);
  if (!isObjectType(type) && !isInterfaceType(type)) throw mismatch(`no object in "${field.name}"`);
  return type;
}

/** The field that holds the list, where the upstream puts it into an object. */
function wrapperOf({ wrappedIn }: ListOperation, type: ObjectType): Field | undefined {
  if (wrappedIn === undefined) return undefined;
  const field = Object.values(type.getFields()).find((candidate) => propertyOf(candidate) === wrappedIn);
  return field ?? mismatched(`no list "${wrappedIn}" in ${type.name}`);
}

function columnsOf({ entityType, properties }: EntityQueryOptions, type: ObjectType): RowColumn[] {
  const fields = new Map(Object.values(type.getFields()).map((field) => [propertyOf(field), field]));
  return properties.map((name, index) => {
    const property = propertyNamed(entityType, name);
    return columnOf(property, index, fields.get(property.upstreamName));
  });
}

/** Names of OData may have letters that a GraphQL name cannot have. */
const GRAPHQL_NAME = /^(?!__)[A-Za-z_]\w*$/;

function columnOf(property: StructuralProperty, index: number, field: Field | undefined): RowColumn {
  const { name, upstreamName } = property;
  const type = comparableType(property) ?? 'Edm.String';
  if (field === undefined) throw mismatch(`no property "${upstreamName}" in the mesh`);
  return {
    name,
    property: upstreamName,
    field: field.name,
    alias: GRAPHQL_NAME.test(name) ? name : `_${index}`,
    type,
    graphqlType: getNamedType(field.type).name,
  };
}

function variablesOf({ parameters }: Operation, field: Field) {
  return parameters.map(({ name }, index) => {
    const argument = field.args.find((arg) => arg.name === name || arg.name === name.replace(/\W/g, '_'));
    if (argument === undefined) throw mismatch(`no argument "${name}" of "${field.name}"`);
    return { name: `key${index}`, parameter: name, argument };
  });
}

function inParentheses(text: string): string {
  return text === '' ? '' : `(${text})`;
}

function mismatch(what: string): GatewayError {
  const cause = new Error(`the model and the mesh differ: there is ${what}`);
  return new GatewayError('InternalError', 'The service is not set up correctly.', { cause });
}

function mismatched(what: string): never {
  throw mismatch(what);
}

/** The variables' values, or undefined where an argument cannot be a value of the upstream's. */
export function argumentVariables(query: EntityQuery, args: Arguments): Record<string, unknown> | undefined {
  const values: Record<string, unknown> = {};
  for (const { name, parameter, type } of query.variables) {
    const value = argumentValue(args[parameter], type);
    if (value === undefined) return undefined;
    values[name] = value;
  }
  return values;
}

function argumentValue(value: Row[string] | undefined, type: string): unknown {
  if (value === undefined || value === null) return undefined;
  switch (type) {
    case 'Int':
      return isInt32(Number(value)) && INTEGER.test(String(value)) ? Number(value) : undefined;
    case 'Float':
      return Number.isFinite(Number(value)) ? Number(value) : undefined;
    case 'Boolean':
      return typeof value === 'boolean' ? value : undefined;
    case 'BigInt':
      return INTEGER.test(String(value)) ? String(value) : undefined;
    default:
      return String(value);
  }
}

/** One spelling for each number: `07` and `7.0` are not the key `7`. */
const INTEGER = /^(0|-?[1-9]\d{0,18})$/;

function isInt32(value: number): boolean {
  return value === (value | 0);
}
