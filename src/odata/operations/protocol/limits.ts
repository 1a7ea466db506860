import { DEFAULT_REQUEST_LIMITS, type LimitsOf } from '../../../contract/request-limits.ts';
import type { QueryLimits } from '../../../engine/scope/scope.ts';

/** How much a request may ask for. */
export interface Limits {
  /** Of what is written in a URL; counted while it is parsed. */
  readonly url: LimitsOf<'url'>;
  /** Of what it comes to where aliases and computed properties are used again and again. */
  readonly query: QueryLimits;
  /** Of what the request comes to, all parts of a batch together. */
  readonly budget: LimitsOf<'budget'>;
  readonly batch: LimitsOf<'batch'>;
}

export type LimitOptions = { readonly [Part in keyof Limits]?: Partial<Limits[Part]> };

/** A query may come to so many times what one of its options may be. */
const USES = 10;

/** The limits with the defaults of those that are left out. */
export function limitsOf(options: LimitOptions = {}): Limits {
  const { url, budget, batch } = DEFAULT_REQUEST_LIMITS;
  const limits = {
    url: { ...url, ...options.url },
    budget: { ...budget, ...options.budget },
    batch: { ...batch, ...options.batch },
  };
  return { ...limits, query: { nodes: USES * limits.url.nodes, budget: limits.budget, ...options.query } };
}
