import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { type ErrorDetail, GatewayError } from '../../contract/gateway-error.ts';
import { scalarOf } from '../schema/scalars.ts';

/**
 * The error sent to a client: GatewayErrors with their code, mistakes in the document unchanged, and a
 * general message for others.
 *
 * A GraphQLError of a field may quote the upstream's data, so only those with a GatewayError keep their
 * message.
 */
export function maskError(error: unknown): GraphQLError {
  if (error instanceof GatewayError) return toGraphQLError(error, undefined);
  if (!(error instanceof GraphQLError)) return toGraphQLError(internalError(), undefined);
  const original = originOf(error);
  if (original instanceof GatewayError) return toGraphQLError(original, error);
  // For an invalid value in the document or a variable, the original error is the scalar's.
  const isOurs = original === undefined || original instanceof GraphQLError;
  if (isOurs && error.path === undefined) return error;
  return toGraphQLError(
    original?.message.startsWith('Cannot return null for non-nullable field ') === true
      ? new GatewayError('UpstreamBadResponse', 'The API sent no value where its document promises one.')
      : internalError(),
    error,
  );
}

function internalError(): GatewayError {
  return new GatewayError('InternalError', 'Internal error');
}

/** A GatewayError at a position of the document. */
export function toGraphQLError(
  error: GatewayError,
  place: Pick<GraphQLError, 'nodes' | 'path'> | undefined,
): GraphQLError {
  const refused = error.code === 'Unauthorized' || error.code === 'Forbidden';
  return new GraphQLError(byArgument(error.message), {
    nodes: place?.nodes ?? null,
    path: place?.path ?? null,
    originalError: error,
    extensions: {
      code: error.code,
      ...(error.details.length > 0 && { details: error.details.map(shownDetail) }),
      ...(error.limit !== undefined && { limit: error.limit }),
      ...(refused && { http: { status: error.status, headers: error.headers } }),
    },
  });
}

function shownDetail(detail: ErrorDetail): ErrorDetail {
  return { ...detail, message: byArgument(detail.message) };
}

/**
 * The engine's messages name OData's query options, types and headers, and positions in texts that the client
 * has not written.
 */
function byArgument(message: string): string {
  const [, option = '', rest = ''] = /^(\$\w+): (.*?)(?: at position \d+)?$/s.exec(message) ?? [];
  const argument = ARGUMENTS.get(option);
  const named = argument === undefined ? message : `${argument}: ${rest}`;
  return named
    .replace(/^If-Match: /, 'ifMatch: ')
    .replace(/^('?)matchesPattern\b/, '$1matches')
    .replace(/(: )('?)matchesPattern\b/, '$1$2matches')
    .replace(/\bEdm\.[A-Z][A-Za-z0-9]*/g, (name) => scalarOf(name).name);
}

const ARGUMENTS: ReadonlyMap<string, string> = new Map([
  ['$filter', 'where'],
  ['$orderby', 'order'],
  ['$search', 'search'],
  ['$apply', 'where'],
]);

/** Replaces codes of the server library by the gateway's. */
const CODES: ReadonlyMap<unknown, string> = new Map([['BAD_REQUEST', 'BadRequest']]);

/**
 * Whether the error was reported already: errors of the mesh by the mesh, mistakes of clients to the client.
 */
export function isReported(error: unknown): boolean {
  const origin = error instanceof GraphQLError ? originOf(error) : error;
  return origin instanceof GatewayError;
}

/**
 * The error sent to a client, with its HTTP status in the extensions: a response with data or several errors
 * has only one status.
 */
export function shownError(error: GraphQLError): GraphQLFormattedError {
  const { extensions: { http: _, code = 'BadRequest', ...others } = {}, ...formatted } = error.toJSON();
  const status = statusOf(error);
  // Clients of automatic persisted queries expect a success status when they have to send the document.
  const http = status >= 400 && { http: { status } };
  const message = isReported(error) ? formatted.message : withoutSuggestion(formatted.message);
  return { ...formatted, message, extensions: { code: CODES.get(code) ?? code, ...others, ...http } };
}

const SUGGESTION = ' Did you mean ';

/** Removes the suggested names at the end of a library's message: the caller may not be allowed to see them. */
function withoutSuggestion(message: string): string {
  const start = message.endsWith('?') ? message.lastIndexOf(SUGGESTION) : -1;
  return start < 0 ? message : message.slice(0, start);
}

/**
 * An error before execution: the response has its status (GraphQL over HTTP, 6.4.2), except for plain
 * `application/json`.
 */
export function requestError(error: GraphQLError): GraphQLError {
  if (error.extensions.http !== undefined) return error;
  return new GraphQLError(error.message, {
    nodes: error.nodes ?? null,
    originalError: error.originalError ?? null,
    extensions: { ...error.extensions, http: { status: statusOf(error), spec: true } },
  });
}

/** Errors that are not the gateway's are mistakes in the request. */
function statusOf(error: GraphQLError): number {
  const origin = originOf(error);
  return origin instanceof GatewayError ? origin.status : (error.extensions.http?.status ?? 400);
}

/** The innermost error, because executors wrap errors repeatedly. */
function originOf(error: GraphQLError): Error | undefined {
  let origin = error.originalError;
  while (origin instanceof GraphQLError && origin.originalError !== undefined) origin = origin.originalError;
  return origin;
}
