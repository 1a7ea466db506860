import {
  type DocumentNode,
  type ExecutionResult,
  type GraphQLArgument,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isRequiredArgument,
  parse,
} from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import { GatewayError } from '../contract/gateway-error.ts';
import { madeOnce } from '../model/maps.ts';
import type { Operation } from '../model/operation.ts';
import type { MeshContext } from '../upstream/calls/mesh-context.ts';
import { type RootField, requestParts } from '../upstream/fields/http-field.ts';

/** The GraphQL field of an operation. */
export interface OperationField {
  readonly schema: GraphQLSchema;
  readonly kind: 'query' | 'mutation';
  readonly field: RootField;
  /** Without the body, which is passed separately. */
  readonly arguments: readonly GraphQLArgument[];
  /** The path template, with `{args.name}` for arguments. */
  readonly path: string;
  /** The media type of the body, if any. */
  readonly mediaType: string | undefined;
}

/** Finds the fields of operations, whose names are unique among the sources. */
export function fieldFinder(schemas: readonly GraphQLSchema[]): (operation: Operation) => OperationField {
  const known = new Map<string, OperationField>();
  return ({ id }) => madeOnce(known, id, () => findField(schemas, id));
}

const BODY = 'input';

function findField(schemas: readonly GraphQLSchema[], id: string): OperationField {
  for (const schema of schemas) {
    for (const [kind, root] of [
      ['query', schema.getQueryType()],
      ['mutation', schema.getMutationType()],
    ] as const) {
      const field = root?.getFields()[id];
      if (field === undefined) continue;
      const { path, mediaType } = requestParts(schema, field);
      const args = field.args.filter(({ name }) => name !== BODY || mediaType === undefined);
      return { schema, kind, field, arguments: args, path, mediaType };
    }
  }
  throw mismatch(`no operation "${id}" in the mesh`);
}

/**
 * A document with only this field. Arguments are variables with their own names and GraphQL types. Selects
 * nothing, because the model decodes the response.
 */
export function fieldDocument({ kind, field, arguments: args }: OperationField): DocumentNode {
  const demanded = args.filter(isRequiredArgument);
  const declared = demanded.map(({ name, type }) => `$${name}: ${String(type)}`).join(', ');
  const passed = demanded.map(({ name }) => `${name}: $${name}`).join(', ');
  const selected = isLeafType(getNamedType(field.type)) ? '' : ' { __typename }';
  const call = `${field.name}${inParentheses(passed)}${selected}`;
  return parse(`${kind}${inParentheses(declared)} { ${call} }`, { noLocation: true });
}

function inParentheses(text: string): string {
  return text === '' ? '' : `(${text})`;
}

const compiled = new WeakMap<DocumentNode, CompiledQuery | ExecutionResult>();

/**
 * Executes a {@link fieldDocument}, compiled on first use. Bypasses Mesh's plugins, which the resolvers of
 * root fields do not need.
 */
export function executeField(
  { schema }: OperationField,
  document: DocumentNode,
  variables: Readonly<Record<string, unknown>>,
  context: MeshContext,
): ExecutionResult | Promise<ExecutionResult> {
  const query = madeOnce(compiled, document, () => compileQuery(schema, document));
  return isCompiledQuery(query) ? query.query(undefined, context, variables) : query;
}

export function mismatch(what: string): GatewayError {
  const cause = new Error(`the model and the mesh differ: there is ${what}`);
  return new GatewayError('InternalError', 'The service is not set up correctly.', { cause });
}
