import { type GatewayRequest, type GatewayResponse, pathOf } from '../contract/exchange.ts';
import { GatewayError, methodNotAllowed } from '../contract/gateway-error.ts';
import { jsonResponse } from './json-response.ts';
import type { HandlerRoute } from './route.ts';

/** `/health/live`: the process answers. `/health/ready`: it wants requests, and can serve them. */
export function healthRoute(
  isReady: () => boolean | Promise<boolean>,
  isStopping: () => boolean,
): HandlerRoute {
  const states: Readonly<Record<string, () => Promise<GatewayResponse>>> = {
    '/live': async () => jsonResponse(200, { status: 'live' }),
    '/ready': async () => {
      if (isStopping()) return jsonResponse(503, { status: 'stopping' });
      return (await isReady())
        ? jsonResponse(200, { status: 'ready' })
        : jsonResponse(503, { status: 'not ready' });
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

export function notFound(): GatewayError {
  return new GatewayError('NotFound', 'There is nothing at this path. What is served is listed at /.');
}

/** Throws MethodNotAllowed for anything but GET, which is also what HEAD comes as. */
export function assertGet({ method }: Pick<GatewayRequest, 'method'>): void {
  if (method === 'GET') return;
  throw methodNotAllowed('GET, HEAD');
}
