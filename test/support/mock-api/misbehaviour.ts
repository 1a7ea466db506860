/** Undocumented behaviour of an API. */
export interface Misbehaviour {
  /** Lists are paged regardless of the document, with only this indicator. */
  readonly undocumented?: 'link header' | 'has_more' | 'total' | 'next';
  /** No page has more rows than that, whatever the document allows and the request wants. */
  readonly largestPage?: number;
  /** Each so many-th request of a page is answered with 429. */
  readonly busyEvery?: number;
  /** The `Retry-After` of such an answer; 0 where nothing is said. */
  readonly retryAfter?: string;
  /** The origin of next-page URLs. */
  readonly nextOrigin?: string;
  /** Pages do not end: there are always more rows, or a page leads to itself. */
  readonly endless?: 'rows' | 'circle';
  /** Parameters with the names of properties filter, some of them otherwise than they say. */
  readonly filters?: 'some lie';
  /** Answers wait for it. */
  readonly hold?: (url: URL) => Promise<void>;
}
