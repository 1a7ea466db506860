import type { GatewayResponse } from '../contract/exchange.ts';
import { notFound, requireGet } from './health.ts';
import type { HandlerPart } from './part.ts';
import { isBelow, pathOf } from './request-target.ts';
import type { WebFiles } from './web-files.ts';

/** `/app`: the screens. Which of them an address means is theirs to know. */
export function webPart(files: WebFiles): HandlerPart {
  return {
    path: '/app',
    open: true,
    handler: async (request) => {
      requireGet(request);
      const page = await files.page(request);
      if (page === undefined) return NOT_BUILT;
      if (!isBelow('/assets', request.target)) return page;
      const asset = await files.asset(pathOf(request.target), request);
      if (asset === undefined) throw notFound();
      return asset;
    },
  };
}

const NOT_BUILT: GatewayResponse = {
  status: 503,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  body: 'The web screens have not been built. To build them: npm run build\n',
};
