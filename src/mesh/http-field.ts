import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getDirectiveValues,
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
  isObjectType,
} from 'graphql';
import { compileResponseCheck, propertyOf, type ResponseCheck } from './response-check.ts';

/** A root field that Mesh answers by one HTTP call. */
export interface HttpField {
  /** Such as `Posts.Query.posts`: names the field in the log and in the memory. */
  readonly name: string;
  readonly method: string;
  /** Arguments that become a part of the path. */
  readonly pathArguments: readonly string[];
  /** True where an argument becomes a header, so that calls differ in their headers. */
  readonly hasHeaderArguments: boolean;
  readonly isList: boolean;
  /** The answer may be text that is not JSON. */
  readonly isLeaf: boolean;
  /** Fields of the type are made of how the object was read (OpenAPI links), so Mesh must see it all. */
  readonly hasLinks: boolean;
  readonly check: ResponseCheck;
}

interface HttpOperation {
  readonly path: string;
  readonly httpMethod: string;
  readonly operationSpecificHeaders?: readonly (readonly string[])[];
}

const DIRECTIVE = 'httpOperation';
const PATH_ARGUMENT = /\{args\.([^}:|]+)/g;

/** Undefined where the field makes no HTTP call of its own. */
export function readHttpField(
  schema: GraphQLSchema,
  source: string,
  parent: GraphQLObjectType,
  field: GraphQLField<unknown, unknown>,
): HttpField | undefined {
  const directive = schema.getDirective(DIRECTIVE);
  if (!directive || !field.astNode) return undefined;
  const values = getDirectiveValues(directive, field.astNode);
  if (values === undefined) return undefined;
  const operation = values as unknown as HttpOperation;
  const type = getNamedType(field.type);
  const method = operation.httpMethod;
  return {
    name: `${source}.${parent.name}.${field.name}`,
    method,
    pathArguments: Array.from(operation.path.matchAll(PATH_ARGUMENT), ([, name]) => name ?? ''),
    hasHeaderArguments: (operation.operationSpecificHeaders ?? []).some(([, value]) => value?.includes('{')),
    isList: isListType(getNullableType(field.type)),
    isLeaf: isLeafType(type),
    hasLinks: isObjectType(type) && Object.values(type.getFields()).some(isLink),
    check: compileResponseCheck(field.type, method === 'GET' ? 'complete' : 'partial'),
  };
}

function isLink(field: GraphQLField<unknown, unknown>): boolean {
  return propertyOf(field) === undefined;
}
