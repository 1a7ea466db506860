import { type GraphQLNamedType, GraphQLSchema, getNamedType, specifiedDirectives } from 'graphql';

/** The schema as clients see it: without the directives by which the mesh describes its upstreams to itself. */
export function publicSchema(schema: GraphQLSchema): GraphQLSchema {
  const config = schema.toConfig();
  const internal = config.directives.filter((directive) => !specifiedDirectives.includes(directive));
  const ofInternal = new Set<GraphQLNamedType>(
    internal.flatMap(({ args }) => args.map(({ type }) => getNamedType(type))),
  );
  return new GraphQLSchema({
    ...config,
    directives: specifiedDirectives,
    // A type that fields use as well is found through them.
    types: config.types.filter((type) => !ofInternal.has(type)),
  });
}
