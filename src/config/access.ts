import { isIP } from 'node:net';
import { quote, readList, type Variables } from './variables.ts';

/** Somebody else whose tokens are taken (OpenID Connect Discovery 1.0). */
export interface IssuerConfig {
  /** Its URL, as its tokens name it. */
  readonly issuer: string;
  /** What its tokens must be meant for. */
  readonly audiences: readonly string[];
  /** The claim that holds the roles, or the path to it. */
  readonly roleClaim: string;
  /** Its roles to ours; undefined where they have the same names. */
  readonly roles: ReadonlyMap<string, string> | undefined;
}

/** The issuers of OIDC_ISSUERS, for all of which the other OIDC variables are meant. */
export function readIssuers(variables: Variables): readonly IssuerConfig[] {
  const issuers = readList(variables, 'OIDC_ISSUERS', 'https URLs without credentials', isIssuer);
  const audiences = readList(variables, 'OIDC_AUDIENCE', 'names without spaces', (text) => !/\s/.test(text));
  if (issuers.length > 0 && audiences.length === 0) {
    variables.reject(
      'OIDC_AUDIENCE is missing: OIDC_ISSUERS needs to know what their tokens must be meant for',
    );
  }
  const roleClaim = variables.get('OIDC_ROLE_CLAIM') ?? 'roles';
  const roles = readRoles(variables);
  return issuers.map((issuer) => ({ issuer, audiences, roleClaim, roles }));
}

/** Keys that come over http anybody on the way could have replaced; on this machine there is no way. */
function isIssuer(text: string): boolean {
  if (!URL.canParse(text) || /[?#]/.test(text)) return false;
  const { protocol, hostname, username } = new URL(text);
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  return username === '' && (protocol === 'https:' || (protocol === 'http:' && isLocal));
}

function readRoles(variables: Variables): ReadonlyMap<string, string> | undefined {
  const pairs = readList(variables, 'OIDC_ROLES', 'pairs such as editor=User', (text) =>
    /^[^=]+=[^=]+$/.test(text),
  );
  if (pairs.length === 0) return undefined;
  return new Map(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]));
}

/** Addresses and networks of the proxies whose X-Forwarded-For is believed. */
export function readTrustedProxies(variables: Variables): readonly string[] {
  return readList(variables, 'TRUSTED_PROXIES', 'IP addresses or networks such as 10.0.0.0/8', isNetwork);
}

export function isNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 6 ? 128 : 32));
}

/** The query parameter that may hold an API key. Those that begin with $ are OData's own. */
export function readApiKeyParameter(variables: Variables): string {
  const text = variables.get('API_KEY_PARAMETER') ?? 'api_key';
  if (!/^[A-Za-z_][\w.-]{0,63}$/.test(text)) {
    variables.reject(
      `API_KEY_PARAMETER must be 1 to 64 letters, digits, _, . or -, beginning with a letter or _, but is ${quote(text)}`,
    );
  }
  return text;
}
