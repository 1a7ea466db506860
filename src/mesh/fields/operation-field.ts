import {
  type DocumentNode,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isRequiredArgument,
  parse,
} from 'graphql';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { Operation } from '../../model/operation.ts';
import { requestMediaType } from './http-field.ts';

export type RootField = GraphQLField<unknown, unknown>;

/** The field of an operation, and how it is asked for. */
export interface OperationField {
  readonly kind: 'query' | 'mutation';
  readonly field: RootField;
  /** But for the body, which rides beside the document. */
  readonly arguments: readonly GraphQLArgument[];
  /** The media type of its body. */
  readonly mediaType: string | undefined;
}

const BODY = 'input';

export function operationField(schema: GraphQLSchema, { id }: Operation): OperationField {
  for (const [kind, root] of [
    ['query', schema.getQueryType()],
    ['mutation', schema.getMutationType()],
  ] as const) {
    const field = root?.getFields()[id];
    if (field === undefined) continue;
    const mediaType = requestMediaType(schema, field);
    const args = field.args.filter(({ name }) => name !== BODY || mediaType === undefined);
    return { kind, field, arguments: args, mediaType };
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

export function mismatch(what: string): GatewayError {
  const cause = new Error(`the model and the mesh differ: there is ${what}`);
  return new GatewayError('InternalError', 'The service is not set up correctly.', { cause });
}
