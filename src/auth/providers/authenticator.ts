import { LRUCache } from 'lru-cache';
import { GatewayError, signInRequired } from '../../contract/gateway-error.ts';
import { ANONYMOUS, type Principal, type UserPrincipal } from '../../contract/principal.ts';
import type { AccountsStore, User } from '../database/accounts-store.ts';
import type { ApiKeys, KeyHolder } from '../keys/api-keys.ts';
import { type Asking, checkOrigin } from '../requests/account-requests.ts';
import { type Credential, credentialRefused, findCredential, type TokenVerifier } from './token-verifier.ts';

interface AuthenticatorOptions {
  readonly store: AccountsStore;
  readonly keys: ApiKeys;
  readonly tokens: TokenVerifier;
  readonly cookieName: string;
  readonly origins: readonly string[];
}

/** Determines the principal of a request. */
export interface Authenticator {
  /** Throws Unauthorized for an invalid credential, and Forbidden for a cookie sent by another origin. */
  authenticate(request: Asking): Principal | Promise<Principal>;
  /** The user of the session; undefined if the request has another credential or none. */
  userOfSession(request: Asking): Promise<User | undefined>;
  /** The user of the session. Throws Unauthorized without one. */
  requireUser(request: Asking): Promise<User>;
  /**
   * A user who signed in interactively, here or at another issuer. Throws Unauthorized for an API key or no
   * credential, and otherwise like {@link authenticate}.
   */
  requireSignedIn(request: Asking): Promise<UserPrincipal>;
  /** Clears the cache of sessions and keys. */
  forget(): void;
}

/** Time that a session or key is cached without another query. */
const LOOKED_UP_MS = 10_000;
/**
 * Time that a cached session or key is valid while the database is unavailable: as long as a token, which
 * needs no query.
 */
const REMEMBERED_MS = 300_000;
const RETRY_MS = 1_000;
/** Longest validity of a cached token, so that changed keys of its issuer take effect. */
const LONGEST_VERIFIED_MS = 300_000;
const REMEMBERED_BYTES = 8_388_608;
const PRINCIPAL_BYTES = 256;
/** Estimated bytes per character of a scope's text. */
const SCOPE_BYTES = 8;

export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const lookedUp = memory<LookedUp>(({ principal }) => principal);
  const verified = memory<Principal>((principal) => principal);
  const check = (request: Asking): Credential | undefined => {
    const credential = findCredential(request.headers, options.cookieName);
    if (credential?.isCookie) checkOrigin(request, options.origins, true);
    return credential;
  };
  const lookUp = async (credential: Credential): Promise<Principal> => {
    const found = await find(credential, options);
    if (found !== undefined) {
      const { principal, expiresAt } = found;
      // At least 1, because 0 would mean no limit.
      const left = Math.max(1, (expiresAt?.getTime() ?? Number.POSITIVE_INFINITY) - Date.now());
      const until = performance.now() + Math.min(LOOKED_UP_MS, left);
      lookedUp.set(credential.secret, { principal, until }, { ttl: Math.min(REMEMBERED_MS, left) });
      return principal;
    }
    lookedUp.delete(credential.secret);
    // Browsers keep the cookie when its session has ended.
    if (credential.isCookie) return ANONYMOUS;
    throw credentialRefused();
  };
  /** If the database does not answer, a principal that was known is used for a while. */
  const ask = async (credential: Credential, known: LookedUp | undefined): Promise<Principal> => {
    try {
      return await lookUp(credential);
    } catch (error) {
      if (known === undefined || !(error instanceof GatewayError && error.code === 'AccountsUnavailable'))
        throw error;
      known.until = performance.now() + RETRY_MS;
      return known.principal;
    }
  };
  const recall = (credential: Credential): Principal | Promise<Principal> => {
    const known = lookedUp.get(credential.secret);
    return known !== undefined && known.until > performance.now() ? known.principal : ask(credential, known);
  };
  const verify = async (token: string): Promise<Principal> => {
    const { principal, expiresAt } = await options.tokens.verify(token);
    const ttl = Math.min(expiresAt - Date.now(), LONGEST_VERIFIED_MS);
    if (ttl > 0) verified.set(token, principal, { ttl });
    return principal;
  };
  const principalOf = (credential: Credential): Principal | Promise<Principal> =>
    credential.kind === 'token'
      ? (verified.get(credential.secret) ?? verify(credential.secret))
      : recall(credential);
  const userOfSession = async (request: Asking): Promise<User | undefined> => {
    const credential = check(request);
    return credential?.kind === 'session' ? options.store.userOfSession(credential.secret) : undefined;
  };
  return {
    authenticate(request) {
      const credential = check(request);
      return credential === undefined ? ANONYMOUS : principalOf(credential);
    },
    userOfSession,
    async requireUser(request) {
      const user = await userOfSession(request);
      if (user === undefined) throw signInRequired();
      return user;
    },
    async requireSignedIn(request) {
      const credential = check(request);
      if (credential === undefined || credential.kind === 'key') throw signInRequired();
      const principal = await principalOf(credential);
      if (principal.kind !== 'user') throw signInRequired();
      return principal;
    },
    forget: () => lookedUp.clear(),
  };
}

/** The owner of a valid session or key, else undefined. */
async function find(
  { kind, secret }: Credential,
  { keys, store }: AuthenticatorOptions,
): Promise<Found | undefined> {
  if (kind === 'key') {
    const holder = await keys.holderOf(secret);
    return holder && ofKey(holder);
  }
  const user = await store.userOfSession(secret);
  return user && { principal: ofUser(user), expiresAt: null };
}

function ofUser({ id, roles }: User): UserPrincipal {
  return { kind: 'user', id, roles };
}

function ofKey({ user, scope, expiresAt }: KeyHolder): Found {
  const principal = ofUser(user);
  if (scope === undefined) return { principal, expiresAt };
  return { principal: { ...principal, roles: [], scoped: { roles: user.roles, scope } }, expiresAt };
}

/** A principal and when the credential expires. */
interface Found {
  readonly principal: UserPrincipal;
  /** Null for a key that does not expire. */
  readonly expiresAt: Date | null;
}

/** A cached principal, and when to query the accounts again. */
interface LookedUp {
  readonly principal: Principal;
  until: number;
}

function memory<Known extends object>(principalOf: (known: Known) => Principal): LRUCache<string, Known> {
  return new LRUCache({
    maxSize: REMEMBERED_BYTES,
    sizeCalculation: (known, secret) => secret.length + bytesOf(principalOf(known)),
  });
}

function bytesOf(principal: Principal): number {
  const scope = principal.kind === 'user' ? principal.scoped?.scope.text : undefined;
  return PRINCIPAL_BYTES + SCOPE_BYTES * (scope?.length ?? 0);
}
