import { LRUCache } from 'lru-cache';
import { createAnswerMemory } from '../../contract/answer-memory.ts';
import type { BudgetedRequest, GatewayResponse, WholeResponse } from '../../contract/exchange.ts';
import { GatewayError, signInRequired } from '../../contract/gateway-error.ts';
import { takeParameter } from '../../contract/query-parameter.ts';
import { assertNoCoding } from '../payload/negotiation/media-content.ts';
import { parseMediaRange } from '../payload/negotiation/media-range.ts';
import { type ODataVersion, responseVersion } from '../payload/negotiation/version.ts';
import type { UrlLimits } from '../url/cursor.ts';
import { formBlanks, withoutFormBlanks } from '../url/query-options.ts';
import { bindTarget, permittedRead } from './bind/bind-target.ts';
import { methodHandlers } from './method-handlers.ts';
import { methodNotAllowed, noContent } from './protocol/response.ts';
import { explainUnresolved } from './service/resolution-error.ts';
import type { RequestHandler, Service } from './service/service.ts';

/** How many URLs are remembered with what they were compiled to. */
const REMEMBERED_URLS = 1_000;

/**
 * A URL is parsed, bound and compiled once; what it was compiled to is used again. `asked` is the request as it
 * came: what it had in its body may be longer than a URL, and is not remembered then.
 */
export function operationFinder(
  service: Service,
): (request: BudgetedRequest, asked: BudgetedRequest) => RequestHandler {
  const prepared = new LRUCache<string, RequestHandler>({ max: REMEMBERED_URLS });
  return (request, asked) => {
    const isLong = request.target.length > service.limits.url.length;
    if (isLong && isQueryInBody(asked)) return prepareOperation(withLongQueries(service), request);
    if (service.readableTo(request.principal) !== service.model) return prepareOperation(service, request);
    const key = `${request.method} ${request.target}`;
    const known = prepared.get(key);
    if (known !== undefined) return known;
    const operation = prepareOperation(service, request);
    prepared.set(key, operation);
    return operation;
  };
}

/** A body is what a query is sent in that is too long for a URL (Part 1, 11.2.1.1); the other bounds are kept. */
function withLongQueries(service: Service): Service {
  const url = { ...service.limits.url, length: Number.POSITIVE_INFINITY };
  return { ...service, limits: { ...service.limits, url } };
}

/** What the method does with what the URL addresses; what cannot be done is MethodNotAllowed, OPTIONS says what can. */
export function prepareOperation(whole: Service, request: BudgetedRequest): RequestHandler {
  const service = readableService(whole, request);
  try {
    return prepareNamed(service, request);
  } catch (error) {
    throw explainUnresolved(service, request, error, prepareNamed);
  }
}

/** What is made of a part of the model is kept for nobody. */
function readableService(service: Service, { principal }: BudgetedRequest): Service {
  const model = service.readableTo(principal);
  return model === service.model ? service : { ...service, model, answers: NO_ANSWERS };
}

const NO_ANSWERS = createAnswerMemory(0);

function prepareNamed(service: Service, request: BudgetedRequest): RequestHandler {
  const { method, target } = request;
  const { resource, options } = bindTarget(service, target);
  const offered = methodHandlers(service, resource, options);
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

/** How the target of a request is read. */
interface TargetReading {
  readonly limits: UrlLimits;
  /** A query parameter that may hold a credential. */
  readonly credentialParameter: string | undefined;
}

/** Answers a request with the operation that is found for it; throws what is wrong with it. */
export async function dispatch(
  request: BudgetedRequest,
  { limits, credentialParameter }: TargetReading,
  find: (read: BudgetedRequest) => RequestHandler,
): Promise<GatewayResponse> {
  const version = responseVersion(request.headers);
  if (request.principal.kind === 'anonymous') throw signInRequired();
  assertNoIsolation(request);
  const written = withoutCredential(readOf(request), credentialParameter);
  const read = { ...written, target: withoutFormBlanks(written.target, limits) };
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
