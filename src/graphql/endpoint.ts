import { randomBytes } from 'node:crypto';
import { useEngine } from '@envelop/core';
import { useGenericAuth } from '@envelop/generic-auth';
import { execute, type GraphQLResolveInfo, getOperationAST, OperationTypeNode } from 'graphql';
import { createYoga, type YogaInitialContext } from 'graphql-yoga';
import type { EntitySource } from '../contract/entity-source.ts';
import { createAnswerMemory, type GatewayRequest, type GatewayResponse } from '../contract/exchange.ts';
import { GatewayError, signInRequired } from '../contract/gateway-error.ts';
import type { Log } from '../contract/log.ts';
import type { ParameterTrust } from '../contract/parameter-trust.ts';
import type { Principal } from '../contract/principal.ts';
import { RequestBudget } from '../contract/request-budget.ts';
import type { Row } from '../contract/row.ts';
import { tokenSignature } from '../core/token-signature.ts';
import { inTurns } from '../core/work.ts';
import { isInputObject } from '../engine/input/mistakes.ts';
import { entityUrl } from '../engine/resource/navigation-source.ts';
import { type EntityType, isA } from '../model/edm.ts';
import type { Model } from '../model/model.ts';
import { acceptedTypes } from './accepted-types.ts';
import {
  CompletionTurns,
  type GraphQLContext,
  type GraphQLLimits,
  type GraphQLPlugin,
  type Input,
  queryLimits,
  type SelectionDependencies,
  withoutInherited,
} from './context/graphql-context.ts';
import { type ShownModel, schemaNames } from './context/schema-names.ts';
import { createPlainAnswers } from './plain/plain-answers.ts';
import { isTold, maskError, shownError, toGraphQLError } from './plugins/error.ts';
import { graphiqlPage, graphiqlWithQuery } from './plugins/graphiql.ts';
import { useVisibleIntrospection } from './plugins/introspection.ts';
import {
  createDocuments,
  DOCUMENT_ID,
  type DocumentOptions,
  documentLimits,
} from './plugins/persisted-documents.ts';
import { useWrittenResults } from './plugins/written-results.ts';
import { createCursors } from './query/order.ts';
import { createParamsReader } from './request-params.ts';
import { samplesOf } from './sample-queries.ts';
import { buildSchema } from './schema/build-schema.ts';

interface GraphQLOptions {
  readonly model: Model;
  /** What of the model a principal may know of; all of it where this is not given. */
  readonly visibleTo?: ((principal: Principal) => Model) | undefined;
  /** The entities, behind the permissions of whoever asks. */
  readonly source: EntitySource;
  /** Knows which parameters of lists do what they are called; without it, they are used only as the document declares. */
  readonly trust?: ParameterTrust | undefined;
  /** The public URL of the OData service root, where streams are read. */
  readonly root: string;
  /** Signs cursors, the same in all instances of the service; without it they are this one's. */
  readonly signingKey?: string | undefined;
  readonly log: Log;
  readonly limits: GraphQLLimits;
  readonly documents: DocumentOptions;
  /** What written answers may be kept for as long as the data has not changed. */
  readonly answerMemoryBytes: number;
}

