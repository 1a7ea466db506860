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

/** The field of an operation, and how it is asked for. */
export interface OperationField {
  /** The schema of its source. */
  readonly schema: GraphQLSchema;
  readonly kind: 'query' | 'mutation';
  readonly field: RootField;
  /** But for the body, which rides beside the document. */
  readonly arguments: readonly GraphQLArgument[];
  /** The template of the path that its call has, with `{args.name}` for its arguments. */
  readonly path: string;
  /** The media type of its body. */
  readonly mediaType: string | undefined;
}

/** Finds the fields of operations, whose names no two sources share. */
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
 * A document of that one field. Arguments are variables of their own names, where GraphQL demands them. It selects
 * nothing: what is made of the answer is not GraphQL's to say.
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
 * Executes a {@link fieldDocument}, which is compiled at its first execution. Nothing of Mesh's plugins is needed: the
 * resolvers of root fields, which are all that such a document has, are told nothing of Mesh's context.
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
