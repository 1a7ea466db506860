import type { Plugin, YogaInitialContext } from 'graphql-yoga';
import type { CallContext } from '../contract/exchange.ts';
import type { RequestBudget } from '../contract/request-budget.ts';

/** What every GraphQL context holds, for the plugins here and for the mesh. */
export interface GraphQLContext {
  readonly call: CallContext;
  readonly budget: RequestBudget;
}

export type GraphQLPlugin = Plugin<YogaInitialContext & GraphQLContext>;
