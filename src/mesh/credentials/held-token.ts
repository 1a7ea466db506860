import type { AccessToken } from './access-token.ts';
import { TokenRefusal } from './token-fault.ts';

export interface HeldTokenOptions {
  /** Gets another token. `refused` is one that the upstream has not taken. */
  readonly get: (refused: AccessToken | undefined) => Promise<AccessToken>;
  /** Told why a token could not be renewed while the one before it is still good. */
  readonly onLate: (error: unknown) => void;
}

/** How long a refusal stands: nothing that the gateway sends would be different. */
const REFUSAL_MS = 5_000;

/** The least time between two tokens that are got because the upstream refused one: it may refuse them all. */
const RENEWAL_MS = 10_000;

/** One token, renewed as it is used. Whoever needs another one meanwhile waits for the same answer. */
export class HeldToken {
  readonly #options: HeldTokenOptions;
  #token: AccessToken | undefined;
  #getting: Promise<AccessToken> | undefined;
  #refusal: { readonly error: unknown; readonly until: number } | undefined;
  #renewedAt = Number.NEGATIVE_INFINITY;

  constructor(options: HeldTokenOptions) {
    this.#options = options;
  }

  /** A token that is good by its date. */
  current(): AccessToken | Promise<AccessToken> {
    const token = this.#token;
    const now = Date.now();
    if (token === undefined || token.expiresAt <= now) return this.#next(undefined);
    // Nobody waits for it, and whoever is to know of a failure is told.
    if (token.renewAt <= now) this.#next(undefined).catch(() => undefined);
    return token;
  }

  /** Another token than the one that the upstream has refused; undefined where none is to be had so soon. */
  async instead(refused: AccessToken): Promise<AccessToken | undefined> {
    const token = this.#token;
    if (token !== undefined && token !== refused) return token;
    if (performance.now() - this.#renewedAt < RENEWAL_MS && this.#getting === undefined) return undefined;
    this.#renewedAt = performance.now();
    return this.#next(refused);
  }

  /** Resolves when none is being got any more. */
  async settled(): Promise<void> {
    await this.#getting?.catch(() => undefined);
  }

  #next(refused: AccessToken | undefined): Promise<AccessToken> {
    if (this.#refusal !== undefined && performance.now() < this.#refusal.until) {
      return Promise.reject(this.#refusal.error);
    }
    this.#getting ??= this.#get(refused).finally(() => {
      this.#getting = undefined;
    });
    return this.#getting;
  }

  async #get(refused: AccessToken | undefined): Promise<AccessToken> {
    try {
      this.#token = await this.#options.get(refused);
      return this.#token;
    } catch (error) {
      const isRefusal = error instanceof Error && error.cause instanceof TokenRefusal;
      if (isRefusal) this.#refusal = { error, until: performance.now() + REFUSAL_MS };
      if (refused === undefined && this.#token !== undefined) this.#options.onLate(error);
      throw error;
    }
  }
}
