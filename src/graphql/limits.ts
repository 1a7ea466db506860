import { EnvelopArmor } from '@escape.tech/graphql-armor';
import type { GraphQLPlugin } from './context.ts';

export interface GraphQLLimits {
  readonly depth: number;
  readonly aliases: number;
  readonly tokens: number;
  readonly directives: number;
  /** Calls for related data that one request makes. */
  readonly relatedCalls: number;
}

export const GRAPHQL_LIMITS: GraphQLLimits = {
  depth: 6,
  aliases: 15,
  tokens: 1_000,
  directives: 50,
  relatedCalls: 1_000,
};

/** Bounds what a document may ask for, and hides the names that a misspelt one came close to. */
export function documentLimits(limits: GraphQLLimits): readonly GraphQLPlugin[] {
  const { plugins } = new EnvelopArmor({
    maxDepth: { n: limits.depth },
    maxAliases: { n: limits.aliases },
    maxTokens: { n: limits.tokens },
    maxDirectives: { n: limits.directives },
    costLimit: { enabled: false },
    blockFieldSuggestion: { enabled: true },
  }).protect();
  // They are typed for an empty context, which theirs need not be.
  const contextFree: readonly object[] = plugins;
  return contextFree;
}
