import type { Arguments, CallableCall } from '../../contract/entity-source.ts';
import type { CallableParameter } from '../../model/edm.ts';
import type { BoundCall } from '../resource/resource.ts';

/** What is sent for a call of a function or an action. */
export type SentCall = Pick<CallableCall, 'resource' | 'operation' | 'arguments' | 'body'>;

/** The key of what it is bound to, and the parameters, each where the upstream takes it. */
export function withParameters(
  { callable, operation, resource }: BoundCall,
  key: Arguments,
  parameters: Arguments,
): SentCall {
  const inBody = callable.parameters.filter((parameter) => parameter.in === 'body');
  const others = callable.parameters.filter((parameter) => parameter.in !== 'body');
  return {
    resource,
    operation,
    arguments: { ...key, ...byUpstreamName(others, parameters) },
    body: inBody.length === 0 ? undefined : byUpstreamName(inBody, parameters),
  };
}

function byUpstreamName(wanted: readonly CallableParameter[], values: Arguments): Arguments {
  return Object.fromEntries(
    wanted.flatMap(({ name, upstreamName }) => {
      const value = values[name];
      return value === undefined ? [] : [[upstreamName, value] as const];
    }),
  );
}
