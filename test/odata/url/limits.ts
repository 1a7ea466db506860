import { DEFAULT_URL_LIMITS, type UrlLimits } from '../../../src/odata/url/lexer.ts';

/** For cases that are about grammar, not about limits. */
export const GENEROUS_LIMITS: UrlLimits = { ...DEFAULT_URL_LIMITS, expandDepth: 3, lambdaDepth: 3 };
