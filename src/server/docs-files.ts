import { createHash } from 'node:crypto';
import { type GatewayRequest, type GatewayResponse, pathOf } from '../contract/exchange.ts';
import { answerWithFile } from '../contract/static-file.ts';
import { assertGet } from './health.ts';
import type { HandlerRoute } from './route.ts';
import { notBuilt, type SiteFiles, type SiteOptions, siteFiles } from './site-files.ts';

/** The path that the pages are built for; replaced by the actual path when they are served. */
export const DOCS_BASE = '/__docs__/';

const NOT_FOUND = '404.html';

/** `/docs`: the documentation, without access control. */
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
      // Relative links between the pages require a trailing slash.
      if (path === '') return { status: 308, headers: { location: basePath }, body: undefined };
      return (await pageAt(files, path, request)) ?? notBuilt('The documentation has', 'it');
    },
  };
}

/** The page at a path; for an unknown path, the 404 page. */
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

/** The files that a path may refer to: links omit `.html`. */
function namesOf(path: string): readonly string[] {
  const name = path.slice(1);
  return name === '' || name.endsWith('/') ? [`${name}index.html`] : [name, `${name}.html`];
}

const SCRIPT_IN_PAGE = /<script(?![^>]* src=)[^>]*>(.*?)<\/script>/gs;

/**
 * Allows files of this server, images in its style sheets, and the inline scripts of the page, which set the
 * dark theme before the first paint.
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
