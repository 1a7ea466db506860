import { EnvelopArmor } from '@escape.tech/graphql-armor';
import { GraphQLError } from 'graphql';
import { type LimitsOf, REQUEST_LIMITS, type RequestLimits } from '../contract/request-limits.ts';
import type { GraphQLPlugin } from './context.ts';

/** Of a document, and of what its answer comes to. */
export type GraphQLLimits = Pick<RequestLimits, 'graphql' | 'url' | 'budget'>;

/** Of what the arguments and selections of a document come to: those that OData's query options have. */
export interface QueryLimits {
  readonly url: LimitsOf<'url'>;
  readonly query: { readonly nodes: number; readonly budget: LimitsOf<'budget'> };
  readonly budget: LimitsOf<'budget'>;
}

/** A query may come to so many times what one of its arguments may be. */
const USES = 10;

export function queryLimits({ url, budget }: GraphQLLimits): QueryLimits {
  return { url, budget, query: { nodes: USES * url.nodes, budget } };
}

/** Bounds what a document may ask for, and hides the names that a misspelt one came close to. */
export function documentLimits(limits: LimitsOf<'graphql'>): readonly GraphQLPlugin[] {
  const { plugins } = new EnvelopArmor({
    maxDepth: { n: limits.depth, onReject: [refuseBy('depth')] },
    maxAliases: { n: limits.aliases, onReject: [refuseBy('aliases')] },
    maxTokens: { n: limits.tokens, onReject: [refuseBy('tokens')] },
    maxDirectives: { n: limits.directives, onReject: [refuseBy('directives')] },
    costLimit: { enabled: false },
    blockFieldSuggestion: { enabled: true },
  }).protect();
  // They are typed for an empty context, which theirs need not be.
  const contextFree: readonly object[] = plugins;
  return contextFree;
}

/** Names the variable, for whoever may move the limit. */
function refuseBy(name: keyof typeof REQUEST_LIMITS.graphql): (_: unknown, error: GraphQLError) => never {
  const limit = REQUEST_LIMITS.graphql[name].variable;
  return (_, { message }) => {
    const told = message.replace(/^Syntax Error: /, '').replace(/\.$/, '');
    throw new GraphQLError(`${told} (${limit}).`, { extensions: { code: 'BadRequest', limit } });
  };
}
