import type { QueryLimits } from '../query/bind/scope.ts';
import { DEFAULT_URL_LIMITS, type UrlLimits } from '../url/limits.ts';

/** How much a request may ask for. */
export interface Limits {
  /** Of what is written in a URL; counted while it is parsed. */
  readonly url: UrlLimits;
  /** Of what it comes to where aliases and computed properties are used again and again. */
  readonly query: QueryLimits;
  /** Of what the answers to the requests of one batch come to. */
  readonly batch: BatchLimits;
}

export interface BatchLimits {
  /** Answers are held until all of them are there: so many bytes, and what the last one is more. */
  readonly answerBytes: number;
}

const ANSWER_BYTES = 64 * 1024 * 1024;

export type LimitOptions = { readonly [Part in keyof Limits]?: Partial<Limits[Part]> };

/** A second or two. */
const ITEMS = 20_000_000;

/** A query may come to so many times what one of its options may be. */
const USES = 10;

/** The limits with the defaults of those that are left out. */
export function limitsOf(options: LimitOptions = {}): Limits {
  const url = { ...DEFAULT_URL_LIMITS, ...options.url };
  return {
    url,
    query: { nodes: USES * url.nodes, items: ITEMS, ...options.query },
    batch: { answerBytes: ANSWER_BYTES, ...options.batch },
  };
}
