import {
  createLocalJWKSet,
  decodeJwt,
  errors,
  type JSONWebKeySet,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { Log } from '../../contract/log.ts';
import type { Principal } from '../../contract/principal.ts';
import { Secret } from '../../core/secret.ts';
import { isApiKey } from '../keys/api-keys.ts';

/** Whose tokens are believed. */
export interface TokenIssuer {
  /** As it stands in the claim `iss`. */
  readonly issuer: string;
  readonly audience: string | readonly string[];
  readonly algorithms: readonly string[];
  readonly keys: KeySet;
  readonly principalOf: (subject: string, claims: JWTPayload) => Principal;
}

interface VerifiedToken {
  readonly principal: Principal;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Verifies JSON Web Tokens (RFC 7519) of the issuers that it knows. */
export interface TokenVerifier {
  /** Throws Unauthorized for a token that is no good, AccountsUnavailable where no key is to be had. */
  verify(token: string): Promise<VerifiedToken>;
}

const CLOCK_TOLERANCE_S = 5;

export function createTokenVerifier(issuers: readonly TokenIssuer[], log: Log): TokenVerifier {
  const byName = new Map(issuers.map((issuer) => [issuer.issuer, issuer]));
  return {
    async verify(token) {
      try {
        const issuer = byName.get(decodeJwt(token).iss ?? '');
        if (issuer === undefined) throw new errors.JWTInvalid('unknown issuer');
        return await verifyBy(issuer, token);
      } catch (error) {
        if (!(error instanceof errors.JOSEError)) throw keysUnavailable(error);
        log.debug({ reason: error.code }, 'a token was refused');
        throw credentialRefused();
      }
    },
  };
}

async function verifyBy(issuer: TokenIssuer, token: string): Promise<VerifiedToken> {
  const { payload } = await jwtVerify(token, issuer.keys.key, {
    issuer: issuer.issuer,
    audience: [issuer.audience].flat(),
    algorithms: [...issuer.algorithms],
    requiredClaims: ['exp', 'sub'],
    clockTolerance: CLOCK_TOLERANCE_S,
  });
  const { sub = '', exp = 0, aud = [] } = payload;
  const expiresAt = exp * 1000;
  const principal = issuer.principalOf(sub, payload);
  if (principal.kind !== 'user') return { principal, expiresAt };
  const shown = {
    value: new Secret(token),
    issuer: issuer.issuer,
    audiences: [aud].flat(),
    expiresAt,
  };
  return { principal: { ...principal, token: shown }, expiresAt };
}

function keysUnavailable(cause: unknown): GatewayError {
  return new GatewayError(
    'AccountsUnavailable',
    'The keys that tokens are signed with cannot be fetched now.',
    {
      cause,
      headers: { 'retry-after': '5' },
    },
  );
}

interface KeySetOptions {
  /** Gets the keys from where they are published. */
  readonly load: () => Promise<JSONWebKeySet>;
  /** The least time between two attempts to get them. */
  readonly cooldownMs?: number;
  /** After that time they are got again, because some may have been withdrawn. */
  readonly maxAgeMs?: number;
}

/** The keys of an issuer. */
export interface KeySet {
  readonly key: JWTVerifyGetKey;
  /** Gets the keys before they are needed. */
  load(): Promise<void>;
}

/** The time before the second attempt to get keys. It doubles with each failure, up to the most. */
const LEAST_RETRY_MS = 1_000;
const MOST_RETRY_MS = 5_000;

/**
 * Keys that are known go on verifying while they cannot be got anew. A key that is not known is looked for at
 * most once per cooldown: whoever makes up names of keys makes no calls.
 */
export function createKeySet({ load, cooldownMs = 30_000, maxAgeMs = 600_000 }: KeySetOptions): KeySet {
  let find: JWTVerifyGetKey | undefined;
  let failure: unknown;
  let failures = 0;
  let attemptedAt = Number.NEGATIVE_INFINITY;
  let loadedAt = Number.NEGATIVE_INFINITY;
  let loading: Promise<void> | undefined;
  const attempt = async (): Promise<void> => {
    attemptedAt = performance.now();
    try {
      find = createLocalJWKSet(await load());
      loadedAt = performance.now();
      failure = undefined;
      failures = 0;
    } catch (error) {
      failure = error;
      failures += 1;
    }
    loading = undefined;
  };
  const refresh = async (): Promise<void> => {
    const retryMs = Math.min(MOST_RETRY_MS, LEAST_RETRY_MS * 2 ** (failures - 1));
    const pause = failures === 0 ? cooldownMs : Math.min(cooldownMs, retryMs);
    if (loading === undefined && performance.now() - attemptedAt < pause) return;
    loading ??= attempt();
    await loading;
  };
  const known = (): JWTVerifyGetKey => {
    if (find === undefined) throw failure;
    return find;
  };
  return {
    load: refresh,
    async key(header, token) {
      // Who did not answer when he was last asked keeps nobody waiting that can be answered without him.
      const renewed = performance.now() - loadedAt > maxAgeMs ? refresh() : undefined;
      if (find === undefined || failure === undefined) await renewed;
      const before = known();
      try {
        return await before(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        await refresh();
        if (known() === before) throw error;
        return await known()(header, token);
      }
    },
  };
}

/** What a request shows to say who is asking. */
export interface Credential {
  readonly kind: 'session' | 'token' | 'key';
  readonly secret: string;
  /** A browser sends it by itself, whoever's page makes it. */
  readonly isCookie: boolean;
}

type Headers = Readonly<Record<string, string | undefined>>;

/** Longer ones are nobody's. */
const LONGEST = 8192;

/**
 * The credential of a request; undefined where it has none. `Authorization` comes before `X-API-Key`, and both
 * before the cookie, which is there by itself.
 *
 * Throws Unauthorized for one that is of no kind that is taken.
 */
export function findCredential(headers: Headers, cookieName: string): Credential | undefined {
  const { authorization, cookie } = headers;
  if (authorization !== undefined) return fromAuthorization(authorization);
  const key = headers['x-api-key'];
  if (key !== undefined) return apiKey(key.trim());
  const token = cookie === undefined ? undefined : cookieValue(cookie, cookieName);
  return token === undefined ? undefined : session(token, true);
}

function fromAuthorization(authorization: string): Credential {
  const [, scheme = '', text = ''] = /^(\S+) +(\S+) *$/.exec(authorization) ?? [];
  if (authorization.length > LONGEST) throw credentialRefused();
  switch (scheme.toLowerCase()) {
    case 'bearer':
      if (isApiKey(text)) return apiKey(text);
      return JWT.test(text) ? { kind: 'token', secret: text, isCookie: false } : session(text, false);
    case 'basic':
      return basicKey(passwordOf(text));
    default:
      throw credentialRefused();
  }
}

const JWT = /^[\w-]+\.[\w-]+\.[\w-]*$/;

/** RFC 7617, 2: what is behind the first colon. The user's name may be any, as the key says whose it is. */
function passwordOf(text: string): string {
  const decoded = Buffer.from(text, 'base64').toString();
  return decoded.slice(decoded.indexOf(':') + 1);
}

/** Says what is asked for: a dialog that asks for a user and a password is answered with those of the account. */
function basicKey(password: string): Credential {
  if (!isApiKey(password))
    throw refused('Basic: expected an API key as the password; the account page creates one.');
  return apiKey(password);
}

function apiKey(text: string): Credential {
  if (!isApiKey(text)) throw credentialRefused();
  return { kind: 'key', secret: text, isCookie: false };
}

/** In a cookie a signature stands behind the token. That the token is in the database is what counts. */
function session(text: string, isCookie: boolean): Credential {
  const [secret = ''] = text.split('.', 1);
  return { kind: 'session', secret, isCookie };
}

function cookieValue(cookies: string, name: string): string | undefined {
  const start = `${name}=`;
  const found = cookies.split(';').find((cookie) => cookie.trimStart().startsWith(start));
  return found?.trim().slice(start.length);
}

/** Says no more, as whoever shows a credential that is no good need not know how far it came. */
export function credentialRefused(): GatewayError {
  return refused('The credential is invalid or has expired.');
}

function refused(message: string): GatewayError {
  return new GatewayError('Unauthorized', message, {
    headers: { 'www-authenticate': 'Bearer realm="duogate", error="invalid_token", Basic realm="duogate"' },
  });
}
