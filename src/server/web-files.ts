import { pathOf } from '../contract/exchange.ts';
import { answerWithFile } from '../contract/static-file.ts';
import { assertGet, notFound } from './health.ts';
import { isBelow } from './http-message.ts';
import type { HandlerRoute } from './route.ts';
import { notBuilt, type SiteFiles, type SiteOptions, siteFiles } from './site-files.ts';

export const WEB_PAGE = 'index.html';

const ASSETS = 'app/assets/';

/** The screens may load files of this server and nothing else. The page's `<base>` is on this server, too. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join(';');

export function webFiles({ directory, basePath }: SiteOptions): SiteFiles {
  return siteFiles({
    directory,
    isBuilt: (names) => names.has(WEB_PAGE) && [...names].some((name) => name.startsWith(ASSETS)),
    assets: ASSETS,
    adapt: (text, name) =>
      name === WEB_PAGE ? text.replace('<base href="/">', `<base href="${basePath}">`) : text,
    policyOf: () => CONTENT_SECURITY_POLICY,
  });
}

/** `/app`: one page for all screens, which select by the address themselves. */
export function webRoute(files: SiteFiles): HandlerRoute {
  return {
    path: '/app',
    open: true,
    handler: async (request) => {
      assertGet(request);
      const page = await files.find(WEB_PAGE);
      if (page === undefined) return notBuilt('The web screens have', 'them');
      if (!isBelow('/assets', request.target)) return answerWithFile(page, request);
      const asset = await files.find(`app${pathOf(request.target)}`);
      if (asset === undefined) throw notFound();
      return answerWithFile(asset, request);
    },
  };
}
