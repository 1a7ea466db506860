import type { Plugin, YogaInitialContext } from 'graphql-yoga';
import type { CallContext } from '../contract/exchange.ts';

/** What every GraphQL context holds, for the plugins here and for the mesh. */
export interface GraphQLContext {
  readonly call: CallContext;
}

export type GraphQLPlugin = Plugin<YogaInitialContext & GraphQLContext>;
