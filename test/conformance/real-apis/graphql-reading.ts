import {
  buildClientSchema,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
  type IntrospectionQuery,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  validateSchema,
} from 'graphql';
import { fieldName, pluralName } from '../../../src/graphql/context/names.ts';
import { isRow, type ODataClient, type Row } from './odata-client.ts';
import type { ServedTable } from './served-model.ts';
import { type FilteredRows, type FixedProperty, type ReadTable, rowPath, valueAt } from './table-reading.ts';

/** The results of a GraphQL client, compared with those of an OData client. */
export interface GraphQLReading {
  readonly types: readonly string[];
  /** Entity sets that are the same: as a list, as a connection, and one entity by its key. */
  readonly same: number;
  /** Faults in the schema, and results that differ from OData's. */
  readonly faults: readonly string[];
}

interface Answer {
  readonly data?: Row | null;
  readonly errors?: readonly GraphQLFault[];
}

interface GraphQLFault {
  readonly message: string;
  readonly extensions?: { readonly code?: string };
}

type Ask = (query: string) => Promise<Answer>;
type RootField = GraphQLField<unknown, unknown>;

interface Service {
  readonly ask: Ask;
  readonly client: ODataClient;
  readonly schema: GraphQLSchema;
}

/** Reads all entity sets by introspection, and compares them with OData's results. */
export async function readGraphQL(
  url: string,
  client: ODataClient,
  read: readonly ReadTable[],
): Promise<GraphQLReading> {
  const ask: Ask = async (query) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query }),
    });
    const answer: unknown = await response.json();
    return isRow(answer) ? answer : {};
  };
  const schema = await introspect(ask);
  const faults = validateSchema(schema).map(({ message }) => message);
  const lists = rootLists(schema);
  const sets = read.filter(({ table }) => table.parent === undefined && table.isListed);
  if (lists.length < sets.length) faults.push(`${lists.length} lists of ${sets.length} entity sets`);
  let same = 0;
  for (const [index, set] of sets.entries()) {
    const list = lists[index];
    const fault = list && (await compare({ ask, client, schema }, set, list));
    if (list && fault === undefined) same += 1;
    else faults.push(`${list?.name}, of ${set.table.name}: ${fault}`);
  }
  return { types: Object.keys(schema.getTypeMap()), same, faults };
}

async function introspect(ask: Ask): Promise<GraphQLSchema> {
  const { data } = await ask(getIntrospectionQuery());
  if (!isIntrospection(data)) throw new Error('The schema tells nothing of itself.');
  return buildClientSchema(data);
}

function isIntrospection(data: unknown): data is IntrospectionQuery {
  return isRow(data) && isRow(data['__schema']);
}

/** The lists of entity sets stand in the order of the sets, before all others. */
function rootLists(schema: GraphQLSchema): readonly RootField[] {
  const fields = schema.getQueryType()?.getFields() ?? {};
  const isList = (field: RootField | undefined) => field?.args.some(({ name }) => name === 'where') ?? false;
  return Object.values(fields).filter((field) => isList(field) && isList(fields[`${field.name}Connection`]));
}

/** The difference from OData's result, if any. */
async function compare(
  service: Service,
  { table, filtered }: ReadTable,
  list: RootField,
): Promise<string | undefined> {
  const one = Object.values(service.schema.getQueryType()?.getFields() ?? {}).find((field) =>
    isOneOf(field, list),
  );
  if (filtered === undefined) return 'OData did not read it';
  const shown = shownKey(table, list);
  const where = whereArgument(list, filtered.fixed);
  const selection = `{ __typename ${shown.map(({ field }) => field).join(' ')} }`;
  const { data, errors: [error] = [] } = await service.ask(
    `{ list: ${list.name}${where} ${selection} connection: ${list.name}Connection${where} { totalCount nodes ${selection} } }`,
  );
  if (filtered.all.error !== undefined) return sameError(filtered, error);
  if (error !== undefined) return `${error.extensions?.code}, ${error.message}`;
  const connection = data?.['connection'];
  const nodes = isRow(connection) ? connection['nodes'] : undefined;
  const total = isRow(connection) ? connection['totalCount'] : undefined;
  if (total !== filtered.all.rows.length) return `${total} of ${filtered.all.rows.length} rows are counted`;
  const expected = keysOf(
    filtered.all.rows,
    shown.map(({ path }) => path),
  );
  const names = shown.map(({ field }) => field);
  const difference =
    differenceOf(expected, keysOf(data?.['list'], names)) ??
    // A connection is sorted by the key, where the query says nothing of an order.
    differenceOf(expected.toSorted(), keysOf(nodes, names).toSorted());
  if (difference !== undefined) return difference;
  return one && compareOne(service, table, filtered, one);
}

