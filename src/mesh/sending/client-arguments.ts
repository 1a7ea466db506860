import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNullableType,
  isInputObjectType,
  isListType,
  isScalarType,
} from 'graphql';
import type { HttpField } from '../fields/http-field.ts';
import { rawJson } from '../reading/raw-json.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** The argument that becomes the body. */
const BODY = 'input';

/**
 * The arguments of a GraphQL client's field as OpenAPI has them written: texts, and in a body JSON.
 */
export function clientArguments(
  { takesForm }: Pick<HttpField, 'takesForm'>,
  declared: readonly GraphQLArgument[],
  args: Arguments,
): Arguments {
  const body = takesForm ? 'form' : 'json';
  const entries = declared
    .filter(({ name }) => args[name] !== undefined && args[name] !== null)
    .map(({ name, type }) => [name, written(type, args[name], name === BODY ? body : 'url')] as const);
  return Object.fromEntries(entries);
}

/** In a body, Mesh gives the members of objects their upstream names itself. */
type Place = 'json' | 'form' | 'url';

function written(type: GraphQLInputType, value: unknown, place: Place): unknown {
  if (value === null || value === undefined) return value;
  const nullable = getNullableType(type);
  if (isListType(nullable) && Array.isArray(value)) {
    return value.map((item) => written(nullable.ofType, item, place));
  }
  if (isInputObjectType(nullable) && typeof value === 'object') return members(nullable, value, place);
  return leaf(nullable, value, place);
}

function members(type: GraphQLInputObjectType, value: object, place: Place): object {
  const fields = type.getFields();
  const entries = Object.entries(value).flatMap(([name, member]) => {
    const field = fields[name];
    if (field === undefined) return [];
    return [[place === 'url' ? propertyOfInput(field) : name, written(field.type, member, place)] as const];
  });
  return Object.fromEntries(entries);
}

/** The upstream's name of a member, which the directive has where GraphQL does not allow it. */
export function propertyOfInput({ name, astNode }: GraphQLInputField): string {
  const directive = astNode?.directives?.find((each) => each.name.value === 'resolveRootField');
  const real = directive?.arguments?.find((argument) => argument.name.value === 'field')?.value;
  return real?.kind === 'StringValue' ? real.value : name;
}

function leaf(type: GraphQLInputType, value: unknown, place: Place): unknown {
  if (place === 'json' && isScalarType(type) && type.name === 'BigInt') return rawJson(String(value));
  return place === 'json' || typeof value === 'object' ? value : String(value);
}
