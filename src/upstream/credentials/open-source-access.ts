import { LRUCache } from 'lru-cache';
import type { CredentialVault } from '../../contract/credential-vault.ts';
import { ownerName } from '../../contract/exchange.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { Log } from '../../contract/log.ts';
import type { SubjectToken } from '../../contract/principal.ts';
import {
  type AccessedSource,
  type ClientTls,
  type ForwardedToken,
  isOAuth,
  type OAuthClient,
  type OAuthCredential,
  type SourceCredential,
  type TokenExchange,
  type TokenTarget,
  tlsOptions,
  type UserKey,
} from '../../contract/source-credential.ts';
import { entryLimit } from '../../core/entry-limit.ts';
import type { UpstreamClient } from '../client/upstream-client.ts';
import type { UpstreamLimits } from '../client/upstream-limits.ts';
import { HeldToken, type HeldTokenOptions, refreshedToken, tokenCredential } from './held-token.ts';
import { signedAccess } from './signed-access.ts';
import { openTokenEndpoint, type TokenEndpoint, TokenRefusal } from './token-endpoint.ts';
import {
  bearerHeaders,
  credentialAccess,
  type FindCredential,
  forbidden,
  openAccess,
  ownerOf,
  requireToken,
  requireUser,
  storedKey,
  type UpstreamAccess,
} from './upstream-access.ts';

export interface AccessOptions {
  readonly source: AccessedSource;
  /** The token endpoint; undefined without one. */
  readonly target: TokenTarget | undefined;
  readonly client: UpstreamClient;
  readonly limits: UpstreamLimits;
  readonly log: Log;
  readonly vault: CredentialVault;
}

/** The access to a source's upstream, to be closed with its client. */
export interface ClosableAccess extends UpstreamAccess {
  close(): Promise<void>;
}

export function openSourceAccess(options: AccessOptions): ClosableAccess {
  const { source, client, limits } = options;
  const credential = source.access?.credential;
  const { find, close } = isOAuth(credential)
    ? openOAuth(options, credential)
    : { find: withoutServer(options, credential), close: async () => undefined };
  const access =
    find === undefined
      ? openAccess(client)
      : credentialAccess({ source: source.name, client, find, deadline: limits.deadline });
  return { ...access, close };
}

function withoutServer(
  { source: { name }, vault }: AccessOptions,
  credential: Exclude<SourceCredential, OAuthCredential> | undefined,
): FindCredential | undefined {
  switch (credential?.kind) {
    case undefined:
      return undefined;
    case 'forwardedToken':
      return forwardedToken(name, credential);
    case 'userKey':
      return userKey(name, credential, vault);
    case 'awsSignature':
    case 'messageSignature':
    case 'digest':
      return signedAccess(name, credential, vault);
  }
}

function openOAuth(options: AccessOptions, credential: OAuthCredential) {
  const { source, target, limits, log } = options;
  if (target === undefined) throw new Error(`${source.name} has nowhere to ask for tokens`);
  const { url, scope } = target;
  const tls = tokenTls(source, credential, url);
  const endpoint = openTokenEndpoint({ source: source.name, url, client: credential, limits, log, tls });
  const onLate: HeldTokenOptions['onLate'] = (error) => {
    const cause = error instanceof GatewayError ? error.cause : error;
    log.warn({ upstream: source.name, cause: String(cause) }, 'the access token could not be renewed yet');
  };
  if (credential.kind === 'tokenExchange') {
    const find = exchangedToken(source.name, credential, scope, endpoint, onLate);
    return { find, close: () => endpoint.close() };
  }
  const held = new HeldToken({ get: tokenGetter(options, credential, scope, endpoint), onLate });
  return {
    find: () => tokenCredential(held, ''),
    async close() {
      await held.settled();
      await endpoint.close();
    },
  };
}

function tokenGetter(
  { source, vault }: AccessOptions,
  credential: Exclude<OAuthCredential, { kind: 'tokenExchange' }>,
  scope: Readonly<Record<string, string>>,
  endpoint: TokenEndpoint,
): HeldTokenOptions['get'] {
  if (credential.kind === 'refreshToken') {
    return refreshedToken({ source: source.name, credential, scope, endpoint, vault });
  }
  return async () => (await endpoint.request('client_credentials', scope)).token;
}

/** The certificate is for the upstream: another server is shown it only where the settings say so. */
function tokenTls(
  { endpoint, access }: AccessedSource,
  { authentication }: OAuthClient,
  url: string,
): ClientTls {
  const isMeant = authentication === 'certificate' || new URL(url).origin === new URL(endpoint).origin;
  const certificate = access?.certificate;
  return certificate !== undefined && isMeant ? tlsOptions(certificate) : {};
}

/** Hands on the token that the caller has shown, where it is meant for the upstream, too. */
function forwardedToken(source: string, { issuer, audience }: ForwardedToken): FindCredential {
  return (call) => {
    const user = requireUser(source, call);
    const { value, audiences } = requireToken(source, issuer, user);
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
 * Exchanges the caller's token. The result is cached per token, because another token of the same user may
 * have fewer rights.
 */
function exchangedToken(
  source: string,
  { issuer }: TokenExchange,
  scope: Readonly<Record<string, string>>,
  endpoint: TokenEndpoint,
  onLate: HeldTokenOptions['onLate'],
): FindCredential {
  const tokens = new LRUCache<string, HeldToken>(entryLimit(MOST_EXCHANGED));
  const exchange = async ({ value }: SubjectToken, asker: string) => {
    const subject = { subject_token: value.reveal(), subject_token_type: ACCESS_TOKEN_TYPE };
    try {
      return (await endpoint.request(TOKEN_EXCHANGE, { ...scope, ...subject }, asker)).token;
    } catch (error) {
      throw isAboutSubject(error) ? notTaken(source, error) : error;
    }
  };
  return (call) => {
    const user = requireUser(source, call);
    const subject = requireToken(source, issuer, user);
    const owner = ownerOf(user.id, subject.value.reveal());
    const held =
      tokens.get(owner) ?? new HeldToken({ get: () => exchange(subject, ownerName(user)), onLate });
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
function userKey(source: string, { section, name, prefix }: UserKey, vault: CredentialVault): FindCredential {
  return async (call) => {
    const stored = await storedKey(source, call, vault);
    const owner = ownerOf(stored.user, stored.text);
    const text = `${prefix}${stored.text}`;
    return section === 'operationHeaders'
      ? { headers: { [name]: text }, query: '', owner }
      : { headers: {}, query: new URLSearchParams({ [name]: text }).toString(), owner };
  };
}

/** For those who have no accounts open: a call whose credential is kept there fails. */
export const CLOSED_VAULT: CredentialVault = { withText: refuse, keyOf: refuse };

async function refuse(): Promise<never> {
  const message = 'The credential for this API is kept with the accounts, which are not open here.';
  throw new GatewayError('AccountsUnavailable', message);
}
