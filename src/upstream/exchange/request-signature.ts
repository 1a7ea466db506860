/** A request that is about to be sent, as a scheme that signs requests reads it. */
export interface UnsignedRequest {
  readonly method: string;
  /** Scheme, host and port. */
  readonly origin: string;
  /** Path and query, percent-encoded. */
  readonly path: string;
  /** Alternating names and values, without those that the connection adds, such as `host`. */
  readonly headers: readonly string[];
  /** Undefined without a body, and for a body that is streamed. */
  readonly body: Uint8Array | string | undefined;
  readonly isStreamed: boolean;
}

/** The additions to a request that is signed. */
export interface RequestSignature {
  /** Replace header fields of the same names. Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Signs one request. It is called each time that the request is sent, so that a repeated call has a signature of its
 * own. It must not throw.
 */
export type SignRequest = (request: UnsignedRequest) => RequestSignature;

/** The header fields with some replaced or added, as alternating names and values. */
export function withHeaders(
  list: readonly string[],
  headers: Readonly<Record<string, string>>,
): readonly string[] {
  const others = list.filter((_, at) => !Object.hasOwn(headers, list[at - (at % 2)]?.toLowerCase() ?? ''));
  return [...others, ...Object.entries(headers).flat()];
}

/** The value of a header field in a list of alternating names and values; several are joined (RFC 9110, 5.3). */
export function headerIn(list: readonly string[], name: string): string | undefined {
  const values = list.filter((_, at) => at % 2 === 1 && list[at - 1]?.toLowerCase() === name);
  return values.length === 0 ? undefined : values.map((value) => value.trim()).join(', ');
}
