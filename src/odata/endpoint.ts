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
import { relationGuard } from './operations/service/hidden-relations.ts';
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
  /** The part of the model that the principal may see. Default: all of it. */
  readonly visibleTo?: ((principal: Principal) => Model) | undefined;
  /** The model without values that the principal may not see. Default: all of it. */
  readonly readableTo?: ((principal: Principal) => Model) | undefined;
  /** The entities, guarded by the permissions of the caller. */
  readonly source: EntitySource;
  /** Remembers which list parameters work as described; without it, only declared ones are used. */
  readonly trust?: ParameterTrust | undefined;
  /** Guards another source with the permissions of the caller, for the rehearsal of a change set. */
  readonly guard?: (source: EntitySource) => EntitySource;
  /** The public URL of the service root, such as `https://api.example.com/odata`. */
  readonly root: string;
  /** The base URL of the vocabularies that `$metadata` references; those of OASIS by default. */
  readonly vocabularies?: string | undefined;
  /** Maximum bytes of cached responses; 0 disables the cache. */
  readonly answerMemoryBytes: number;
  /** The key that signs tokens in next links, shared by all instances; random by default. */
  readonly signingKey?: string | undefined;
  /** A query parameter that may hold an API key; no returned URL contains it. */
  readonly credentialParameter?: string | undefined;
  /** Limits that differ from the defaults. */
  readonly limits?: LimitOptions;
  /** Stores asynchronous responses across replaced endpoints; private by default. */
  readonly deferred?: DeferredAnswers;
  /** Log for internal errors that fail one request of a batch. */
  readonly log?: Log;
}

/** Answers OData requests, and decides which may have a streamed body. */
interface ODataEndpoint {
  (request: GatewayRequest): Promise<GatewayResponse>;
  takesUpload(request: GatewayRequest): boolean;
  /**
   * Resolves when no asynchronous request is running; those that take longer than `grace` milliseconds are
   * cancelled. Called after the last request.
   */
  finish(grace: number): Promise<void>;
}

/** Creates the handler for OData requests; targets are relative to the service root. */
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
      ? respondLater({ ...request, mayBreakOff: false }, { deferred, budgets, root }, answer)
      : answer({ ...request, budget: new RequestBudget(limits.budget, request.signal) });
  };
  return Object.assign(endpoint, {
    takesUpload: (request: GatewayRequest) => takesUpload(service, withTunnelledMethod(request)),
    finish: deferred.finish,
  });
}

/** Uploads are never asynchronous, because their body ends with the connection. */
function isAnsweredLater({ headers: { prefer }, upload }: GatewayRequest): boolean {
  return upload === undefined && prefer !== undefined && prefersLater(prefer);
}

/** Stores asynchronous responses for successive endpoints. */
export function openDeferredAnswers(log?: Log): DeferredAnswers {
  return createDeferredAnswers(DEFERRED_LIMITS, log);
}

export { LONG_QUERIES } from './url/request-target.ts';

/** An error from outside the endpoint, in OData's format. */
export function writeODataError(
  error: GatewayError,
  request: Pick<GatewayRequest, 'headers'>,
): GatewayResponse {
  return errorResponse(error, request.headers);
}

/** Maximum number of URLs whose compiled operation is cached. */
const REMEMBERED_URLS = 1_000;

/**
 * Parses, binds and compiles each URL once and caches the result. `asked` is the request as received: long
 * queries from a body are not cached. `monitorOf` handles the URL of a status monitor, which is not a
 * resource of the model.
 */
