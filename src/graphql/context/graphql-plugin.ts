import type { Plugin, YogaInitialContext } from 'graphql-yoga';
import type { GraphQLContext } from './graphql-context.ts';

export type GraphQLPlugin = Plugin<YogaInitialContext & GraphQLContext>;
