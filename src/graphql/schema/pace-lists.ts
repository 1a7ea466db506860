import {
  defaultFieldResolver,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isIntrospectionType,
  isListType,
  isObjectType,
} from 'graphql';
import type { GraphQLContext } from '../context/graphql-context.ts';

type Resolve = GraphQLFieldResolver<unknown, GraphQLContext>;

/** Has all lists of objects in the schema completed in stretches. */
export function paceLists(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    // Those of the introspection are everybody's.
    if (!isObjectType(type) || isIntrospectionType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const isList = isListType(getNullableType(field.type)) && isCompositeType(getNamedType(field.type));
      if (isList) field.resolve = paced(field.resolve ?? defaultFieldResolver);
    }
  }
  return schema;
}

function paced(resolve: Resolve): Resolve {
  return (source, args, context, info) => {
    const inTurns = (found: unknown) => (Array.isArray(found) ? context.stretches.inTurns(found) : found);
    const found: unknown = resolve(source, args, context, info);
    return found instanceof Promise ? found.then(inTurns) : inTurns(found);
  };
}
