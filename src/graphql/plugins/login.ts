import { useGenericAuth } from '@envelop/generic-auth';
import type { YogaInitialContext } from 'graphql-yoga';
import { loginRequired } from '../../contract/gateway-error.ts';
import type { Principal } from '../../contract/principal.ts';
import type { GraphQLContext } from '../context/graphql-context.ts';
import type { GraphQLPlugin } from '../context/graphql-plugin.ts';
import { toGraphQLError } from './error.ts';

/** Says who asks, and refuses everything to whoever has not signed in, introspection included. */
export function useLogin(): GraphQLPlugin {
  // It is typed for a context with its own members already in it.
  const whoAsks: object = useGenericAuth<Principal, YogaInitialContext & GraphQLContext>({
    mode: 'resolve-only',
    resolveUserFn: ({ call }) => call.principal,
  });
  return {
    onPluginInit: ({ addPlugin }) => addPlugin(whoAsks),
    onExecute({ args: { contextValue }, setResultAndStopExecution }) {
      const { currentUser } = contextValue;
      if (currentUser !== undefined && currentUser.kind !== 'anonymous') return;
      setResultAndStopExecution({ errors: [toGraphQLError(loginRequired(), undefined)] });
    },
  };
}
