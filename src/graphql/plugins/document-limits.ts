import { EnvelopArmor } from '@escape.tech/graphql-armor';
import { GraphQLError } from 'graphql';
import { type LimitsOf, REQUEST_LIMITS } from '../../contract/request-limits.ts';
import type { GraphQLPlugin } from '../context/graphql-plugin.ts';

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
