import { DEFAULT_REQUEST_LIMITS, type LimitsOf, REQUEST_LIMITS } from '../../contract/request-limits.ts';

/** How much a URL may ask for. Everything is counted while it is parsed, and before any recursion. */
export type UrlLimits = LimitsOf<'url'>;

export const DEFAULT_URL_LIMITS: UrlLimits = DEFAULT_REQUEST_LIMITS.url;

/** What a limit is called: errors name it, for whoever may move it. */
export function limitName(limit: keyof UrlLimits): string {
  return REQUEST_LIMITS.url[limit].variable;
}
