import { hash } from 'node:crypto';
import type { CredentialVault, KeptText } from '../../contract/credential-vault.ts';
import { Secret } from '../../contract/secret.ts';
import type { RefreshTokenCredential } from '../project-reading/source-credential.ts';
import type { AccessToken } from './access-token.ts';
import type { TokenEndpoint } from './token-endpoint.ts';

export interface RefreshedTokenOptions {
  readonly source: string;
  readonly credential: RefreshTokenCredential;
  readonly scope: Readonly<Record<string, string>>;
  readonly endpoint: TokenEndpoint;
  readonly vault: CredentialVault;
}

/** What is kept between runs, and for other instances. */
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
function readKept({ text }: KeptText, origin: string): KeptTokens | undefined {
  if (text === undefined) return undefined;
  const kept: KeptTokens = JSON.parse(text.reveal());
  return kept.origin === origin ? kept : undefined;
}
