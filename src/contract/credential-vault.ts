import type { Secret } from '../core/secret.ts';

/**
 * Stores credentials of upstreams, encrypted, with the accounts.
 *
 * Throws AccountsUnavailable if the accounts cannot be reached.
 */
export interface CredentialVault {
  /**
   * Runs the work with the text stored under a name, and excludes other such work in all gateways on the same
   * accounts, so that a token for one use is used once.
   */
  withText<Result>(name: string, work: (kept: StoredSecret) => Promise<Result>): Promise<Result>;
  /** The key that a user has stored for an API, if any. */
  keyOf(user: string, api: string): Promise<Secret | undefined>;
}

export interface StoredSecret {
  /** Undefined if there is no text, or if it cannot be decrypted any more. */
  readonly text: Secret | undefined;
  replace(text: Secret): Promise<void>;
}
