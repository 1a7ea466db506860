import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { EntitySource } from '../contract/entity-source.ts';
import {
  type BudgetedRequest,
  createAnswerMemory,
  type GatewayRequest,
  type GatewayResponse,
  takeParameter,
  type WholeResponse,
} from '../contract/exchange.ts';
import { GatewayError, signInRequired } from '../contract/gateway-error.ts';
import type { Log } from '../contract/log.ts';
import type { ParameterTrust } from '../contract/parameter-trust.ts';
import type { Principal } from '../contract/principal.ts';
import { RequestBudget } from '../contract/request-budget.ts';
import { madeOnce } from '../model/maps.ts';
import type { Model } from '../model/model.ts';
import {
  createDeferredAnswers,
  createDeferredBudgets,
  createDeferredWork,
  DEFERRED_LIMITS,
  type DeferredAnswers,
  MONITOR,
  monitorOperation,
  respondLater,
} from './operations/handlers/deferred/deferred-answers.ts';
import { prepareOperation, takesUpload } from './operations/prepare-operation.ts';
import { errorResponse, methodNotAllowed, noContent } from './operations/protocol/response.ts';
import { withTunnelledMethod } from './operations/protocol/tunnelled-method.ts';
import {
  type LimitOptions,
  limitsOf,
  type RequestHandler,
  type Service,
} from './operations/service/service.ts';
import { createDeltaPages, createDeltaTokens, createPaging } from './operations/tokens/paging.ts';
import { type ODataVersion, parseMediaRange, responseVersion } from './payload/negotiation/format.ts';
import { assertNoCoding } from './payload/negotiation/media-content.ts';
import { prefersLater } from './payload/negotiation/preference.ts';
import type { UrlLimits } from './url/lexer.ts';
import { assertFewOptions, formBlanks, withoutFormBlanks } from './url/request-target.ts';

export type { DeferredAnswers };

export interface ODataOptions {
  readonly model: Model;
  /** What of the model a principal may know of; all of it where this is not given. */
  readonly visibleTo?: ((principal: Principal) => Model) | undefined;
  /** The model without what its values may hold that a principal may not see; all of it where this is not given. */
  readonly readableTo?: ((principal: Principal) => Model) | undefined;
  /** The entities, behind the permissions of whoever asks. */
  readonly source: EntitySource;
  /** Knows which parameters of lists do what they are called; without it, they are used only as the document declares. */
  readonly trust?: ParameterTrust | undefined;
  /** Puts the permissions of whoever asks in front of another source: a change set is rehearsed before it is sent. */
  readonly guard?: (source: EntitySource) => EntitySource;
  /** The public URL of the service root, such as `https://api.example.com/odata`. */
  readonly root: string;
  /** The URL below which the vocabularies are that `$metadata` references; without it, the OASIS's own. */
  readonly vocabularies?: string | undefined;
  /** How many bytes of written answers may be kept; 0 keeps none. */
  readonly answerMemoryBytes: number;
  /** Signs the tokens of next links, the same in all instances of the service; without it they are this one's. */
  readonly signingKey?: string | undefined;
  /** A query parameter that may hold a credential: no URL that it stands in is shown with it. */
  readonly credentialParameter?: string | undefined;
  /** How much a request may ask for; what is left out has its default. */
  readonly limits?: LimitOptions;
  /** Keeps what is answered later, also for the endpoint that takes the place of this one; else it is this one's. */
  readonly deferred?: DeferredAnswers;
  /** Where faults of ours are reported that fail a part of a batch. */
  readonly log?: Log;
}

/** Answers OData requests, and says which of them have a stream for a body, which is handed on as it comes. */
interface ODataEndpoint {
  (request: GatewayRequest): Promise<GatewayResponse>;
  takesUpload(request: GatewayRequest): boolean;
  /**
   * Resolves when nothing is worked on any more that is answered later; what takes longer than `grace`, in
   * milliseconds, is given up. No request may come any more.
   */
  finish(grace: number): Promise<void>;
}

