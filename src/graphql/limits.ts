import { EnvelopArmor } from '@escape.tech/graphql-armor';
import type { LimitsOf, RequestLimits } from '../contract/request-limits.ts';
import type { GraphQLPlugin } from './context.ts';

/** Of a document, and of what its answer comes to. */
export type GraphQLLimits = Pick<RequestLimits, 'graphql' | 'budget'>;

/** Bounds what a document may ask for, and hides the names that a misspelt one came close to. */
export function documentLimits(limits: LimitsOf<'graphql'>): readonly GraphQLPlugin[] {
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
