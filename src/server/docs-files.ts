import { createHash } from 'node:crypto';
import { type GatewayRequest, type GatewayResponse, pathOf } from '../contract/exchange.ts';
import { answerWithFile } from '../contract/static-file.ts';
import { assertGet } from './health.ts';
import type { HandlerRoute } from './route.ts';
import { notBuilt, type SiteFiles, type SiteOptions, siteFiles } from './site-files.ts';

/** The path that the pages are built for. Where they are served, it is replaced by the path that they are reached at. */
export const DOCS_BASE = '/__docs__/';

const NOT_FOUND = '404.html';

/** `/docs`: the documentation, for everybody. */
export function docsRoute({ directory, basePath }: SiteOptions): HandlerRoute {
  const files = siteFiles({
    directory,
    isBuilt: (names) => names.has(NOT_FOUND),
    assets: 'assets/',
    adapt: (text) => text.replaceAll(DOCS_BASE, basePath),
    policyOf,
  });
  return {
    path: '/docs',
    open: true,
    handler: async (request) => {
      assertGet(request);
      const path = pathOf(request.target);
      // The pages find each other below a path that ends in a slash.
      if (path === '') return { status: 308, headers: { location: basePath }, body: undefined };
      return (await pageAt(files, path, request)) ?? notBuilt('The documentation has', 'it');
    },
  };
}

/** A path that no page has is answered with the page that says so. */
async function pageAt(
  files: SiteFiles,
  path: string,
  request: GatewayRequest,
): Promise<GatewayResponse | undefined> {
  for (const name of namesOf(path)) {
    const file = await files.find(name);
    if (file !== undefined) return answerWithFile(file, request);
  }
  const page = await files.find(NOT_FOUND);
  return page && { ...answerWithFile(page, request), status: 404 };
}

/** The files that a path may mean: pages are linked to without `.html`. */
function namesOf(path: string): readonly string[] {
  const name = path.slice(1);
  return name === '' || name.endsWith('/') ? [`${name}index.html`] : [name, `${name}.html`];
}

const SCRIPT_IN_PAGE = /<script(?![^>]* src=)[^>]*>(.*?)<\/script>/gs;

/**
 * Files of this server, the pictures within its style sheets, and the scripts that stand in the page itself: they put
 * on the dark colours before anything is shown.
 */
function policyOf(page: string): string {
  const scripts = [...page.matchAll(SCRIPT_IN_PAGE)].map(
    ([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  );
  return [
    "default-src 'none'",
    ["script-src 'self'", ...scripts].join(' '),
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join(';');
}
