import { useGenericAuth } from '@envelop/generic-auth';
import { GraphQLError, type GraphQLNamedType } from 'graphql';
import type { YogaInitialContext } from 'graphql-yoga';
import { GatewayError, loginRequired } from '../contract/gateway-error.ts';
import type { Permissions } from '../contract/permissions.ts';
import { ANONYMOUS, type Principal } from '../contract/principal.ts';
import type { Model } from '../model/edm.ts';
import type { GraphQLContext, GraphQLPlugin } from './context.ts';
import { toGraphQLError } from './error.ts';
import { type Demand, fieldDemands } from './field-demands.ts';
import { calledOperation } from './relations/add-relations.ts';

/**
 * Asks the permission table for every field of a document that calls an operation, before any of it is
 * executed.
 */
export function useFieldPermissions(model: Model, permissions: Permissions): GraphQLPlugin {
  const demands = fieldDemands(model);
  // It is typed for a context with its own members already in it.
  const fieldAuth: object = useGenericAuth<Principal, YogaInitialContext & GraphQLContext>({
    mode: 'protect-all',
    resolveUserFn: (context) => context.call.principal,
    validateUser: ({ user, fieldNode, parentType, field, path }) => {
      const operation = isRootType(parentType) ? field.name : calledOperation(field);
      if (operation === undefined) return undefined;
      const place = `${parentType.name}.${field.name}`;
      const error = refusal(() => demand(permissions, user, place, demands.get(operation)));
      return error === undefined
        ? undefined
        : toGraphQLError(error, new GraphQLError('', { nodes: fieldNode, path }));
    },
  });
  return fieldAuth;
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
function demand(
  permissions: Permissions,
  principal: Principal = ANONYMOUS,
  field: string,
  needed: Demand | undefined,
): void {
  if (needed !== undefined) permissions.demand(principal, needed.resource, needed.permission);
  else if (principal.kind === 'anonymous') throw loginRequired();
  else if (principal.kind === 'user')
    throw new GatewayError('Forbidden', `${field} is not open to your role.`);
}

function isRootType(type: GraphQLNamedType): boolean {
  return type.name === 'Query' || type.name === 'Mutation' || type.name === 'Subscription';
}

function refusal(action: () => void): GatewayError | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
}
