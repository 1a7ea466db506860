import {
  type GraphQLAbstractType,
  type GraphQLNamedType,
  GraphQLSchema,
  isAbstractType,
  isIntrospectionType,
  isLeafType,
  isSpecifiedScalarType,
  print,
  printType,
} from 'graphql';

/** A source's own schema, before it is merged with the others'. */
export interface OwnSchema {
  readonly source: string;
  readonly schema: GraphQLSchema;
}

/**
 * Gives types of later sources other names where an earlier source has a type of the name: Mesh would merge
 * them into one. Scalars and enumerations that are the same in both stay one.
 *
 * Changes the types in place; the schemas are new.
 */
export function separateTypes(schemas: readonly OwnSchema[]): readonly OwnSchema[] {
  const owners = new Map<string, GraphQLNamedType>();
  return schemas.map(({ source, schema }) => {
    const renamed = new Map<string, string>();
    const types = ownTypes(schema);
    for (const type of types) {
      const owner = owners.get(type.name);
      if (owner !== undefined && isSameLeaf(owner, type)) continue;
      if (owner !== undefined) {
        const name = freeName(`${source}_${type.name}`, owners);
        renamed.set(type.name, name);
        type.name = name;
      }
      owners.set(type.name, type);
    }
    for (const type of types) if (isAbstractType(type)) resolveRenamed(type, renamed);
    return { source, schema: new GraphQLSchema(configOf(schema)) };
  });
}

/**
 * Mesh declares a directive that has come to be GraphQL's own, with other arguments: several schemas that
 * have it cannot be merged. No input that a client sees has it.
 */
function configOf(schema: GraphQLSchema) {
  const config = schema.toConfig();
  return { ...config, directives: config.directives.filter(({ name }) => name !== 'oneOf') };
}

function ownTypes(schema: GraphQLSchema): readonly GraphQLNamedType[] {
  const roots: readonly unknown[] = [schema.getQueryType(), schema.getMutationType()];
  return Object.values(schema.getTypeMap()).filter(
    (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type) && !roots.includes(type),
  );
}

function isSameLeaf(owner: GraphQLNamedType, type: GraphQLNamedType): boolean {
  return isLeafType(owner) && isLeafType(type) && declaration(owner) === declaration(type);
}

/** With the directives that say what becomes of the values; these name the source. */
function declaration(type: GraphQLNamedType): string {
  const directives = type.astNode?.directives?.map(print).join(' ') ?? '';
  return `${printType(type)} ${directives.replaceAll(/subgraph: "\w*",? ?/g, '')}`;
}

function freeName(name: string, taken: ReadonlyMap<string, unknown>): string {
  for (let number = 1; ; number += 1) {
    const numbered = number === 1 ? name : `${name}${number}`;
    if (!taken.has(numbered)) return numbered;
  }
}

/** Mesh tells the type of a value by the name that it gave. */
function resolveRenamed(type: GraphQLAbstractType, renamed: ReadonlyMap<string, string>): void {
  const { resolveType } = type;
  if (!resolveType) return;
  const latest = (name: string | undefined) => name && (renamed.get(name) ?? name);
  type.resolveType = (...args) => {
    const name = resolveType(...args);
    // Compiled queries wait for no type.
    return name instanceof Promise ? name.then(latest) : latest(name as string | undefined);
  };
}
