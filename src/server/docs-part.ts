import type { GatewayResponse } from '../contract/exchange.ts';
import type { DocsFiles } from './docs-files.ts';
import { requireGet } from './health.ts';
import type { HandlerPart } from './part.ts';
import { pathOf } from './request-target.ts';

/** `/docs`: the documentation, for everybody. */
export function docsPart(files: DocsFiles, basePath: string): HandlerPart {
  return {
    path: '/docs',
    open: true,
    handler: async (request) => {
      requireGet(request);
      const path = pathOf(request.target);
      // The pages find each other below a path that ends in a slash.
      if (path === '') return { status: 308, headers: { location: basePath }, body: undefined };
      return (await files.answer(path, request)) ?? NOT_BUILT;
    },
  };
}

const NOT_BUILT: GatewayResponse = {
  status: 503,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  body: 'The documentation has not been built. To build it: npm run build\n',
};