/** OData returns rows before an error in earlier pages; the error counts if it comes at the end. */
function sameError({ all: { error } }: FilteredRows, found: GraphQLFault | undefined): string | undefined {
  const code = found?.extensions?.code;
  return code === error?.code ? undefined : `expected ${error?.code}, found ${code}: ${found?.message}`;
}

async function compareOne(
  { ask, client }: Service,
  table: ServedTable,
  { all }: FilteredRows,
  one: RootField,
): Promise<string | undefined> {
  const [first] = all.rows;
  const path = rowPath(table.name, table, first);
  if (first === undefined || path === undefined) return undefined;
  const values = table.key.map(({ path }) => valueAt(first, path) ?? null);
  if (values.includes(null)) return undefined;
  const given = one.args.map(({ name }, index) => `${name}: ${JSON.stringify(String(values[index]))}`);
  const [isThere, { data, errors }] = await Promise.all([
    client.exists(path),
    ask(`{ one: ${one.name}(${given.join(', ')}) { __typename } }`),
  ]);
  const isFound = isRow(data?.['one']);
  if (isFound === isThere) return undefined;
  return `${one.name}(${given}) is ${isFound ? '' : 'not '}there, unlike in OData: ${errors?.[0]?.message}`;
}

/** Whether a field gives one entity of the list by its key. */
function isOneOf({ name, type, args }: RootField, list: RootField): boolean {
  const isKeyed = args.length > 0 && args.every((arg) => getNamedType(arg.type).name === 'ID');
  return isKeyed && pluralName(name) === list.name && getNamedType(type) === getNamedType(list.type);
}

interface ShownProperty {
  readonly path: string;
  readonly field: string;
}

/** The properties of the key that both show. */
function shownKey({ key }: ServedTable, { type }: RootField): readonly ShownProperty[] {
  const named = getNamedType(type);
  const fields = isObjectType(named) || isInterfaceType(named) ? named.getFields() : {};
  return key
    .map(({ path }) => ({ path, field: fieldName(path) }))
    .filter(({ field }) => fields[field] !== undefined);
}

/** One text for each row; OData leaves out a part of a key that is null (JSON Format, 4.5.8). */
function keysOf(rows: unknown, names: readonly string[]): readonly string[] {
  if (!Array.isArray(rows)) return [];
  return rows
    .filter(isRow)
    .map((row) => JSON.stringify(names.map((name) => withoutNumber(row[name] ?? null))));
}

/** A key without the number of a row among equal ones, which begins anew with each page of the API. */
function withoutNumber(value: unknown): string {
  return String(value).replace(/^([\w-]{22})\.\d+$/, '$1');
}

function differenceOf(expected: readonly string[], found: readonly string[]): string | undefined {
  const index = expected.findIndex((text, at) => text !== found[at]);
  if (index < 0 && expected.length === found.length) return undefined;
  return `expected ${expected[index]} as row ${index}, found ${found[index]}`;
}

function whereArgument({ args }: RootField, fixed: readonly FixedProperty[]): string {
  const where = args.find(({ name }) => name === 'where')?.type;
  if (fixed.length === 0 || where === undefined) return '';
  return `(where: { ${fixed.map((property) => condition(where, property.path.split('/'), property)).join(', ')} })`;
}

function condition(
  type: GraphQLInputType,
  [name, ...rest]: readonly string[],
  property: FixedProperty,
): string {
  const field = name === undefined ? 'eq' : fieldName(name);
  const named = getNamedType(type);
  const inner = isInputObjectType(named) ? named.getFields()[field]?.type : undefined;
  if (inner === undefined) throw new Error(`There is no condition for ${property.path} in ${type}.`);
  if (name === undefined) return `eq: ${value(inner, property)}`;
  return `${field}: { ${condition(inner, rest, property)} }`;
}

/** Names of enumeration values are the API's own in GraphQL: they stand in the same order. */
function value(type: GraphQLInputType, { type: odataType, literal }: FixedProperty): string {
  const named = getNamedType(type);
  const text = literal.replace(/^'(.*)'$/s, '$1').replaceAll("''", "'");
  if (literal === 'null') return literal;
  if (isEnumType(named) && typeof odataType !== 'string') {
    return named.getValues()[odataType.indexOf(text)]?.name ?? text;
  }
  return BARE.has(named.name) ? text : JSON.stringify(text);
}

/** Scalars whose values stand in documents without quotation marks. */
const BARE: ReadonlySet<string> = new Set(['Int', 'Float', 'Boolean']);
