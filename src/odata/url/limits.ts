import { DEFAULT_REQUEST_LIMITS, type LimitsOf } from '../../contract/request-limits.ts';

/** How much a URL may ask for. Everything is counted while it is parsed, and before any recursion. */
export type UrlLimits = LimitsOf<'url'>;

export const DEFAULT_URL_LIMITS: UrlLimits = DEFAULT_REQUEST_LIMITS.url;
