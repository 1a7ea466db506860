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
import { madeOnce } from '../model/maps.ts';
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
import { type IdUse, type SchemaForm, type ShownModel, schemaNames } from './context/schema-names.ts';
import { createPlainAnswers } from './plain/plain-answers.ts';
import { isReported, maskError, shownError, toGraphQLError } from './plugins/error.ts';
import { graphiqlPage, graphiqlWithQuery } from './plugins/graphiql.ts';
import { useVisibleIntrospection, visibleSchemas } from './plugins/introspection.ts';
import {
  createDocuments,
  DOCUMENT_ID,
  type DocumentOptions,
  documentLimits,
} from './plugins/persisted-documents.ts';
import { isWritten, useWrittenResults } from './plugins/written-results.ts';
import { createCursors } from './query/order.ts';
import { createParamsReader } from './request-params.ts';
import { samplesOf } from './sample-queries.ts';
import { buildSchema } from './schema/build-schema.ts';
import { writtenSchema } from './schema/federation.ts';

interface GraphQLOptions {
  readonly model: Model;
  /** The part of the model that the principal may see. Default: all of it. */
  readonly visibleTo?: ((principal: Principal) => Model) | undefined;
  /** The entities, guarded by the permissions of the caller. */
  readonly source: EntitySource;
  /** Remembers which list parameters work as described; without it, only declared ones are used. */
  readonly trust?: ParameterTrust | undefined;
  /** The public URL of the OData service root, for streams. */
  readonly root: string;
  /** The key that signs cursors, shared by all instances; random by default. */
  readonly signingKey?: string | undefined;
  readonly log: Log;
  /** The meaning of the field `id`. */
  readonly ids: IdUse;
  readonly form: SchemaForm;
  readonly limits: GraphQLLimits;
  readonly documents: DocumentOptions;
  /** Maximum bytes of cached responses. */
  readonly answerMemoryBytes: number;
}

