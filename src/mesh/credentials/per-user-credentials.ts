import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { CredentialVault } from '../../contract/credential-vault.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { SubjectToken } from '../../contract/principal.ts';
import type { ForwardedToken, TokenExchange, UserKey } from '../project-reading/source-credential.ts';
import { bearerHeaders, type FindCredential } from './call-credential.ts';
import { demandToken, demandUser, forbidden } from './demand-token.ts';
import { HeldToken, type HeldTokenOptions } from './held-token.ts';
import { tokenCredential } from './token-credential.ts';
import type { TokenEndpoint } from './token-endpoint.ts';
import { TokenRefusal } from './token-fault.ts';

/** Hands on the token that the caller has shown, where it is meant for the upstream, too. */
export function forwardedToken(source: string, { issuer, audience }: ForwardedToken): FindCredential {
  return (call) => {
    const user = demandUser(source, call);
    const { value, audiences } = demandToken(source, issuer, user);
    if (!audiences.includes(audience)) {
      throw forbidden(
        `${source} is called with the caller's own token: its audience is not that of ${source}.`,
      );
    }
    return { headers: bearerHeaders(value.reveal()), query: '', owner: ownerOf(user.id, value.reveal()) };
  };
}

const MOST_EXCHANGED = 4_000;

/** RFC 8693, 3. */
const ACCESS_TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:access_token';
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';

/**
 * Exchanges the token that the caller has shown. What comes of a token is kept for as long as that is good: another
 * token of the same user may stand for less.
 */
export function exchangedToken(
  source: string,
  { issuer }: TokenExchange,
  scope: Readonly<Record<string, string>>,
  endpoint: TokenEndpoint,
  onLate: HeldTokenOptions['onLate'],
): FindCredential {
  const tokens = new LRUCache<string, HeldToken>({ max: MOST_EXCHANGED });
  const exchange = async ({ value }: SubjectToken) => {
    const subject = { subject_token: value.reveal(), subject_token_type: ACCESS_TOKEN_TYPE };
    try {
      return (await endpoint.request(TOKEN_EXCHANGE, { ...scope, ...subject })).token;
    } catch (error) {
      throw isAboutSubject(error) ? notTaken(source, error) : error;
    }
  };
  return (call) => {
    const user = demandUser(source, call);
    const subject = demandToken(source, issuer, user);
    const owner = ownerOf(user.id, subject.value.reveal());
    const held = tokens.get(owner) ?? new HeldToken({ get: () => exchange(subject), onLate });
    tokens.set(owner, held, { ttl: Math.max(1, subject.expiresAt - Date.now()) });
    return tokenCredential(held, owner);
  };
}

/** RFC 8693, 2.2.2: a token that is no good is an invalid request; servers also say that the grant is. */
const ABOUT_SUBJECT: ReadonlySet<string | undefined> = new Set([
  'invalid_request',
  'invalid_grant',
  'access_denied',
]);

function isAboutSubject(error: unknown): error is GatewayError {
  return (
    error instanceof GatewayError &&
    error.cause instanceof TokenRefusal &&
    ABOUT_SUBJECT.has(error.cause.reason)
  );
}

function notTaken(source: string, { cause }: GatewayError): GatewayError {
  return forbidden(`The authorization server of ${source} does not accept your token.`, cause);
}

/** Sends the key that the user has stored. */
export function userKey(
  source: string,
  { section, name, prefix }: UserKey,
  vault: CredentialVault,
): FindCredential {
  return async (call) => {
    const { id } = demandUser(source, call);
    const key = (await vault.keyOf(id, source))?.reveal();
    if (key === undefined) {
      throw forbidden(
        `${source} is called with a key of your own: store it by PUT /api/auth/upstream-keys/${source}.`,
      );
    }
    const owner = ownerOf(id, key);
    const text = `${prefix}${key}`;
    return section === 'operationHeaders'
      ? { headers: { [name]: text }, query: '', owner }
      : { headers: {}, query: new URLSearchParams({ [name]: text }).toString(), owner };
  };
}

/** Differs where the user or the credential does: with another one of the same user, the upstream may show other data. */
function ownerOf(user: string, secret: string): string {
  return hash('sha256', `${user}\n${secret}`, 'base64url');
}