function operationFinder(
  service: Service,
  monitorOf: (request: BudgetedRequest) => RequestHandler | undefined,
): (request: BudgetedRequest, asked: BudgetedRequest) => RequestHandler {
  const prepare = (of: Service, request: BudgetedRequest) =>
    monitorOf(request) ?? prepareOperation(of, request);
  const prepared = new LRUCache<string, RequestHandler>({ max: REMEMBERED_URLS });
  const types = [...service.model.entityTypes.values()];
  const hasRelations = types.some(({ navigationProperties }) => navigationProperties.size > 0);
  const withoutHidden = hasRelations ? relationGuard(service, prepare) : undefined;
  return (request, asked) => {
    const own = withoutHidden?.(request);
    if (own !== undefined) return own;
    const isLong = request.target.length > service.limits.url.length;
    if (isLong && isQueryInBody(asked)) return prepare(withLongQueries(service), request);
    if (service.readableTo(request.principal) !== service.model) return prepare(service, request);
    const key = `${request.method} ${request.target}`;
    return madeOnce(prepared, key, () => prepare(service, request));
  };
}

/** A query in a body may be longer than a URL (Part 1, 11.2.1.1); the other limits still apply. */
function withLongQueries(service: Service): Service {
  const url = { ...service.limits.url, length: Number.POSITIVE_INFINITY };
  return { ...service, limits: { ...service.limits, url } };
}

/** The limits for parsing the target of a request. */
interface TargetReading {
  readonly limits: UrlLimits;
  readonly credentialParameter: string | undefined;
}

/** Runs the operation of a request; throws its errors. */
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
  if (isTokenFetch(read)) return tokenAnswer(version);
  // A batch hands on what it was sent with: each of its requests is one of its own.
  const isFresh = read.method !== 'GET';
  return operation(isFresh === (read.isFresh ?? false) ? read : { ...read, isFresh }, version);
}

/** Turns a query in the body of a POST into a GET; other methods are rejected. */
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

/** Whether the path ends with `/$query` (Part 1, 11.2.1.1). */
function isQueryInBody({ target }: Pick<BudgetedRequest, 'target'>): boolean {
  return QUERY_SEGMENT.test(pathOf(target));
}

/** The equivalent GET: the body is appended to the query of the URL. */
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

/** Encodes characters of a body that URLs, such as next links, cannot contain (RFC 3986, 3.4). */
function encodedForUrl(options: string): string {
  return options.replace(NOT_IN_QUERIES, encodeURIComponent);
}

const NOT_IN_QUERIES = /[^\w!$%&'()*+,\-./:;=?@~]/gu;

/** The request for the resource itself, without its query. */
function queriedResource(request: BudgetedRequest): BudgetedRequest {
  return { ...request, method: 'GET', target: pathOf(request.target).replace(QUERY_SEGMENT, '') };
}

function pathOf(target: string): string {
  const mark = target.indexOf('?');
  return mark < 0 ? target : target.slice(0, mark);
}

/**
 * The request without the API key parameter, so that no link repeats it. The principal is known by now, and a
 * batch shares the one of its sender (Part 1, 11.7).
 */
function withoutCredential(request: BudgetedRequest, parameter: string | undefined): BudgetedRequest {
  const taken = parameter === undefined ? undefined : takeParameter(request.target, parameter);
  return taken === undefined ? request : { ...request, target: taken.target };
}

/**
 * Rejects the Isolation header field (Part 1, 8.2.6), which 4.0 has with a prefix: snapshot isolation is not
 * supported.
 */
function assertNoIsolation({ headers }: Pick<BudgetedRequest, 'headers'>): void {
  if (headers['isolation'] === undefined && headers['odata-isolation'] === undefined) return;
  const message = 'Isolation: the upstream has no snapshots of its data.';
  throw new GatewayError('PreconditionFailed', message, { target: 'Isolation' });
}

/**
 * Whether a HEAD request only fetches a CSRF token. The gateway has no such tokens: it checks the origin of
 * requests with a cookie.
 */
function isTokenFetch({ bodiless, headers }: Pick<BudgetedRequest, 'bodiless' | 'headers'>): boolean {
  return bodiless === true && headers['x-csrf-token']?.toLowerCase() === 'fetch';
}

/** States that no CSRF token is required, without a call of the upstream. */
function tokenAnswer(version: ODataVersion): WholeResponse {
  return {
    status: 200,
    headers: { 'odata-version': version, 'cache-control': 'no-store' },
    body: undefined,
  };
}
