import {
  type GraphQLField,
  type GraphQLFieldConfigMap,
  GraphQLInterfaceType,
  GraphQLList,
  type GraphQLNamedType,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLSchema,
  GraphQLUnionType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from 'graphql';

type CompositeType = GraphQLObjectType | GraphQLInterfaceType;

/** Whether a field is to be seen. */
export type IsVisible = (parent: CompositeType, field: GraphQLField<unknown, unknown>) => boolean;

/**
 * The schema without the fields that are not to be seen, and without the types that nothing else uses. It can
 * be executed like the whole one; where no field is left, the type of queries has none.
 */
export function visibleSchema(schema: GraphQLSchema, isVisible: IsVisible): GraphQLSchema {
  const copy = copier(isVisible);
  const [query, mutation] = [schema.getQueryType(), schema.getMutationType()];
  const roots = {
    query: query && copy(query),
    mutation: mutation && hasVisibleField(mutation, isVisible) ? copy(mutation) : undefined,
  };
  let part = new GraphQLSchema({ ...roots, assumeValid: true });
  // What implements an interface belongs to it, and may bring others.
  for (let before = -1; before !== sizeOf(part); ) {
    before = sizeOf(part);
    const types = implementations(schema, part).map(copy);
    part = new GraphQLSchema({ ...roots, types, assumeValid: true });
  }
  return part;
}

function sizeOf(schema: GraphQLSchema): number {
  return Object.keys(schema.getTypeMap()).length;
}

function implementations(whole: GraphQLSchema, part: GraphQLSchema): readonly CompositeType[] {
  return Object.values(part.getTypeMap()).flatMap(({ name }) => {
    const type = whole.getType(name);
    if (!isInterfaceType(type)) return [];
    const { objects, interfaces } = whole.getImplementations(type);
    return [...objects, ...interfaces];
  });
}

function hasVisibleField(type: CompositeType, isVisible: IsVisible): boolean {
  return Object.values(type.getFields()).some((field) => isVisible(type, field));
}

type Copy = <Type extends GraphQLNamedType>(type: Type) => Type;

/** Copies each type once, as types refer to one another. Those without fields stay as they are. */
function copier(isVisible: IsVisible): Copy {
  const copies = new Map<string, GraphQLNamedType>();
  const copy: Copy = (type) => {
    const known = copies.get(type.name) ?? copyOf(type, copy, isVisible);
    copies.set(type.name, known);
    return known as typeof type;
  };
  return copy;
}

function copyOf(type: GraphQLNamedType, copy: Copy, isVisible: IsVisible): GraphQLNamedType {
  if (isUnionType(type)) {
    return new GraphQLUnionType({ ...type.toConfig(), types: () => type.getTypes().map(copy) });
  }
  if (!isObjectType(type) && !isInterfaceType(type)) return type;
  const parts = {
    fields: () => visibleFields(type, copy, isVisible),
    interfaces: () => type.getInterfaces().map(copy),
  };
  return isObjectType(type)
    ? new GraphQLObjectType({ ...type.toConfig(), ...parts })
    : new GraphQLInterfaceType({ ...type.toConfig(), ...parts });
}

function visibleFields(
  type: CompositeType,
  copy: Copy,
  isVisible: IsVisible,
): GraphQLFieldConfigMap<unknown, unknown> {
  const fields = type.getFields();
  return Object.fromEntries(
    Object.entries(type.toConfig().fields).flatMap(([name, config]) => {
      const field = fields[name];
      if (field === undefined || !isVisible(type, field)) return [];
      return [[name, { ...config, type: copyWrapped(config.type, copy) }]];
    }),
  );
}

function copyWrapped(type: GraphQLOutputType, copy: Copy): GraphQLOutputType {
  if (isNonNullType(type)) return new GraphQLNonNull(copyWrapped(type.ofType, copy));
  if (isListType(type)) return new GraphQLList(copyWrapped(type.ofType, copy));
  return copy(type);
}
