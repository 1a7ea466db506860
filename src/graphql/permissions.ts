import { useGenericAuth } from '@envelop/generic-auth';
import { GraphQLError } from 'graphql';
import type { YogaInitialContext } from 'graphql-yoga';
import { GatewayError, loginRequired } from '../contract/gateway-error.ts';
import type { Permissions } from '../contract/permissions.ts';
import { ANONYMOUS, type Principal } from '../contract/principal.ts';
import type { GraphQLContext, GraphQLPlugin } from './context.ts';
import type { DemandsOf } from './demands.ts';
import { toGraphQLError } from './error.ts';
import type { Demand } from './field-demands.ts';

/**
 * Asks the permission table for every field of a document that calls an operation, before any of it is
 * executed.
 */
export function useFieldPermissions(demandsOf: DemandsOf, permissions: Permissions): GraphQLPlugin {
  // It is typed for a context with its own members already in it.
  const fieldAuth: object = useGenericAuth<Principal, YogaInitialContext & GraphQLContext>({
    mode: 'protect-all',
    resolveUserFn: (context) => context.call.principal,
    validateUser: ({ user, fieldNode, parentType, field, path }) => {
      const place = `${parentType.name}.${field.name}`;
      const needed = demandsOf(parentType, field);
      const error = refusal(() => demand(permissions, user, place, needed));
      return error === undefined
        ? undefined
        : toGraphQLError(error, new GraphQLError('', { nodes: fieldNode, path: responseNames(path) }));
    },
  });
  return fieldAuth;
}

/** Nothing has been executed: there are no items of lists, for which the plugin has a sign of its own. */
function responseNames(path: readonly (string | number)[]): readonly (string | number)[] {
  return path.filter((name) => name !== '@');
}

/**
 * Refuses everything to whoever has not logged in, introspection included, which the permissions of fields
 * do not cover.
 */
export function useLogin(): GraphQLPlugin {
  return {
    onExecute({ args, setResultAndStopExecution }) {
      if (args.contextValue.call.principal.kind !== 'anonymous') return;
      setResultAndStopExecution({ errors: [toGraphQLError(loginRequired(), undefined)] });
    },
  };
}

/** A field that the model knows nothing of is closed to everybody whom permissions restrict. */
export function demand(
  permissions: Permissions,
  principal: Principal = ANONYMOUS,
  field: string,
  needed: readonly Demand[] | undefined,
): void {
  if (needed !== undefined) {
    for (const { resource, permission } of needed) permissions.demand(principal, resource, permission);
  } else if (principal.kind === 'anonymous') throw loginRequired();
  else if (principal.kind === 'user')
    throw new GatewayError('Forbidden', `${field} is not open to your role.`);
}

/** What the action throws, where that is the client's to know. */
export function refusal(action: () => void): GatewayError | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
}
