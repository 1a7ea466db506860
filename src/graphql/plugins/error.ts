import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { type ErrorDetail, GatewayError } from '../../contract/gateway-error.ts';
import { scalarOf } from '../schema/scalars.ts';

/**
 * What a GraphQL client is told of an error: our own ones with their code, mistakes in the document as
 * they are, and of anything else that it happened.
 *
 * A GraphQLError that arose at a field may quote what the upstream sent, so only those made of a
 * GatewayError may keep their message.
 */
export function maskError(error: unknown): GraphQLError {
  if (error instanceof GatewayError) return toGraphQLError(error, undefined);
  if (!(error instanceof GraphQLError)) return toGraphQLError(internalError(), undefined);
  const original = originOf(error);
  if (original instanceof GatewayError) return toGraphQLError(original, error);
  // A value in the document, or in a variable, that is none of its type has the scalar's error as its origin.
  const isOurs = original === undefined || original instanceof GraphQLError;
  if (isOurs && error.path === undefined) return error;
  return toGraphQLError(isOfNull(original) ? missingValue() : internalError(), error);
}

/** Executors have no class of their own for it. */
function isOfNull(error: Error | undefined): boolean {
  return error?.message.startsWith('Cannot return null for non-nullable field ') === true;
}

function missingValue(): GatewayError {
  return new GatewayError('UpstreamBadResponse', 'The API sent no value where its document promises one.');
}

function internalError(): GatewayError {
  return new GatewayError('InternalError', 'Internal error');
}

/** A GatewayError at a place of the document. */
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

/** The engine's mistakes name query options, types and headers of OData, and places in texts that no client has written. */
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

/** Codes of the server library for what the gateway has codes of its own. */
const CODES: ReadonlyMap<unknown, string> = new Map([['BAD_REQUEST', 'BadRequest']]);

/** Whether an error has been told: what the mesh failed on by the mesh, a client's mistake to the client. */
export function isTold(error: unknown): boolean {
  const origin = error instanceof GraphQLError ? originOf(error) : error;
  return origin instanceof GatewayError;
}

/**
 * An error as a client is shown it, with the status that stands for it in HTTP: of several errors, or beside data, the
 * response has not that of each.
 */
export function shownError(error: GraphQLError): GraphQLFormattedError {
  const { extensions: { http: _, code = 'BadRequest', ...others } = {}, ...told } = error.toJSON();
  const status = statusOf(error);
  // Automatic persisted queries are asked for again with what counts as a success.
  const http = status >= 400 && { http: { status } };
  const message = told.message.replace(/ \[Suggestion hidden\]/g, '');
  return { ...told, message, extensions: { code: CODES.get(code) ?? code, ...others, ...http } };
}

/**
 * An error for which nothing was carried out: the response has its status (GraphQL over HTTP, 6.4.2), unless it is
 * plain `application/json`.
 */
export function requestError(error: GraphQLError): GraphQLError {
  if (error.extensions.http !== undefined) return error;
  return new GraphQLError(error.message, {
    nodes: error.nodes ?? null,
    originalError: error.originalError ?? null,
    extensions: { ...error.extensions, http: { status: statusOf(error), spec: true } },
  });
}

/** What is not the gateway's own error is a mistake in the request. */
function statusOf(error: GraphQLError): number {
  const origin = originOf(error);
  return origin instanceof GatewayError ? origin.status : (error.extensions.http?.status ?? 400);
}

/** Executors wrap errors in one another: the innermost one tells what happened. */
function originOf(error: GraphQLError): Error | undefined {
  let origin = error.originalError;
  while (origin instanceof GraphQLError && origin.originalError !== undefined) origin = origin.originalError;
  return origin;
}
