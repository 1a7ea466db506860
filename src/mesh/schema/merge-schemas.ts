import {
  type GraphQLDirective,
  type GraphQLFieldConfigMap,
  GraphQLList,
  type GraphQLNamedType,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  type GraphQLType,
  isInputObjectType,
  isIntrospectionType,
  isLeafType,
  isListType,
  isNonNullType,
  isSpecifiedScalarType,
  print,
  printType,
} from 'graphql';
import { freeName } from '../../model/names.ts';

/**
 * One schema with the root fields of all sources. Types that have the same name are the same scalar or the same
 * enumeration, as {@link separateTypes} has left them: the first one stands for all.
 *
 * Changes the types in place, which takes a hundredth of the time that printing and parsing them would.
 */
export function mergeSchemas(sources: readonly OwnSchema[]): GraphQLSchema {
  const schemas = sources.map(({ schema }) => schema);
  const [first, ...others] = schemas;
  if (first !== undefined && others.length === 0) return first;
  const types = firstOfEachName(schemas.flatMap(ownTypes));
  const directives = firstOfEachName<GraphQLDirective>(schemas.flatMap((schema) => schema.getDirectives()));
  for (const schema of others) for (const type of rootsAndTypes(schema)) useTypes(type, types);
  return new GraphQLSchema({
    query: mergedRoot(schemas.map((schema) => schema.getQueryType())),
    mutation: mergedRoot(schemas.map((schema) => schema.getMutationType())),
    types: [...types.values()],
    directives: [...directives.values()],
    assumeValid: true,
  });
}

function firstOfEachName<Named extends { readonly name: string }>(
  all: readonly Named[],
): ReadonlyMap<string, Named> {
  return new Map(all.toReversed().map((each) => [each.name, each]));
}

function ownTypes(schema: GraphQLSchema): readonly GraphQLNamedType[] {
  const roots: readonly unknown[] = [schema.getQueryType(), schema.getMutationType()];
  return rootsAndTypes(schema).filter((type) => !roots.includes(type));
}

function rootsAndTypes(schema: GraphQLSchema): readonly GraphQLNamedType[] {
  return Object.values(schema.getTypeMap()).filter((type) => !isIntrospectionType(type));
}

type Types = ReadonlyMap<string, GraphQLNamedType>;

function useTypes(type: GraphQLNamedType, types: Types): void {
  if (isInputObjectType(type)) {
    for (const field of Object.values(type.getFields())) field.type = latest(field.type, types);
  } else if ('getFields' in type) {
    for (const field of Object.values(type.getFields())) {
      field.type = latest(field.type, types);
      for (const argument of field.args) argument.type = latest(argument.type, types);
    }
  }
}

/** Only leaf types can stand for one another: they are of the same kind, and may be those of inputs, too. */
function latest<Type extends GraphQLType>(type: Type, types: Types): Type {
  return renewed(type, types) as Type;
}

function renewed(type: GraphQLType, types: Types): GraphQLType {
  if (isNonNullType(type)) return new GraphQLNonNull(renewed(type.ofType, types) as typeof type.ofType);
  if (isListType(type)) return new GraphQLList(renewed(type.ofType, types));
  return isLeafType(type) ? (types.get(type.name) ?? type) : type;
}

type Root = GraphQLObjectType | null | undefined;

function mergedRoot(roots: readonly Root[]): GraphQLObjectType | undefined {
  const [first] = roots.filter((root) => root !== null && root !== undefined);
  if (first === undefined) return undefined;
  const fields = roots.flatMap((root) => Object.entries(root?.toConfig().fields ?? {}));
  const all: GraphQLFieldConfigMap<unknown, unknown> = Object.fromEntries(fields);
  return new GraphQLObjectType({ name: first.name, fields: all });
}

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
    for (const type of typesToSeparate(schema)) {
      const owner = owners.get(type.name);
      if (owner !== undefined && isSameLeaf(owner, type)) continue;
      if (owner !== undefined) type.name = freeName(`${source}_${type.name}`, owners);
      owners.set(type.name, type);
    }
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

function typesToSeparate(schema: GraphQLSchema): readonly GraphQLNamedType[] {
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