/** Answers OData requests: one request in, one response out. Targets are below the service root. */
export function createODataEndpoint(options: ODataOptions): ODataEndpoint {
  const { model, source, root, guard = (unguarded) => unguarded, signingKey = randomBytes(32) } = options;
  const limits = limitsOf(options.limits);
  const reading = { limits: limits.url, credentialParameter: options.credentialParameter };
  const links = { key: signingKey, root, longest: limits.url.length - new URL(root).pathname.length };
  const service: Service = {
    model,
    visibleTo: options.visibleTo ?? (() => model),
    readableTo: options.readableTo ?? (() => model),
    source,
    trust: options.trust,
    root,
    vocabularies: options.vocabularies,
    answers: createAnswerMemory(options.answerMemoryBytes),
    limits,
    paging: createPaging(links),
    deltaTokens: createDeltaTokens(links),
    deltaPages: createDeltaPages(links),
    dispatch: (request) => dispatch(request, reading, (read) => find(read, request)),
    dispatchTracked: (request, done) =>
      dispatch(request, reading, (read) => prepareOperation({ ...service, done }, read)),
    dryRun: (request, other, demandsPresence) =>
      dispatch(request, reading, (read) =>
        prepareOperation({ ...service, source: guard(other), trust: undefined, demandsPresence }, read),
      ),
    log: options.log,
  };
  const deferred = createDeferredWork(options.deferred ?? openDeferredAnswers(options.log));
  const find = operationFinder(service, ({ target }) => {
    const name = MONITOR.exec(target)?.[1];
    return name === undefined ? undefined : monitorOperation(deferred, root, name);
  });
  const answer = async (request: BudgetedRequest): Promise<GatewayResponse> => {
    try {
      return await service.dispatch(request);
    } catch (error) {
      if (error instanceof GatewayError) return errorResponse(error, request.headers);
      throw error;
    }
  };
  const budgets = createDeferredBudgets(limits.budget);
  const endpoint = async (received: GatewayRequest): Promise<GatewayResponse> => {
    const request = received.method === 'POST' ? withTunnelledMethod(received) : received;
    return isAnsweredLater(request)
      ? respondLater(request, { deferred, budgets, root }, answer)
      : answer({ ...request, budget: new RequestBudget(limits.budget, request.signal) });
  };
  return Object.assign(endpoint, {
    takesUpload: (request: GatewayRequest) => takesUpload(service, withTunnelledMethod(request)),
    finish: deferred.finish,
  });
}

/** An upload is over with its connection: it is answered at once, whatever the client prefers. */
function isAnsweredLater({ headers: { prefer }, upload }: GatewayRequest): boolean {
  return upload === undefined && prefer !== undefined && prefersLater(prefer);
}

/** Holds what is answered later, for one endpoint after the other. */
export function openDeferredAnswers(log?: Log): DeferredAnswers {
  return createDeferredAnswers(DEFERRED_LIMITS, log);
}

export { LONG_QUERIES } from './url/request-target.ts';

/** An error that arose before the endpoint was asked, in OData's own shape. */
export function writeODataError(
  error: GatewayError,
  request: Pick<GatewayRequest, 'headers'>,
): GatewayResponse {
  return errorResponse(error, request.headers);
}

/** How many URLs are remembered with what they were compiled to. */
const REMEMBERED_URLS = 1_000;

/**
 * A URL is parsed, bound and compiled once; what it was compiled to is used again. `asked` is the request as it
 * came: what it had in its body may be longer than a URL, and is not remembered then. `monitorOf` finds what answers at
 * the URL of a status monitor, which is no resource of the model.
 */
function operationFinder(
  service: Service,
  monitorOf: (request: BudgetedRequest) => RequestHandler | undefined,
): (request: BudgetedRequest, asked: BudgetedRequest) => RequestHandler {
  const prepare = (of: Service, request: BudgetedRequest) =>
    monitorOf(request) ?? prepareOperation(of, request);
  const prepared = new LRUCache<string, RequestHandler>({ max: REMEMBERED_URLS });
  return (request, asked) => {
    const isLong = request.target.length > service.limits.url.length;
    if (isLong && isQueryInBody(asked)) return prepare(withLongQueries(service), request);
    if (service.readableTo(request.principal) !== service.model) return prepare(service, request);
    const key = `${request.method} ${request.target}`;
    return madeOnce(prepared, key, () => prepare(service, request));
  };
}

/** A body is what a query is sent in that is too long for a URL (Part 1, 11.2.1.1); the other bounds are kept. */
function withLongQueries(service: Service): Service {
  const url = { ...service.limits.url, length: Number.POSITIVE_INFINITY };
  return { ...service, limits: { ...service.limits, url } };
}

/** How the target of a request is read. */
interface TargetReading {
  readonly limits: UrlLimits;
  /** A query parameter that may hold a credential. */
  readonly credentialParameter: string | undefined;
}

