import { GatewayError } from '../../contract/gateway-error.ts';
import { isApiKey } from '../keys/api-keys.ts';

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
    throw refused('Basic: expected an API key as the password, which the account page makes.');
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
  return refused('The credential is not valid, or no longer.');
}

function refused(message: string): GatewayError {
  return new GatewayError('Unauthorized', message, {
    headers: { 'www-authenticate': 'Bearer realm="duogate", error="invalid_token", Basic realm="duogate"' },
  });
}
