import {
  type GraphQLFieldConfigArgumentMap,
  type GraphQLInputObjectType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLString,
} from 'graphql';
import type { FilterInputs } from './filter-inputs.ts';
import type { OrderInputs } from './order-inputs.ts';

/** What every list of entities takes. */
export interface CollectionArguments {
  list(type: string): GraphQLFieldConfigArgumentMap;
  connection(type: string): GraphQLFieldConfigArgumentMap;
}

export function collectionArguments(filters: FilterInputs, orders: OrderInputs): CollectionArguments {
  const conditions = (type: string): GraphQLFieldConfigArgumentMap => ({
    where: { type: filters.of(type) },
    ...orderArgument(orders(type)),
    search: {
      type: GraphQLString,
      description: 'Words, and phrases in double quotes, that must all be found.',
    },
  });
  return {
    list: (type) => ({
      ...conditions(type),
      skip: { type: GraphQLInt },
      take: { type: GraphQLInt },
    }),
    connection: (type) => ({
      ...conditions(type),
      first: { type: GraphQLInt },
      after: { type: GraphQLString },
      last: { type: GraphQLInt },
      before: { type: GraphQLString },
    }),
  };
}

function orderArgument(input: GraphQLInputObjectType | undefined): GraphQLFieldConfigArgumentMap {
  if (input === undefined) return {};
  return {
    order: {
      type: new GraphQLList(new GraphQLNonNull(input)),
      description: 'The first one decides, then the next.',
    },
  };
}
