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

/** An issuer whose tokens are accepted. */
export interface TokenIssuer {
  /** The value of the claim `iss`. */
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

/** Verifies JSON Web Tokens (RFC 7519) of known issuers. */
export interface TokenVerifier {
  /** Throws Unauthorized for an invalid token, and AccountsUnavailable if no key can be loaded. */
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
  /** Loads the published keys. */
  readonly load: () => Promise<JSONWebKeySet>;
  /** Minimum time between two attempts. */
  readonly cooldownMs?: number;
  /** Keys are reloaded after this time, because some may have been withdrawn. */
  readonly maxAgeMs?: number;
}

export interface KeySet {
  readonly key: JWTVerifyGetKey;
  /** Loads the keys in advance. */
  load(): Promise<void>;
}

/** Time before the first retry. It doubles with each failure, up to the cooldown. */
const LEAST_RETRY_MS = 1_000;
const MOST_RETRY_MS = 5_000;

/**
 * Known keys stay valid while they cannot be reloaded. An unknown key id causes at most one request per
 * cooldown, so that clients cannot cause requests with invented ids.
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
      // While an issuer is failing, requests that its known keys can answer do not wait for it.
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

/** The credential of a request. */
export interface Credential {
  readonly kind: 'session' | 'token' | 'key';
  readonly secret: string;
  /** Browsers send cookies with the requests of any page. */
  readonly isCookie: boolean;
}

type Headers = Readonly<Record<string, string | undefined>>;

/** Maximum length of a credential in characters. */
const LONGEST = 8192;

/**
 * The credential of a request; undefined without one. `Authorization` takes precedence over `X-API-Key`, and
 * both over the cookie, which browsers always send.
 *
 * Throws Unauthorized for an unsupported kind of credential.
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

/**
 * RFC 7617, 2: the part after the first colon. The user name is ignored, because the key identifies the user.
 */
function passwordOf(text: string): string {
  const decoded = Buffer.from(text, 'base64').toString();
  return decoded.slice(decoded.indexOf(':') + 1);
}

/**
 * The error explains what to enter, because users answer a browser's dialog with the password of their
 * account.
 */
function basicKey(password: string): Credential {
  if (!isApiKey(password))
    throw refused('Basic: expected an API key as the password; the account page creates one.');
  return apiKey(password);
}

function apiKey(text: string): Credential {
  if (!isApiKey(text)) throw credentialRefused();
  return { kind: 'key', secret: text, isCookie: false };
}

/** In a cookie, a signature follows the token. It is ignored: the token must be in the database. */
function session(text: string, isCookie: boolean): Credential {
  const [secret = ''] = text.split('.', 1);
  return { kind: 'session', secret, isCookie };
}

function cookieValue(cookies: string, name: string): string | undefined {
  const start = `${name}=`;
  const found = cookies.split(';').find((cookie) => cookie.trimStart().startsWith(start));
  return found?.trim().slice(start.length);
}

/** The message does not reveal why the credential was rejected. */
export function credentialRefused(): GatewayError {
  return refused('The credential is invalid or has expired.');
}

function refused(message: string): GatewayError {
  return new GatewayError('Unauthorized', message, {
    headers: { 'www-authenticate': 'Bearer realm="duogate", error="invalid_token", Basic realm="duogate"' },
  });
}
