import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { EntitySource } from '../contract/entity-source.ts';
import type { GatewayRequest, GatewayResponse, WholeResponse } from '../contract/exchange.ts';
import { GatewayError, loginRequired } from '../contract/gateway-error.ts';
import type { Log } from '../contract/log.ts';
import type { Principal } from '../contract/principal.ts';
import type { Model } from '../model/edm.ts';
import { createAnswerMemory } from './operations/answer-memory.ts';
import { bindTarget } from './operations/bind-target.ts';
import { withoutCredential } from './operations/credential-parameter.ts';
import { createDeferredAnswers, DEFERRED_LIMITS } from './operations/deferred-answers.ts';
import { createDeltaTokens } from './operations/delta-tokens.ts';
import { errorResponse } from './operations/error-response.ts';
import { refuseIsolation } from './operations/isolation.ts';
import { type LimitOptions, limitsOf } from './operations/limits.ts';
import { offeredOperations } from './operations/offered-operations.ts';
import { createPaging } from './operations/paging.ts';
import { permittedRead } from './operations/permitted-read.ts';
import { isQueryInBody, withQueryOfBody } from './operations/query-in-body.ts';
import { methodNotAllowed } from './operations/resource-error.ts';
import { prefersLater, respondLater } from './operations/respond-async.ts';
import { noContent } from './operations/response.ts';
import type { Operation, Service } from './operations/service.ts';
import { monitorOperation } from './operations/status-monitor.ts';
import { takesUpload } from './operations/takes-upload.ts';
import { isTokenFetch, tokenAnswer } from './operations/token-fetch.ts';
import { writeError } from './payload/error.ts';
import { responseVersion } from './payload/version.ts';

export interface ODataOptions {
  readonly model: Model;
  /** What of the model a principal may know of; all of it where this is not given. */
  readonly visibleTo?: ((principal: Principal) => Model) | undefined;
  /** The entities, behind the permissions of whoever asks. */
  readonly source: EntitySource;
  /** Puts the permissions of whoever asks in front of another source: a change set is rehearsed before it is sent. */
  readonly guard?: (source: EntitySource) => EntitySource;
  /** The public URL of the service root, such as `https://api.example.com/odata`. */
  readonly root: string;
  /** How many bytes of written answers may be kept; 0 keeps none. */
  readonly answerMemoryBytes: number;
  /** Signs the tokens of next links, the same in all instances of the service; without it they are this one's. */
  readonly signingKey?: string | undefined;
  /** A query parameter that may hold a credential: no URL that it stands in is shown with it. */
  readonly credentialParameter?: string | undefined;
  /** How much a request may ask for; what is left out has its default. */
  readonly limits?: LimitOptions;
  /** Where faults of ours are reported that fail a part of a batch. */
  readonly log?: Log;
}

/** How many URLs are remembered with what they were compiled to. */
const REMEMBERED_URLS = 1_000;

/** Answers OData requests, and says which of them have a stream for a body, which is handed on as it comes. */
export interface ODataEndpoint {
  (request: GatewayRequest): Promise<GatewayResponse>;
  takesUpload(request: GatewayRequest): boolean;
}

/** Answers OData requests: one request in, one response out. Targets are below the service root. */
export function createODataEndpoint(options: ODataOptions): ODataEndpoint {
  const { model, source, root, guard = (unguarded) => unguarded, signingKey = randomBytes(32) } = options;
  const service: Service = {
    model,
    visibleTo: options.visibleTo ?? (() => model),
    source,
    root,
    answers: createAnswerMemory(options.answerMemoryBytes),
    limits: limitsOf(options.limits),
    paging: createPaging(signingKey),
    deltaTokens: createDeltaTokens(signingKey),
    perform: (request) =>
      perform(
        request,
        options.credentialParameter,
        (read) => monitorOperation(deferred, root, read.target) ?? findOperation(service, prepared, read),
      ),
    rehearse: (request, other) =>
      perform(request, options.credentialParameter, (read) =>
        prepareOperation({ ...service, source: guard(other) }, read),
      ),
    log: options.log,
  };
  const prepared = new LRUCache<string, Operation>({ max: REMEMBERED_URLS });
  const deferred = createDeferredAnswers(DEFERRED_LIMITS, (error) => deferredFailure(error, service.log));
  const answer = async (request: GatewayRequest): Promise<GatewayResponse> => {
    try {
      return await service.perform(request);
    } catch (error) {
      if (error instanceof GatewayError) return errorResponse(error, request.headers);
      throw error;
    }
  };
  const endpoint = (request: GatewayRequest): Promise<GatewayResponse> =>
    prefersLater(request) ? respondLater(request, deferred, root, answer) : answer(request);
  return Object.assign(endpoint, { takesUpload: (request: GatewayRequest) => takesUpload(service, request) });
}

/** What a deferred request comes to that failed by a fault of ours: nobody waits to whom it could be thrown. */
function deferredFailure(error: unknown, log: Log | undefined): WholeResponse {
  if (error instanceof GatewayError) return writeError(error, '4.0', undefined);
  log?.error({ err: error }, 'a deferred request failed');
  return writeError(
    new GatewayError('InternalError', 'The gateway failed to answer this request.'),
    '4.0',
    undefined,
  );
}

/** Answers a request with the operation that is found for it; throws what is wrong with it. */
async function perform(
  request: GatewayRequest,
  credentialParameter: string | undefined,
  find: (read: GatewayRequest) => Operation,
): Promise<GatewayResponse> {
  const version = responseVersion(request.headers);
  if (request.principal.kind === 'anonymous') throw loginRequired();
  refuseIsolation(request);
  const read = withoutCredential(readOf(request), credentialParameter);
  const operation = find(read);
  return isTokenFetch(read) ? tokenAnswer(version) : operation(read, version);
}

/** An error that arose before the endpoint was asked, in OData's own shape. */
export function writeODataError(
  error: GatewayError,
  request: Pick<GatewayRequest, 'headers'>,
): GatewayResponse {
  return errorResponse(error, request.headers);
}

/** A query in the body of a POST is a GET by another way; nothing else can be done with it. */
function readOf(request: GatewayRequest): GatewayRequest {
  if (!isQueryInBody(request)) return request;
  if (request.method === 'POST') return withQueryOfBody(request);
  throw methodNotAllowed(request.method, 'POST');
}

/** A URL is parsed, bound and compiled once; what it was compiled to is used again. */
function findOperation(
  service: Service,
  prepared: LRUCache<string, Operation>,
  request: GatewayRequest,
): Operation {
  const key = `${request.method} ${request.target}`;
  const known = prepared.get(key);
  if (known !== undefined) return known;
  const operation = prepareOperation(service, request);
  prepared.set(key, operation);
  return operation;
}

function prepareOperation(service: Service, request: GatewayRequest): Operation {
  const { method, target } = request;
  const { resource, options } = bindTarget(service, target);
  const offered = offeredOperations(service, resource, options);
  const prepare = offered.get(method);
  if (prepare !== undefined) {
    return method === 'GET' ? permittedRead(service, resource, request, prepare) : prepare();
  }
  const allow = allowedMethods([...offered.keys()]);
  if (method === 'OPTIONS') return async (_, version) => noContent(version, { allow });
  throw methodNotAllowed(method, allow);
}

function allowedMethods(offered: readonly string[]): string {
  return [...offered.flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name])), 'OPTIONS'].join(', ');
}
