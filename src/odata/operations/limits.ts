import { DEFAULT_QUERY_LIMITS, type QueryLimits } from '../query/scope.ts';
import { DEFAULT_URL_LIMITS, type UrlLimits } from '../url/limits.ts';

/** How much a request may ask for. */
export interface Limits {
  /** Of what is written in a URL; counted while it is parsed. */
  readonly url: UrlLimits;
  /** Of what it comes to where aliases and computed properties are used again and again. */
  readonly query: QueryLimits;
}

export type LimitOptions = { readonly [Part in keyof Limits]?: Partial<Limits[Part]> };

/** The limits with the defaults of those that are left out. */
export function limitsOf({ url, query }: LimitOptions = {}): Limits {
  return {
    url: { ...DEFAULT_URL_LIMITS, ...url },
    query: { ...DEFAULT_QUERY_LIMITS, ...query },
  };
}
