import { type GatewayRequest, type GatewayResponse, pathOf } from '../contract/exchange.ts';
import { GatewayError, methodNotAllowed } from '../contract/gateway-error.ts';
import { jsonResponse } from './json-response.ts';
import type { HandlerRoute } from './route.ts';

/** The state of the service; `degraded` if it can serve only users who are cached. */
export type Readiness = 'ready' | 'degraded' | 'not ready';

/** `/health/live`: the process responds. `/health/ready`: it can serve requests and accepts new ones. */
export function healthRoute(
  readiness: () => Readiness | Promise<Readiness>,
  isStopping: () => boolean,
): HandlerRoute {
  const states: Readonly<Record<string, () => Promise<GatewayResponse>>> = {
    '/live': async () => jsonResponse(200, { status: 'live' }),
    '/ready': async () => {
      if (isStopping()) return jsonResponse(503, { status: 'stopping' });
      const status = await readiness();
      return jsonResponse(status === 'not ready' ? 503 : 200, { status });
    },
  };
  return {
    path: '/health',
    open: true,
    handler: async (request) => {
      const path = pathOf(request.target);
      const answer = Object.hasOwn(states, path) ? states[path] : undefined;
      if (answer === undefined) throw notFound();
      assertGet(request);
      return answer();
    },
  };
}

/**
 * Responds to all requests until the routes exist, because clients could take a 404 as a sign of deleted
 * data.
 */
export const STARTING_ROUTE: HandlerRoute = {
  path: '',
  open: true,
  handler: async () => {
    throw new GatewayError('Starting', 'The gateway is starting: repeat the request in a moment.', {
      headers: { 'retry-after': '1' },
    });
  },
};

export function notFound(): GatewayError {
  return new GatewayError('NotFound', 'There is nothing at this path. What is served is listed at /.');
}

/** Throws MethodNotAllowed unless the method is GET; HEAD is converted to GET. */
export function assertGet({ method }: Pick<GatewayRequest, 'method'>): void {
  if (method === 'GET') return;
  throw methodNotAllowed('GET, HEAD');
}
