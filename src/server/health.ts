import { type GatewayRequest, type GatewayResponse, pathOf } from '../contract/exchange.ts';
import { GatewayError, methodNotAllowed } from '../contract/gateway-error.ts';
import { jsonResponse } from './json-response.ts';
import type { HandlerRoute } from './route.ts';

/** The state of the service; `degraded` if only requests of users that are known already can be served. */
export type Readiness = 'ready' | 'degraded' | 'not ready';

/** `/health/live`: the process answers. `/health/ready`: it wants requests, and can serve them. */
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

/** Answers all requests until the routes are there: a client would take a 404 for data that is gone. */
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

/** Throws MethodNotAllowed for anything but GET, which is also what HEAD comes as. */
export function assertGet({ method }: Pick<GatewayRequest, 'method'>): void {
  if (method === 'GET') return;
  throw methodNotAllowed('GET, HEAD');
}