/** Answers GraphQL over HTTP, and a browser with GraphiQL. Targets are below the mount point. */
export function createGraphQLEndpoint(
  options: GraphQLOptions,
): (request: GatewayRequest) => Promise<GatewayResponse> {
  const { model, source, signingKey = randomBytes(32) } = options;
  const shown: ShownModel = { model, names: schemaNames(model) };
  const limits = queryLimits(options.limits);
  const service = { model, source, trust: options.trust, limits, log: options.log };
  const cursors = createCursors(tokenSignature(signingKey, 'cursor'));
  const streamUrl = streamUrls(model, options.root);
  const visibleTo = options.visibleTo ?? (() => model);
  // It is made when it is first asked for: that of a large model takes as long as all else of a start.
  const schema = once(() => inTurns(buildSchema(shown)));
  const documents = createDocuments(options.documents);
  const answers = createAnswerMemory(options.answerMemoryBytes);
  const plain = createPlainAnswers({ service, dependencies: { shown, limits, cursors, depth: 0 }, answers });
  const yoga = createYoga<GraphQLContext>({
    schema,
    // In order: who asks; for which document; how much may be asked; how it is read; what of the schema is told.
    plugins: [
      // Yoga's own executor takes whatever has a member `then` for a promise, be it the upstream's or an alias.
      useEngine({ execute }),
      useSignIn(),
      useReadParams(),
      ...documents.plugins,
      ...documentLimits(options.limits.graphql),
      plain.plugin,
      useOneState(),
      useWrittenResults(),
      useVisibleIntrospection({ shown, visibleTo }),
    ],
    maskedErrors: { maskError: (error) => maskError(error) },
    logging: yogaLog(options.log),
    graphiql: false,
    landingPage: false,
    batching: false,
    extraParamNames: [DOCUMENT_ID],
    // The body has been read, and its size checked.
    maxRequestBodySize: false,
    cors: false,
    graphqlEndpoint: '/',
  });
  const answerBrowser = (request: GatewayRequest) => {
    const [first] = request.target.includes('?')
      ? []
      : samplesOf({ ...shown, model: visibleTo(request.principal) });
    return first === undefined ? graphiqlPage(request) : graphiqlWithQuery(first.query);
  };
  const readParams = createParamsReader();
  const dependencies = (asked: GraphQLResolveInfo): SelectionDependencies => ({
    shown,
    limits,
    cursors,
    asked,
    depth: 0,
  });
  return async (requested) => {
    if (!ROOT.test(requested.target)) throw new GatewayError('NotFound', 'There is nothing below this path.');
    if (asksForPage(requested)) return answerBrowser(requested);
    const accept = acceptedTypes(requested.headers.accept);
    const request = { ...requested, headers: { ...requested.headers, accept } };
    const params = readParams(request);
    const budget = new RequestBudget(limits.budget, request.signal);
    const call = { ...request, budget };
    const completionTurns = new CompletionTurns(budget);
    const context = { service, call, params, completionTurns, dependencies, streamUrl };
    const document = isKnown(request) ? documents.find(params, request.target) : undefined;
    const asked = document && plain.find(document, accept);
    const outcome = asked && (await plain.answer(asked, context));
    if (outcome?.kind === 'answered') return outcome.answer;
    const url = `http://gateway${request.target.startsWith('/') ? '' : '/'}${request.target}`;
    const failed = outcome?.kind === 'failed' ? outcome.error : undefined;
    const response = await yoga.fetch(url, requestInit(request), { ...context, failed });
    const body = await response.text();
    budget.chargeAnswer(Buffer.byteLength(body));
    const fields = [...response.headers].filter(([name]) => !OF_CONNECTION.has(name));
    const headers = { ...Object.fromEntries(fields), ...UNSTORED };
    const answer = { status: response.status, headers, body };
    plain.noteHeaders(accept, answer);
    return answer;
  };
}

function isKnown({ principal }: GatewayRequest): boolean {
  return principal.kind !== 'anonymous';
}

/** Makes a value when it is first asked for; a promise until the value is there. */
function once<Made>(make: () => Promise<Made>): () => Made | Promise<Made> {
  let made: Made | Promise<Made> | undefined;
  return () => {
    made ??= make().then((value) => {
      made = value;
      return value;
    });
    return made;
  };
}

/** Header fields about a connection and the length of a body (RFC 9110, 7.6.1): the server writes its own. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
  'content-length',
]);

/** What is answered depends on who asks, and on what the API has at the moment: no cache on the way may keep it. */
const UNSTORED = { 'cache-control': 'no-store' } as const;

/** The one path that is served, with or without a slash and a query. */
const ROOT = /^\/?(\?|$)/;

/** An error that arose before the endpoint was asked, in GraphQL's own shape. */
export function writeGraphQLError(error: GatewayError): GatewayResponse {
  return {
    status: error.status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      ...UNSTORED,
      ...error.headers,
    },
    body: JSON.stringify({ errors: [shownError(toGraphQLError(error, undefined))] }),
  };
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

/** The public URL of an entity's stream; null for an entity that is in no set. */
function streamUrls(
  model: Model,
  root: string,
): (type: EntityType, row: Row, name: string | undefined) => string | null {
  return (type, row, name) => {
    const set = [...model.entitySets.values()].find(({ entityType }) => isA(type, entityType));
    if (set === undefined) return null;
    return `${root}/${entityUrl(set.name, type)(row)}/${name ?? '$value'}`;
  };
}

/** Says who asks, and refuses everything to whoever has not signed in, introspection included. */
function useSignIn(): GraphQLPlugin {
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
      setResultAndStopExecution({ errors: [toGraphQLError(signInRequired(), undefined)] });
    },
  };
}

/**
 * Has parameters be those that were read with exact numbers, and variables hold what is given in them and nothing that
 * objects inherit.
 */
function useReadParams(): GraphQLPlugin {
  return {
    onRequestParse({ serverContext: { params }, setRequestParser }) {
      if (isInputObject(params)) setRequestParser(() => ({ ...params }));
    },
    onParams({ params, setParams }) {
      const { variables } = params;
      if (isInputObject(variables)) setParams({ ...params, variables: withoutInherited(variables) as Input });
    },
  };
}

/** Has equal reads of a query made once. A mutation reads what there is after each of its changes. */
function useOneState(): GraphQLPlugin {
  return {
    onExecute({ args: { document, operationName, contextValue }, extendContext }) {
      const operation = getOperationAST(document, operationName)?.operation;
      if (operation === OperationTypeNode.QUERY) extendContext({ call: { ...contextValue.call, query: {} } });
    },
  };
}
