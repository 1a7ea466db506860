import { useEngine } from '@envelop/core';
import { execute, type GraphQLSchema } from 'graphql';
import { createYoga } from 'graphql-yoga';
import type { GatewayRequest, GatewayResponse } from '../contract/exchange.ts';
import { GatewayError } from '../contract/gateway-error.ts';
import type { Log } from '../contract/log.ts';
import type { Permissions } from '../contract/permissions.ts';
import { RequestBudget } from '../contract/request-budget.ts';
import { DEFAULT_REQUEST_LIMITS } from '../contract/request-limits.ts';
import type { Model } from '../model/edm.ts';
import type { GraphQLContext } from './context.ts';
import { demandsByField } from './demands.ts';
import { isTold, maskError, toGraphQLError } from './error.ts';
import { graphiqlPage } from './graphiql.ts';
import { compileHotDocuments } from './hot-documents.ts';
import { useVisibleIntrospection } from './introspection.ts';
import { documentLimits, type GraphQLLimits } from './limits.ts';
import { useFieldPermissions, useLogin } from './permissions.ts';
import { publicSchema } from './public-schema.ts';
import { addRelations } from './relations/add-relations.ts';

export interface GraphQLOptions {
  readonly model: Model;
  /** The mesh's schema: it can be executed by itself. Fields are added to its types. */
  readonly schema: GraphQLSchema;
  readonly permissions: Permissions;
  readonly log: Log;
  readonly limits?: GraphQLLimits;
}

/** Answers GraphQL over HTTP from the mesh, and a browser with GraphiQL. Targets are below the mount point. */
export function createGraphQLEndpoint(
  options: GraphQLOptions,
): (request: GatewayRequest) => Promise<GatewayResponse> {
  const { graphql, budget: budgetLimits } = options.limits ?? DEFAULT_REQUEST_LIMITS;
  addRelations(options.schema, options.model, graphql.relatedCalls);
  const hot = compileHotDocuments();
  const schema = publicSchema(options.schema, options.model);
  const demandsOf = demandsByField(options.schema, options.model);
  const yoga = createYoga<GraphQLContext>({
    schema,
    // In order: who asks; what may be asked; how much may be asked; what of the schema is told.
    plugins: [
      // Yoga's own executor takes whatever has a member `then` for a promise, be it the upstream's or an alias.
      useEngine({ execute }),
      hot.beforeChecks,
      useLogin(),
      useFieldPermissions(demandsOf, options.permissions),
      ...documentLimits(graphql),
      ...hot.afterChecks,
      useVisibleIntrospection({ ...options, schema, demandsOf }),
    ],
    maskedErrors: { maskError: (error) => maskError(error) },
    logging: yogaLog(options.log),
    graphiql: false,
    landingPage: false,
    batching: false,
    // The body has been read, and its size checked.
    maxRequestBodySize: false,
    cors: false,
    graphqlEndpoint: '/',
  });
  return async (request) => {
    if (!ROOT.test(request.target)) throw new GatewayError('NotFound', 'There is nothing below this path.');
    if (asksForPage(request)) return graphiqlPage(request);
    demandJson(request);
    const url = `http://gateway${request.target.startsWith('/') ? '' : '/'}${request.target}`;
    const budget = new RequestBudget(budgetLimits, request.signal);
    const response = await yoga.fetch(url, requestInit(request), { call: request, budget });
    const body = await response.text();
    budget.chargeAnswer(Buffer.byteLength(body));
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body,
    };
  };
}

/** The one path that is served, with or without a slash and a query. */
const ROOT = /^\/?(\?|$)/;

/** An error that arose before the endpoint was asked, in GraphQL's own shape. */
export function writeGraphQLError(error: GatewayError): GatewayResponse {
  const { message, extensions } = toGraphQLError(error, undefined);
  // What Yoga is told of the answer is said by the answer here.
  const { http: _, ...shown } = extensions;
  return {
    status: error.status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      ...error.headers,
    },
    body: JSON.stringify({ errors: [{ message, extensions: shown }] }),
  };
}

const JSON_MEDIA = /^application\/(?:graphql\+)?json\s*(?:;|$)/i;

/**
 * GraphQL over HTTP, 5.1: a body is JSON. A browser asks before it sends that for a page of another origin, and
 * would not for a form or a plain text (Fetch Standard, 2.2.2).
 */
function demandJson({ method, headers, body }: GatewayRequest): void {
  if (method !== 'POST') return;
  if (!JSON_MEDIA.test(headers['content-type'] ?? '')) {
    throw new GatewayError(
      'UnsupportedMediaType',
      'The body must be JSON, with the Content-Type application/json.',
      { target: 'Content-Type' },
    );
  }
  demandWellFormed(body);
}

/** Yoga would answer with what was sent, and log it. */
function demandWellFormed(body: Uint8Array | undefined): void {
  try {
    JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw new GatewayError('BadRequest', 'The body must be JSON in UTF-8.');
  }
}

/** A browser gets the page also for a link that holds a query: GraphiQL opens with it. */
function asksForPage({ method, headers }: GatewayRequest): boolean {
  return method === 'GET' && headers['accept']?.includes('text/html') === true;
}

/** The signal stays with the context: it is the calls upstream that are to be given up. */
function requestInit({ method, headers, body }: GatewayRequest): RequestInit {
  const given = Object.entries(headers).filter(
    (header): header is [string, string] => header[1] !== undefined,
  );
  const withBody = method !== 'GET' && body !== undefined;
  return { method, headers: Object.fromEntries(given), ...(withBody && { body: Buffer.from(body) }) };
}

function yogaLog(log: Log) {
  const write =
    (level: keyof Log) =>
    (...parts: unknown[]) => {
      if (!parts.every(isTold)) log[level]({ parts }, 'GraphQL');
    };
  return { debug: write('debug'), info: write('debug'), warn: write('warn'), error: write('error') };
}
