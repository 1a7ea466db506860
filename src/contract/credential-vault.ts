import type { Secret } from '../core/secret.ts';

/**
 * Where credentials of upstreams are kept, encrypted, beside the accounts.
 *
 * Fails with AccountsUnavailable where the accounts cannot be reached.
 */
export interface CredentialVault {
  /**
   * Does the work with what is kept under a name while nobody else does so, in this gateway or in another one on
   * the same accounts: a token that is good for one use is used by one.
   */
  withText<Result>(name: string, work: (kept: StoredSecret) => Promise<Result>): Promise<Result>;
  /** The key that a user has stored for an API; undefined where there is none. */
  keyOf(user: string, api: string): Promise<Secret | undefined>;
}

export interface StoredSecret {
  /** Undefined where there is none, or none that can be decrypted any more. */
  readonly text: Secret | undefined;
  replace(text: Secret): Promise<void>;
}
