import type { Plugin, YogaInitialContext } from 'graphql-yoga';
import type { GraphQLContext } from './schema/graphql-context.ts';

export type GraphQLPlugin = Plugin<YogaInitialContext & GraphQLContext>;
