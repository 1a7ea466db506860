import fc from 'fast-check';
import {
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isRequiredArgument,
  isScalarType,
} from 'graphql';

/** Maximum nesting of selections. */
const DEPTH = 5;

const SCALARS: readonly string[] = ['1', '-1', '"1"', '"a"', 'true', 'null', '9007199254740993', '1.5'];

/** Queries of the schema: its fields in any nesting, with values that may fit. */
export function graphqlDocuments(schema: GraphQLSchema): fc.Arbitrary<string> {
  const query = schema.getQueryType();
  return query == null ? fc.constant('{ __typename }') : selection(query, DEPTH);
}

function selection(type: Pick<GraphQLObjectType, 'getFields'>, depth: number): fc.Arbitrary<string> {
  const fields = Object.values(type.getFields()).filter((field) => depth > 1 || isLeaf(field.type));
  if (fields.length === 0) return fc.constant('{ __typename }');
  const chosen = fc.constantFrom(...fields).chain((field) => {
    const given = fc.tuple(
      ...field.args
        .filter((argument) => isRequiredArgument(argument) || argument.name.length < 6)
        .map((argument) => literalOf(argument.type).map((value) => `${argument.name}: ${value}`)),
    );
    return fc
      .tuple(given, inner(field.type, depth))
      .map(([values, text]) => `${field.name}${values.length > 0 ? `(${values.join(', ')})` : ''} ${text}`);
  });
  return fc
    .uniqueArray(chosen, { minLength: 1, maxLength: 3, selector: (text) => text.split(/[ (]/)[0] })
    .map((all) => `{ ${all.join(' ')} }`);
}

function inner(type: GraphQLOutputType, depth: number): fc.Arbitrary<string> {
  const named = getNamedType(type);
  return isObjectType(named) || isInterfaceType(named)
    ? selection(named, depth - 1)
    : fc.constant(isLeaf(type) ? '' : '{ __typename }');
}

function isLeaf(type: GraphQLOutputType): boolean {
  const named = getNamedType(type);
  return isScalarType(named) || isEnumType(named);
}

function literalOf(type: Parameters<typeof getNamedType>[0]): fc.Arbitrary<string> {
  const named = getNamedType(type);
  if (isEnumType(named)) return fc.constantFrom(...named.getValues().map(({ name }) => name));
  return isInputObjectType(named) ? fc.constant('{}') : fc.constantFrom(...SCALARS);
}
