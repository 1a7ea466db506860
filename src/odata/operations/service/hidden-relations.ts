import { LRUCache } from 'lru-cache';
import type { BudgetedRequest } from '../../../contract/exchange.ts';
import { createAnswerMemory } from '../../../contract/exchange.ts';
import { GatewayError } from '../../../contract/gateway-error.ts';
import { hidesRelations } from '../../../model/hidden-relations.ts';
import type { Model } from '../../../model/model.ts';
import { parseRequestTarget } from '../../url/request-target.ts';
import type { RequestHandler, Service } from './service.ts';

type Prepare = (service: Service, request: BudgetedRequest) => RequestHandler;

/** The handlers, or mistakes, of requests with a visible model, by method and target. */
type Known = LRUCache<string, { readonly handler?: RequestHandler; readonly mistake?: GatewayError }>;

const REMEMBERED_URLS = 500;

/**
 * Prepares requests of principals who may not view the entities that some relations lead to: for them, these relations have
 * unknown names, in paths, options and bodies alike. Returns undefined for all other requests.
 */
export function relationGuard(
  service: Service,
  prepare: Prepare,
): (request: BudgetedRequest) => RequestHandler | undefined {
  const known = new WeakMap<Model, Known>();
  return (request) => {
    const seen = service.visibleTo(request.principal);
    if (!hidesRelations(service.model, seen)) return undefined;
    const outcomes: Known = known.get(seen) ?? new LRUCache({ max: REMEMBERED_URLS });
    known.set(seen, outcomes);
    const name = `${request.method} ${request.target}`;
    const outcome = outcomes.get(name) ?? tried(service, seen, request, prepare);
    outcomes.set(name, outcome);
    if (outcome.mistake !== undefined) throw outcome.mistake;
    return request.method === 'GET' ? undefined : outcome.handler;
  };
}

function tried(service: Service, seen: Model, request: BudgetedRequest, prepare: Prepare) {
  if (!isOfReadableSet(service, seen, request)) return {};
  const part = { ...service, model: seen, readableTo: () => seen, answers: createAnswerMemory(0) };
  try {
    return { handler: prepare(part, request) };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return error.code === 'BadRequest' || error.code === 'NotFound' ? { mistake: error } : {};
  }
}

/** Whether the path begins with a set or a singleton that the principal may view: others are refused as such. */
function isOfReadableSet({ limits }: Service, seen: Model, { target }: BudgetedRequest): boolean {
  try {
    const { path } = parseRequestTarget(target, { ...limits.url, length: Number.POSITIVE_INFINITY });
    const [first] = path.kind === 'resource' ? path.segments : [];
    if (first?.kind !== 'name') return false;
    const set = seen.entitySets.get(first.name);
    return seen.singletons.has(first.name) || set?.list !== undefined || set?.read !== undefined;
  } catch (error) {
    // Errors of the request are reported by its handler.
    if (error instanceof GatewayError) return false;
    throw error;
  }
}
