import {
  type GraphQLNamedType,
  GraphQLObjectType,
  GraphQLSchema,
  getNamedType,
  specifiedDirectives,
} from 'graphql';
import type { Model } from '../model/edm.ts';

/**
 * The schema as clients see it: without the directives by which the mesh describes its upstreams to itself,
 * and without the operations whose bodies GraphQL cannot send.
 */
export function publicSchema(schema: GraphQLSchema, model: Model): GraphQLSchema {
  const { mutation, types, directives, ...config } = schema.toConfig();
  const internal = directives.filter((directive) => !specifiedDirectives.includes(directive));
  const ofInternal = new Set<GraphQLNamedType>(
    internal.flatMap(({ args }) => args.map(({ type }) => getNamedType(type))),
  );
  return new GraphQLSchema({
    ...config,
    mutation: mutation && withoutFields(mutation, streamWrites(model)),
    directives: specifiedDirectives,
    // A type that fields use as well is found through them.
    types: types.filter((type) => type !== mutation && !ofInternal.has(type)),
  });
}

/** The bytes of a stream are neither JSON nor a form. */
function streamWrites({ entityTypes }: Model): ReadonlySet<string | undefined> {
  return new Set(
    [...entityTypes.values()]
      .flatMap(({ stream, streams }) => [stream, ...(streams?.values() ?? [])])
      .map((stream) => stream?.put?.id),
  );
}

/** Undefined where none is left: GraphQL knows no type without fields. */
function withoutFields(
  type: GraphQLObjectType,
  names: ReadonlySet<string | undefined>,
): GraphQLObjectType | undefined {
  const { fields, ...config } = type.toConfig();
  const left = Object.entries(fields).filter(([name]) => !names.has(name));
  if (left.length === 0) return undefined;
  return new GraphQLObjectType({ ...config, fields: Object.fromEntries(left) });
}
