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

/** What `/` tells a user. */
export type LandingOf = (principal: Principal) => Landing;

/**
 * `/`, as JSON to programs and as a page of the screens to browsers, and the answer to every path that no
 * other part serves. Only the JSON depends on who asks.
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

// Browsers name text/html first; a program that says nothing, or anything, gets JSON.
function prefersHtml({ headers: { accept = '' } }: GatewayRequest): boolean {
  const html = accept.search(/text\/html/i);
  const json = accept.search(/application\/json/i);
  return html >= 0 && (json < 0 || html < json);
}

function varying(response: GatewayResponse): GatewayResponse {
  const vary = [response.headers['vary'], 'accept'].filter((name) => name !== undefined).join(', ');
  return { ...response, headers: { ...response.headers, vary } };
}
