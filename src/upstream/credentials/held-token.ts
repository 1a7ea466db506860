import { hash } from 'node:crypto';
import type { CredentialVault, StoredSecret } from '../../contract/credential-vault.ts';
import type { RefreshTokenCredential } from '../../contract/source-credential.ts';
import { Secret } from '../../core/secret.ts';
import { type AccessToken, type TokenEndpoint, TokenRefusal } from './token-endpoint.ts';
import { bearerHeaders, type CallCredential } from './upstream-access.ts';

export interface HeldTokenOptions {
  /** Gets another token. `refused` is one that the upstream has not taken. */
  readonly get: (refused: AccessToken | undefined) => Promise<AccessToken>;
  /** Called with the error if a token cannot be renewed while the previous one is valid. */
  readonly onLate: (error: unknown) => void;
}

/** Time that a rejection is cached, because a retry would send the same. */
const REFUSAL_MS = 5_000;

/**
 * The least time between two tokens that are got because the upstream refused one, for as long as it refuses the new
 * ones as well. It doubles each time, up to the most.
 */
const LEAST_RENEWAL_MS = 5_000;
const MOST_RENEWAL_MS = 60_000;

/** One token that is renewed while it is used. Concurrent requests share one renewal. */
export class HeldToken {
  readonly #options: HeldTokenOptions;
  #token: AccessToken | undefined;
  #getting: Promise<AccessToken> | undefined;
  #refusal: { readonly error: unknown; readonly until: number } | undefined;
  #renewedAt = Number.NEGATIVE_INFINITY;
  #renewalPause = 0;

  constructor(options: HeldTokenOptions) {
    this.#options = options;
  }

  /** A token that is good by its date. */
  current(): AccessToken | Promise<AccessToken> {
    const token = this.#token;
    const now = Date.now();
    if (token === undefined || token.expiresAt <= now) return this.#next(undefined);
    // Renews in the background; `onLate` gets the error.
    if (token.renewAt <= now) this.#next(undefined).catch(() => undefined);
    return token;
  }

  /** Another token than the one that the upstream has refused; undefined where none is to be had so soon. */
  async instead(refused: AccessToken): Promise<AccessToken | undefined> {
    const token = this.#token;
    if (token !== undefined && token !== refused) return token;
    if (this.#getting !== undefined) return this.#getting;
    if (performance.now() - this.#renewedAt < this.#renewalPause) return undefined;
    this.#renewedAt = performance.now();
    this.#renewalPause = Math.min(MOST_RENEWAL_MS, Math.max(LEAST_RENEWAL_MS, this.#renewalPause * 2));
    return this.#next(refused);
  }

  /** The upstream has accepted the token that took the place of a refused one: the next refusal renews it at once. */
  accept(): void {
    this.#renewalPause = 0;
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

/** The credential that a token is, for that owner. */
export function tokenCredential(held: HeldToken, owner: string): CallCredential | Promise<CallCredential> {
  const credentialOf = (token: AccessToken): CallCredential => ({
    headers: bearerHeaders(token.value.reveal()),
    query: '',
    owner,
    async instead() {
      const other = await held.instead(token);
      return other && credentialOf(other);
    },
    accept: () => held.accept(),
  });
  const token = held.current();
  return token instanceof Promise ? token.then(credentialOf) : credentialOf(token);
}

export interface RefreshedTokenOptions {
  readonly source: string;
  readonly credential: RefreshTokenCredential;
  readonly scope: Readonly<Record<string, string>>;
  readonly endpoint: TokenEndpoint;
  readonly vault: CredentialVault;
}

/** The stored tokens, shared with other instances. */
interface KeptTokens {
  /** Names the token of the settings that these came of: another one in its place begins anew. */
  readonly origin: string;
  readonly refreshToken: string;
  readonly accessToken: string;
  /** Null where it is not known how long the token is good; so is the following. */
  readonly renewAt: number | null;
  readonly expiresAt: number | null;
}

/**
 * Gets access tokens by a refresh token, and keeps the one that takes its place.
 *
 * An authorization server takes a refresh token that was replaced for a stolen one, and ends the grant (RFC 9700,
 * 4.14.2): it is sent by one at a time, and all instances use the access token that comes of it.
 */
export function refreshedToken(options: RefreshedTokenOptions) {
  const { source, credential, scope, endpoint, vault } = options;
  const origin = hash('sha256', `${credential.clientId}\n${credential.token.reveal()}`, 'base64url');
  return (refused: AccessToken | undefined): Promise<AccessToken> =>
    vault.withText(`refresh token of ${source}`, async (kept) => {
      const known = readKept(kept, origin);
      if (known !== undefined && isFresh(known, refused)) return tokenOf(known);
      const refreshToken = known?.refreshToken ?? credential.token.reveal();
      const answer = await endpoint.request('refresh_token', { ...scope, refresh_token: refreshToken });
      await kept.replace(written(origin, answer.refreshToken?.reveal() ?? refreshToken, answer.token));
      return answer.token;
    });
}

const NEVER = Number.POSITIVE_INFINITY;

/** Another instance, or this one in an earlier run, may just have got a token. */
function isFresh({ renewAt, accessToken }: KeptTokens, refused: AccessToken | undefined): boolean {
  return (renewAt ?? NEVER) > Date.now() && accessToken !== refused?.value.reveal();
}

function tokenOf({ accessToken, renewAt, expiresAt }: KeptTokens): AccessToken {
  return { value: new Secret(accessToken), renewAt: renewAt ?? NEVER, expiresAt: expiresAt ?? NEVER };
}

function written(origin: string, refreshToken: string, { value, renewAt, expiresAt }: AccessToken): Secret {
  // JSON knows no infinity: it writes null.
  const kept: KeptTokens = { origin, refreshToken, accessToken: value.reveal(), renewAt, expiresAt };
  return new Secret(JSON.stringify(kept));
}

/** Only this gateway can have written what can be decrypted. */
function readKept({ text }: StoredSecret, origin: string): KeptTokens | undefined {
  if (text === undefined) return undefined;
  const kept: KeptTokens = JSON.parse(text.reveal());
  return kept.origin === origin ? kept : undefined;
}
