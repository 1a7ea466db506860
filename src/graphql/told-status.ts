import { type ExecutionResult, GraphQLError } from 'graphql';
import { statusOf } from '../contract/gateway-error.ts';
import type { GraphQLPlugin } from './context.ts';

/**
 * Has each error say the HTTP status that it would be answered with by itself, in `extensions.http.status`. To Yoga
 * that member is a word about the whole answer, which it takes out of what is written.
 */
export function useToldStatus(): GraphQLPlugin {
  return {
    onResultProcess({ result, setResult }) {
      if (!('errors' in result) || result.errors === undefined) return;
      const { stringify = JSON.stringify } = result;
      setResult({
        ...result,
        stringify: ({ errors = [], ...rest }: ExecutionResult) =>
          stringify({ errors: errors.map(withStatus), ...rest }),
      });
    },
  };
}

/** The error with its status behind its code, where the code is one of ours. */
export function withStatus(error: GraphQLError): GraphQLError {
  const { code, http: _, ...others } = error.extensions;
  const status = statusOf(String(code));
  if (status === undefined) return error;
  return new GraphQLError(error.message, {
    nodes: error.nodes ?? null,
    source: error.source ?? null,
    positions: error.positions ?? null,
    path: error.path ?? null,
    extensions: { code, http: { status }, ...others },
  });
}
