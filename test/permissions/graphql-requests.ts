import {
  buildClientSchema,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  getIntrospectionQuery,
  getNamedType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import type { GuardedRequest } from './guarded-gateway.ts';

/** Depth of selections with one field at a time; below it, all fields are selected at once. */
const DEEPEST = 2;
/** Depth of selections with all fields. */
const WHOLE = 3;

type Schema = ReturnType<typeof buildClientSchema>;

export const INTROSPECTION = post(getIntrospectionQuery());

/** Every field of the schema that an answer to {@link INTROSPECTION} has, and what leads through it. */
export function graphqlRequests(introspection: string): readonly GuardedRequest[] {
  const { data } = JSON.parse(introspection);
  if (data == null) return [];
  const schema = buildClientSchema(data);
  return [['query', schema.getQueryType()] as const, ['mutation', schema.getMutationType()] as const].flatMap(
    ([root, type]) =>
      Object.values(type?.getFields() ?? {}).flatMap((field) => [
        ...wholly(schema, root, String(type), field),
        ...selections(schema, field, 1).map((selection) => post(`${root} { ${selection} }`)),
      ]),
  );
}

function post(query: string): GuardedRequest {
  return {
    method: 'POST',
    path: '/graphql',
    headers: { accept: 'application/json' },
    body: JSON.stringify({ query }),
  };
}

/** All that is below a field, in the ways in which GraphQL can be written. */
function wholly(schema: Schema, root: string, type: string, field: GraphQLField<unknown, unknown>) {
  const selection = called(field, everything(schema, getNamedType(field.type), WHOLE));
  return [
    `${root} { ${selection} }`,
    `${root} { __typename a: ${selection} b: ${selection} }`,
    `${root} { ...f } fragment f on ${type} { ... @include(if: true) { ${selection} } }`,
  ].map(post);
}

function everything(schema: Schema, type: GraphQLNamedType, depth: number): string {
  if (isAbstractType(type)) {
    const own = isInterfaceType(type) ? fieldsOf(schema, type, depth) : [];
    const parts = schema
      .getPossibleTypes(type)
      .map((each) => `... on ${each.name} ${everything(schema, each, depth)}`);
    return `{ __typename ${[...own, ...parts].join(' ')} }`;
  }
  return isObjectType(type) ? `{ __typename ${fieldsOf(schema, type, depth).join(' ')} }` : '';
}

function fieldsOf(
  schema: Schema,
  type: Pick<GraphQLObjectType, 'getFields'>,
  depth: number,
): readonly string[] {
  return Object.values(type.getFields()).flatMap((field) => {
    const named = getNamedType(field.type);
    if (isLeaf(named)) return [called(field, '')];
    return depth === 0 ? [] : [called(field, everything(schema, named, depth - 1))];
  });
}

/** One selection for each leaf, so that what is refused beside it does not hide it. */
function selections(schema: Schema, field: GraphQLField<unknown, unknown>, depth: number): readonly string[] {
  const type = getNamedType(field.type);
  if (isLeaf(type)) return [called(field, '')];
  const within = (on: GraphQLNamedType): readonly string[] =>
    isObjectType(on) || isInterfaceType(on)
      ? Object.values(on.getFields()).flatMap((each) =>
          depth < DEEPEST || isLeaf(getNamedType(each.type))
            ? selections(schema, each, depth + 1)
            : [called(each, everything(schema, getNamedType(each.type), 0))],
        )
      : [];
  const parts = isAbstractType(type)
    ? schema
        .getPossibleTypes(type)
        .flatMap((each) => within(each).map((text) => `... on ${each.name} { ${text} }`))
    : [];
  return [...within(type), ...parts, '__typename'].map((text) => called(field, `{ ${text} }`));
}

function isLeaf(type: GraphQLNamedType): boolean {
  return !isObjectType(type) && !isAbstractType(type);
}

function called({ name, args }: GraphQLField<unknown, unknown>, selection: string): string {
  const required = args.filter(isRequiredArgument);
  const given = required.map((argument) => `${argument.name}: ${literal(argument.type)}`).join(', ');
  return `${name}${given === '' ? '' : `(${given})`} ${selection}`;
}

/** The keys of all that there is, whatever an argument is the key of. */
const TEXT = '"o1"';

function literal(type: GraphQLInputType): string {
  if (isNonNullType(type)) return literal(type.ofType);
  if (isListType(type)) return `[${literal(type.ofType)}]`;
  if (isEnumType(type)) return type.getValues()[0]?.name ?? 'x';
  if (isInputObjectType(type)) {
    const required = Object.values(type.getFields()).filter((field) => isNonNullType(field.type));
    return `{ ${required.map((field) => `${field.name}: ${literal(field.type)}`).join(', ')} }`;
  }
  return { Int: '1', Float: '1', Boolean: 'true' }[type.name] ?? TEXT;
}