/** Serves GraphQL over HTTP, and GraphiQL to browsers. Targets are relative to the mount point. */
export function createGraphQLEndpoint(
  options: GraphQLOptions,
): (request: GatewayRequest) => Promise<GatewayResponse> {
  const { model, source, signingKey = randomBytes(32) } = options;
  const shown: ShownModel = { model, names: schemaNames(model, options.ids), form: options.form };
  const schemaOf = visibleSchemas(shown);
  const limits = queryLimits(options.limits);
  const service = { model, source, trust: options.trust, limits, log: options.log };
  const cursors = createCursors(tokenSignature(signingKey, 'cursor'));
  const streamUrl = streamUrls(model, options.root);
  const visibleTo = options.visibleTo ?? (() => model);
  // Built on first use: for a large model, this takes as long as the rest of a start.
  const schema = once(() => inTurns(buildSchema(shown)));
  const documents = createDocuments(options.documents);
  const answers = createAnswerMemory(options.answerMemoryBytes);
  const plain = createPlainAnswers({ service, dependencies: { shown, limits, cursors, depth: 0 }, answers });
  const yoga = createYoga<GraphQLContext>({
    schema,
    // The order matters: authentication, document lookup, limits, execution, introspection.
    plugins: [
      // Yoga's own executor takes any object with a member `then` for a promise, even one from the upstream.
      useEngine({ execute }),
      useSignIn(),
      useReadParams(),
      ...documents.plugins,
      ...documentLimits(options.limits.graphql),
      plain.plugin,
      useOneState(),
      useWrittenResults(),
      useVisibleIntrospection({ shown, visibleTo, schemaOf }),
    ],
    maskedErrors: { maskError: (error) => maskError(error) },
    logging: yogaLog(options.log),
    graphiql: false,
    landingPage: false,
    batching: false,
    extraParamNames: [DOCUMENT_ID],
    // The server has limited the size of the body already.
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
  const dependencies = (requested: GraphQLResolveInfo): SelectionDependencies => ({
    shown,
    limits,
    cursors,
    requested,
    depth: 0,
  });
  const texts = new WeakMap<Model, Promise<string>>();
  const schemaTextFor = (principal: Principal): Promise<string> => {
    const visible = visibleTo(principal);
    return madeOnce(texts, visible, () => {
      const text = schemaOf(visible, principal).then((built) =>
        writtenSchema({ ...shown, model: visible }, built),
      );
      text.catch(() => texts.delete(visible));
      return text;
    });
  };
  return async (requested) => {
    if (!ROOT.test(requested.target)) throw new GatewayError('NotFound', 'There is nothing below this path.');
    if (requested.method === 'GET' && requested.headers['accept']?.includes('text/html') === true)
      return answerBrowser(requested);
    if (requested.method === 'GET' && SDL.test(requested.target)) {
      if (requested.principal.kind === 'anonymous') throw signInRequired();
      const headers = { 'content-type': 'text/plain; charset=utf-8', ...UNSTORED };
      return { status: 200, headers, body: await schemaTextFor(requested.principal) };
    }
    const accept = acceptedTypes(requested.headers.accept);
    const request = { ...requested, headers: { ...requested.headers, accept } };
    const params = readParams(request);
    const budget = new RequestBudget(limits.budget, request.signal);
    const call = { ...request, budget };
    const completionTurns = new CompletionTurns(budget);
    const schemaText = () => schemaTextFor(call.principal);
    const progress: GraphQLContext['progress'] = { isReadWhole: false, changed: 0 };
    const known = { service, call, params, completionTurns, dependencies, streamUrl };
    const context = { ...known, schemaText, progress };
    const document =
      request.principal.kind !== 'anonymous' ? documents.find(params, request.target) : undefined;
    const plainRequest = document && plain.find(document, accept);
    const outcome = plainRequest && (await plain.answer(plainRequest, context));
    if (outcome?.kind === 'answered') return outcome.answer;
    const url = `http://gateway${request.target.startsWith('/') ? '' : '/'}${request.target}`;
    const failed = outcome?.kind === 'failed' ? outcome.error : undefined;
    const response = await yoga.fetch(url, requestInit(request), { ...context, failed });
    const body = await response.text();
    budget.chargeAnswer(Buffer.byteLength(body));
    const fields = [...response.headers].filter(([name]) => !OF_CONNECTION.has(name));
    const others = Object.fromEntries(fields);
    plain.noteHeaders(accept, { status: response.status, headers: { ...others, ...REVALIDATED }, body });
    const caching = progress.isReadWhole ? REVALIDATED : UNSTORED;
    return { status: response.status, headers: { ...others, ...caching }, body };
  };
}

/** Makes a value when it is first requested for; a promise until the value is there. */
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

/** Connection and length header fields (RFC 9110, 7.6.1), which the server writes itself. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
  'content-length',
]);

/** Answers to queries may be used again by who asked, as those of OData: at once only within the age that is allowed. */
const REVALIDATED = { 'cache-control': 'private, no-cache', vary: 'accept' } as const;

/** Other responses depend on the principal and on the current data, so caches must not store them. */
const UNSTORED = { 'cache-control': 'no-store' } as const;

/** The schema in GraphQL's schema language. */
const SDL = /\?sdl(?:=|$)/;

/** The only served path, with or without a slash and a query. */
const ROOT = /^\/?(\?|$)/;

/** An error from outside the endpoint, in GraphQL's format. */
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

/** Omits the abort signal, which the context passes to upstream calls. */
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
      if (!parts.every(isReported)) log[level]({ parts }, 'GraphQL');
    };
  return { debug: write('debug'), info: write('debug'), warn: write('warn'), error: write('error') };
}

/** The public URL of an entity's stream; null for an entity outside of entity sets. */
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

/** Adds the principal, and rejects anonymous requests, including introspection. */
function useSignIn(): GraphQLPlugin {
  // The type requires a context that has its own members already.
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

/** Passes the parameters with exact numbers, and variables without inherited members. */
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

/** Makes equal reads of a query once. A mutation reads the upstream's data anew after each change. */
function useOneState(): GraphQLPlugin {
  return {
    onExecute({ args: { document, operationName, contextValue }, extendContext }) {
      const operation = getOperationAST(document, operationName)?.operation;
      const isQuery = operation === OperationTypeNode.QUERY;
      const own = isQuery ? { query: {} } : { isFresh: true };
      extendContext({ call: { ...contextValue.call, ...own } });
      return {
        onExecuteDone({ result }) {
          const hasData = 'data' in result || isWritten(result);
          contextValue.progress.isReadWhole = isQuery && hasData && result.errors === undefined;
        },
      };
    },
  };
}
