import { LRUCache } from 'lru-cache';
import { createAnswerMemory } from '../../contract/answer-memory.ts';
import type { BudgetedRequest } from '../../contract/exchange.ts';
import { bindTarget } from './bind/bind-target.ts';
import { permittedRead } from './bind/permitted-read.ts';
import { methodHandlers } from './method-handlers.ts';
import { isQueryInBody } from './protocol/query-in-body.ts';
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
