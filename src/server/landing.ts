import { type GatewayRequest, type GatewayResponse, pathOf } from '../contract/exchange.ts';
import type { Landing } from '../contract/landing.ts';
import type { Principal } from '../contract/principal.ts';
import { answerWithFile } from '../contract/static-file.ts';
import { assertGet, notFound } from './health.ts';
import { jsonResponse } from './json-response.ts';
import type { HandlerRoute } from './route.ts';
import type { Authenticate } from './route-dependencies.ts';
import type { SiteFiles } from './site-files.ts';
import { WEB_PAGE } from './web-files.ts';

export type LandingOf = (principal: Principal) => Landing;

/**
 * `/`: JSON for programs, a page of the screens for browsers, and the response for all unknown paths. Only
 * the JSON depends on the principal.
 */
export function landingRoute(
  landingOf: LandingOf,
  authenticate: Authenticate,
  files: SiteFiles | undefined,
): HandlerRoute {
  return {
    path: '',
    open: true,
    handler: async (request) => {
      if (pathOf(request.target) !== '/') throw notFound();
      assertGet(request);
      const page = prefersHtml(request) ? await files?.find(WEB_PAGE) : undefined;
      if (page !== undefined) return varying(answerWithFile(page, request));
      return varying(jsonResponse(200, landingOf(await authenticate(request))));
    },
  };
}

// Browsers list text/html first; programs without a preference get JSON.
function prefersHtml({ headers: { accept = '' } }: GatewayRequest): boolean {
  const html = accept.search(/text\/html/i);
  const json = accept.search(/application\/json/i);
  return html >= 0 && (json < 0 || html < json);
}

function varying(response: GatewayResponse): GatewayResponse {
  const vary = [response.headers['vary'], 'accept'].filter((name) => name !== undefined).join(', ');
  return { ...response, headers: { ...response.headers, vary } };
}
