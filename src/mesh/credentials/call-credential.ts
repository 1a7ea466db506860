import type { CallContext } from '../../contract/exchange.ts';

/** What one call is let in by. */
export interface CallCredential {
  /** They win over all others. Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Added to the query; percent-encoded, empty for nothing. */
  readonly query: string;
  /** Whose answers they are: those of one owner are given to no other. Empty where they are everybody's. */
  readonly owner: string;
  /** Another credential in the place of this one, which the upstream has refused; undefined where there is none. */
  readonly instead?: () => Promise<CallCredential | undefined>;
}

/**
 * Finds what lets a call in. Throws Unauthorized or Forbidden where who calls has nothing that does, and the
 * failure of an authorization server otherwise.
 */
export type FindCredential = (call: CallContext) => CallCredential | Promise<CallCredential>;

/** A bearer token (RFC 6750, 2.1) as a credential. */
export function bearerHeaders(token: string): CallCredential['headers'] {
  return { authorization: `Bearer ${token}` };
}
