import {
  buildClientSchema,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  getIntrospectionQuery,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';

type Headers = Readonly<Record<string, string>>;

/**
 * Calls each root field of the gateway's GraphQL, once with all arguments and once with those alone that are
 * demanded, and gives the names of the fields.
 */
export async function callEveryField(url: string, headers: Headers, text = 'x'): Promise<readonly string[]> {
  const ask = async (query: string) => {
    const answer = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    return (await answer.json()) as { readonly data: never };
  };
  const schema = buildClientSchema((await ask(getIntrospectionQuery())).data);
  const called: string[] = [];
  for (const [kind, root] of [
    ['query', schema.getQueryType()],
    ['mutation', schema.getMutationType()],
  ] as const) {
    for (const field of Object.values(root?.getFields() ?? {})) {
      await ask(`${kind} { ${callOf(field, text, () => true)} }`);
      if (!field.args.every(isRequiredArgument))
        await ask(`${kind} { ${callOf(field, text, isRequiredArgument)} }`);
      called.push(field.name);
    }
  }
  return called;
}

type Field = GraphQLField<unknown, unknown>;

type IsGiven = (argument: Field['args'][number]) => boolean;

function callOf({ name, args, type }: Field, text: string, isGiven: IsGiven, depth = 0): string {
  const given = args
    .filter(isGiven)
    .map((argument) => `${argument.name}: ${literal(argument.type, text, 0)}`);
  const selection = selectionOf(getNamedType(type), text, isGiven, depth);
  return `${name}${given.length === 0 ? '' : `(${given.join(', ')})`}${selection}`;
}

/** Includes functions of an entity, which are fields of its type. */
function selectionOf(type: GraphQLNamedType, text: string, isGiven: IsGiven, depth: number): string {
  if (isLeafType(type)) return '';
  if (!isObjectType(type) || depth > 0) return ' { __typename }';
  const fields = Object.values(type.getFields()).map((field) => callOf(field, text, isGiven, depth + 1));
  return ` { __typename ${fields.join(' ')} }`;
}

const LITERALS: Readonly<Record<string, string>> = {
  Int: '1',
  Float: '1.5',
  Boolean: 'true',
  BigInt: '1',
  Date: '"2024-02-29"',
  DateTime: '"2024-02-29T12:00:00Z"',
  Time: '"12:00:00Z"',
  UUID: '"0e37df36-f698-11e6-8dd4-cb9ced3df976"',
  Byte: '"AAAA"',
};

function literal(type: GraphQLInputType, text: string, depth: number): string {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return `[${literal(nullable.ofType, text, depth)}]`;
  if (isEnumType(nullable)) return nullable.getValues()[0]?.name ?? 'null';
  if (!isInputObjectType(nullable)) return LITERALS[nullable.name] ?? JSON.stringify(text);
  if (depth > 2) return 'null';
  const members = Object.values(nullable.getFields()).map(
    (field) => `${field.name}: ${literal(field.type, text, depth + 1)}`,
  );
  return `{ ${members.join(', ')} }`;
}
