import type { JSONWebKeySet, JWTPayload } from 'jose';
import type { AuthorizationServer } from 'oauth4webapi';
import type { Principal } from '../../contract/principal.ts';
import type { Secret } from '../../core/secret.ts';
import { createKeySet, type TokenIssuer } from './token-verifier.ts';

/** An OpenID Connect issuer whose tokens are accepted. */
export interface OidcIssuer {
  /** The URL of the issuer, as in the claim `iss`. */
  readonly issuer: string;
  /** Accepted audiences of its tokens; one must match. */
  readonly audiences: readonly string[];
  /** The claim with the roles, or the path to it, such as `realm_access.roles`. */
  readonly roleClaim: string;
  /** The issuer's roles mapped to the gateway's; undefined if the names are the same. */
  readonly roles: ReadonlyMap<string, string> | undefined;
  /** The gateway's registration at the issuer; undefined if users do not sign in with it. */
  readonly client: OidcClient | undefined;
}

export interface OidcClient {
  readonly id: string;
  readonly secret: Secret | undefined;
  /** The name shown to users. */
  readonly name: string;
  /** The segment that identifies the issuer in paths. */
  readonly path: string;
  /** Whether to trust e-mail addresses that the issuer has verified. */
  readonly isEmailTrusted: boolean;
}

export const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
];

/** An issuer that publishes its keys (OpenID Connect Discovery 1.0, 4). */
export function oidcIssuer(options: OidcIssuer): TokenIssuer {
  const { issuer, audiences } = options;
  return {
    issuer,
    audience: audiences,
    algorithms: ALGORITHMS,
    keys: createKeySet({ load: () => discoverKeys(issuer) }),
    principalOf: (subject, claims: JWTPayload): Principal => ({
      kind: 'user',
      // A subject is unique only within its issuer.
      id: `${issuer}#${subject}`,
      roles: rolesFor(options, claims) ?? [],
    }),
  };
}

/** The roles in the claims, by the gateway's names; undefined if the claim is missing. */
export function rolesFor(
  { roleClaim, roles }: Pick<OidcIssuer, 'roleClaim' | 'roles'>,
  claims: Readonly<Record<string, unknown>>,
): readonly string[] | undefined {
  const value = Object.hasOwn(claims, roleClaim) ? claims[roleClaim] : valueAt(claims, roleClaim.split('.'));
  if (value === undefined || value === null) return undefined;
  return namesIn(value).flatMap((role) => (roles === undefined ? role : (roles.get(role) ?? [])));
}

/** A list, or names separated by spaces, like `scope`. */
function namesIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.split(' ').filter((role) => role !== '');
  return Array.isArray(value) ? value.filter((role) => typeof role === 'string') : [];
}

function valueAt(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return value;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return valueAt(Reflect.get(value, name), rest);
}

/** Loads the metadata of an issuer (OpenID Connect Discovery 1.0, 3). */
export async function discover(issuer: string): Promise<AuthorizationServer> {
  const place = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const metadata = await fetchObject(place);
  if (metadata['issuer'] !== issuer) throw new Error(`${place} is expected to name the issuer ${issuer}.`);
  for (const name of ENDPOINTS) {
    if (metadata[name] !== undefined && !isSafeUrl(metadata[name], issuer))
      throw new Error(`${place} is expected to name an https URL as ${name}.`);
  }
  return { ...metadata, issuer };
}

const ENDPOINTS = ['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'jwks_uri'];

async function discoverKeys(issuer: string): Promise<JSONWebKeySet> {
  const { jwks_uri: keys } = await discover(issuer);
  if (keys === undefined) throw new Error(`${issuer} is expected to name an https URL as jwks_uri.`);
  const set = await fetchObject(keys);
  if (!isKeySet(set)) throw new Error(`${keys} is expected to be a JSON Web Key Set.`);
  return set;
}

/** Accepts http only if the operator configured the issuer itself with http. */
function isSafeUrl(url: unknown, issuer: string): boolean {
  if (typeof url !== 'string' || !URL.canParse(url)) return false;
  const { protocol } = new URL(url);
  return protocol === 'https:' || (protocol === 'http:' && new URL(issuer).protocol === 'http:');
}

function isKeySet(value: object): value is JSONWebKeySet {
  return 'keys' in value && Array.isArray(value.keys);
}

const TIMEOUT_MS = 5_000;
const MOST_BYTES = 1_048_576;

async function fetchObject(url: string): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetchFromIssuer(url, { headers: { accept: 'application/json' } });
  if (!response.ok) throw new Error(`${url} answered ${response.status}.`);
  const value: unknown = await response.json();
  if (typeof value !== 'object' || value === null) throw new Error(`${url} is expected to be a JSON object.`);
  return { ...value };
}

interface IssuerRequest {
  readonly method?: string;
  readonly headers: Record<string, string>;
  readonly body?: URLSearchParams | undefined;
}

/** Sends a request to an issuer, with limits for time and size, and without following redirects. */
export async function fetchFromIssuer(
  url: string,
  { method = 'GET', headers: fields, body }: IssuerRequest,
): Promise<Response> {
  const response = await fetch(url, {
    method,
    headers: fields,
    ...(body !== undefined && { body }),
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const text = await readText(response, url);
  const { status, headers } = response;
  return new Response(BODILESS.has(status) ? null : text, { status, headers });
}

/** Statuses of responses without a body (Fetch, 2.2.3). */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

async function readText({ body }: Response, url: string): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MOST_BYTES) throw new Error(`${url} is longer than ${MOST_BYTES} bytes.`);
  }
  return text;
}
