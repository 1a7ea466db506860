import { loginRequired } from '../contract/gateway-error.ts';
import type { GraphQLPlugin } from './context.ts';
import { toGraphQLError } from './error.ts';

/** Refuses everything to whoever has not logged in, introspection included. */
export function useLogin(): GraphQLPlugin {
  return {
    onExecute({ args, setResultAndStopExecution }) {
      if (args.contextValue.call.principal.kind !== 'anonymous') return;
      setResultAndStopExecution({ errors: [toGraphQLError(loginRequired(), undefined)] });
    },
  };
}
