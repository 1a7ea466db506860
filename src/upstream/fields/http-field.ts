import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getDirectiveValues,
  getNamedType,
  isLeafType,
  isScalarType,
} from 'graphql';
import type { JsonType } from '../../model/type-use.ts';

/** A root field that Mesh answers by one HTTP call. */
export interface HttpField {
  /** The name of the field in the log and in the memory, such as `Posts.Query.posts`. */
  readonly name: string;
  readonly method: string;
  /** Arguments that become a part of the path. */
  readonly pathArguments: readonly string[];
  /** Arguments that become a header, so that calls differ in their headers. */
  readonly headerArguments: readonly string[];
  readonly queryArguments: ReadonlyMap<string, QueryStyle>;
  /** The answer may be text that is not JSON. */
  readonly isLeaf: boolean;
  /** Whether an answer that is text is a value of the type as it stands. */
  readonly isText: boolean;
  /** True if content other than JSON is shown as base64 (RFC 4648, 4). */
  readonly isBytes: boolean;
}

/**
 * Mesh's notation of a list or object in the query: items separated by commas, each member as a parameter, or
 * a repeated parameter.
 */
export type QueryStyle = 'commas' | 'members' | 'repeated';

interface HttpOperation {
  readonly path: string;
  readonly httpMethod: string;
  readonly operationSpecificHeaders?: readonly (readonly string[])[];
  readonly queryParamArgMap?: Readonly<Record<string, string>> | string;
  readonly queryStringOptionsByParam?: Readonly<Record<string, QueryOptions>> | string;
}

interface QueryOptions {
  readonly arrayFormat?: string;
  readonly destructObject?: boolean;
}

const ARGUMENT = /\{args\.([^}:|]+)/g;

/** A field of a source; undefined where it makes no HTTP call of its own. */
export function readHttpField(
  schema: GraphQLSchema,
  source: string,
  parent: GraphQLObjectType,
  field: GraphQLField<unknown, unknown>,
): HttpField | undefined {
  const operation = httpOperation(schema, field);
  if (operation === undefined) return undefined;
  const type = getNamedType(field.type);
  const method = operation.httpMethod;
  return {
    name: `${source}.${parent.name}.${field.name}`,
    method,
    pathArguments: argumentsIn(operation.path),
    headerArguments: (operation.operationSpecificHeaders ?? []).flatMap(([, value = '']) =>
      argumentsIn(value),
    ),
    queryArguments: queryArguments(operation),
    isLeaf: isLeafType(type),
    isText: jsonType(field.type) === 'string',
    isBytes: type.name === 'Byte',
  };
}

/** The JSON type of the response's values or items; undefined for objects and untyped values. */
export function jsonType(type: GraphQLOutputType): JsonType | undefined {
  const named = getNamedType(type);
  if (!isScalarType(named) || named.name === 'JSON') return undefined;
  return JSON_TYPES.get(named.name) ?? 'string';
}

/** Mesh has further scalars for formats of texts. */
const JSON_TYPES: ReadonlyMap<string, JsonType> = new Map([
  ['Boolean', 'boolean'],
  ['Int', 'integer'],
  ['BigInt', 'integer'],
  ['Float', 'number'],
]);

/** The parts of a field's request. */
interface RequestParts {
  /** The template of its path, with `{args.name}` for arguments. */
  readonly path: string;
  /** The media type of its body; undefined where it has none. */
  readonly mediaType: string | undefined;
}

export function requestParts(schema: GraphQLSchema, field: RootField): RequestParts {
  const operation = httpOperation(schema, field);
  return { path: operation?.path ?? '', mediaType: operation && mediaTypeOf(operation) };
}

function mediaTypeOf({ operationSpecificHeaders = [] }: HttpOperation): string | undefined {
  return operationSpecificHeaders.find(([name]) => name?.toLowerCase() === 'content-type')?.[1];
}

function httpOperation(
  schema: GraphQLSchema,
  { astNode }: GraphQLField<unknown, unknown>,
): HttpOperation | undefined {
  const directive = schema.getDirective('httpOperation');
  if (!directive || !astNode) return undefined;
  return getDirectiveValues(directive, astNode) as HttpOperation | undefined;
}

function argumentsIn(template: string): readonly string[] {
  return Array.from(template.matchAll(ARGUMENT), ([, name]) => name ?? '');
}

function queryArguments(operation: HttpOperation): ReadonlyMap<string, QueryStyle> {
  const styles = parsed(operation.queryStringOptionsByParam);
  return new Map(
    Object.entries(parsed(operation.queryParamArgMap)).map(([parameter, argument]) => [
      argument,
      queryStyle(styles[parameter]),
    ]),
  );
}

function queryStyle(options: QueryOptions | undefined): QueryStyle {
  if (options?.arrayFormat === 'comma') return 'commas';
  return options?.destructObject === true ? 'members' : 'repeated';
}

/** Mesh writes it as JSON into the directive. */
function parsed<Item>(value: Readonly<Record<string, Item>> | string | undefined): Record<string, Item> {
  return typeof value === 'string' ? JSON.parse(value) : { ...value };
}

export type RootField = GraphQLField<unknown, unknown>;