/** Answers a request with the operation that is found for it; throws what is wrong with it. */
async function dispatch(
  request: BudgetedRequest,
  { limits, credentialParameter }: TargetReading,
  find: (read: BudgetedRequest) => RequestHandler,
): Promise<GatewayResponse> {
  const version = responseVersion(request.headers);
  if (request.principal.kind === 'anonymous') throw signInRequired();
  assertNoIsolation(request);
  const written = withoutCredential(readOf(request), credentialParameter);
  const { target } = written;
  const read = target.includes('+') ? { ...written, target: withoutFormBlanks(target, limits) } : written;
  const operation = find(read);
  if (isQueryInBody(request) && request.method === 'OPTIONS') return noContent(version, { allow: ALLOWED });
  return isTokenFetch(read) ? tokenAnswer(version) : operation(read, version);
}

/** A query in the body of a POST is a GET by another way; nothing else can be done with it. */
function readOf(request: BudgetedRequest): BudgetedRequest {
  if (!isQueryInBody(request)) return request;
  if (request.method === 'POST') return withQueryOfBody(request);
  if (request.method === 'OPTIONS') return queriedResource(request);
  throw methodNotAllowed(request.method, ALLOWED);
}

const ALLOWED = 'POST, OPTIONS';

const TEXT = 'text/plain';
const FORM = 'application/x-www-form-urlencoded';
const QUERY_SEGMENT = /\/(?:\$|%24)query\/?$/;

/** Whether the path ends with `/$query` (Part 1, 11.2.1.1): the query options are in the body of a POST. */
function isQueryInBody({ target }: Pick<BudgetedRequest, 'target'>): boolean {
  return QUERY_SEGMENT.test(pathOf(target));
}

/** The GET that the POST stands for: the body is put behind what the URL's query has. */
function withQueryOfBody(request: BudgetedRequest): BudgetedRequest {
  const { target, headers, body } = request;
  const { type } = parseMediaRange(headers['content-type'] ?? '');
  if (type !== TEXT && type !== FORM) {
    const message = `Content-Type: expected ${TEXT} or ${FORM} with query options.`;
    throw new GatewayError('UnsupportedMediaType', message, { target: 'Content-Type' });
  }
  assertNoCoding(headers);
  const path = pathOf(target);
  const text = Buffer.from(body ?? [])
    .toString()
    .trim();
  assertFewOptions(text);
  const options = [target.slice(path.length + 1), encodedForUrl(type === FORM ? formBlanks(text) : text)];
  const query = options.filter((part) => part !== '').join('&');
  const resource = path.replace(QUERY_SEGMENT, '');
  return {
    ...request,
    method: 'GET',
    target: query === '' ? resource : `${resource}?${query}`,
    body: undefined,
  };
}

/** A body may have what cannot stand in a URL as it is, as next links must (RFC 3986, 3.4). */
function encodedForUrl(options: string): string {
  return options.replace(NOT_IN_QUERIES, encodeURIComponent);
}

const NOT_IN_QUERIES = /[^\w!$%&'()*+,\-./:;=?@~]/gu;

/** What the query would be about. */
function queriedResource(request: BudgetedRequest): BudgetedRequest {
  return { ...request, method: 'GET', target: pathOf(request.target).replace(QUERY_SEGMENT, '') };
}

function pathOf(target: string): string {
  const mark = target.indexOf('?');
  return mark < 0 ? target : target.slice(0, mark);
}

/**
 * The request without the query parameter that may hold a credential, so that no link repeats it. Who asks is
 * known by then: the requests of a batch are made by whoever sent the batch (Part 1, 11.7).
 */
function withoutCredential(request: BudgetedRequest, parameter: string | undefined): BudgetedRequest {
  const taken = parameter === undefined ? undefined : takeParameter(request.target, parameter);
  return taken === undefined ? request : { ...request, target: taken.target };
}

/** The Isolation header field (Part 1, 8.2.6), which 4.0 has with a prefix: what it asks for is not to be had. */
function assertNoIsolation({ headers }: Pick<BudgetedRequest, 'headers'>): void {
  if (headers['isolation'] === undefined && headers['odata-isolation'] === undefined) return;
  const message = 'Isolation: the upstream has no snapshots of its data.';
  throw new GatewayError('PreconditionFailed', message, { target: 'Isolation' });
}

/**
 * Whether a HEAD asks for a security token and for nothing of the resource. There are no such tokens: requests
 * with a cookie are known by their origin.
 */
function isTokenFetch({ bodiless, headers }: Pick<BudgetedRequest, 'bodiless' | 'headers'>): boolean {
  return bodiless === true && headers['x-csrf-token']?.toLowerCase() === 'fetch';
}

/** Clients take no token for one that is not needed. The upstream is not asked. */
function tokenAnswer(version: ODataVersion): WholeResponse {
  return {
    status: 200,
    headers: { 'odata-version': version, 'cache-control': 'no-store' },
    body: undefined,
  };
}
