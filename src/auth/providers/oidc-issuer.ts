import type { JSONWebKeySet, JWTPayload } from 'jose';
import type { AuthorizationServer } from 'oauth4webapi';
import type { Principal } from '../../contract/principal.ts';
import type { Secret } from '../../core/secret.ts';
import { createKeySet, type TokenIssuer } from './token-verifier.ts';

/** Another issuer whose tokens are taken. */
export interface OidcIssuer {
  /** Its URL, as it stands in the claim `iss`. */
  readonly issuer: string;
  /** What its tokens must be meant for; any of them. */
  readonly audiences: readonly string[];
  /** The claim that holds the roles, or the path to it, such as `realm_access.roles`. */
  readonly roleClaim: string;
  /** Its roles to ours; undefined where they have the same names. */
  readonly roles: ReadonlyMap<string, string> | undefined;
  /** As whom the gateway is known to it; undefined where nobody signs in by it. */
  readonly client: OidcClient | undefined;
}

export interface OidcClient {
  readonly id: string;
  /** Undefined for a public client. */
  readonly secret: Secret | undefined;
  /** What people know the issuer by. */
  readonly name: string;
  /** What stands for the issuer in paths. */
  readonly path: string;
  /** Whether an e-mail address that it has verified is that of the account here. */
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

/** An issuer that publishes where its keys are (OpenID Connect Discovery 1.0, 4). */
export function oidcIssuer(options: OidcIssuer): TokenIssuer {
  const { issuer, audiences } = options;
  return {
    issuer,
    audience: audiences,
    algorithms: ALGORITHMS,
    keys: createKeySet({ load: () => discoverKeys(issuer) }),
    principalOf: (subject, claims: JWTPayload): Principal => ({
      kind: 'user',
      // Subjects are unique at their issuer only.
      id: `${issuer}#${subject}`,
      roles: rolesFor(options, claims) ?? [],
    }),
  };
}

/** What the issuer says of somebody's roles, in the names that they have here; undefined where it says nothing. */
export function rolesFor(
  { roleClaim, roles }: Pick<OidcIssuer, 'roleClaim' | 'roles'>,
  claims: Readonly<Record<string, unknown>>,
): readonly string[] | undefined {
  const value = Object.hasOwn(claims, roleClaim) ? claims[roleClaim] : valueAt(claims, roleClaim.split('.'));
  if (value === undefined || value === null) return undefined;
  return namesIn(value).flatMap((role) => (roles === undefined ? role : (roles.get(role) ?? [])));
}

/** A list, or names with spaces between them, as `scope` has them. */
function namesIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.split(' ').filter((role) => role !== '');
  return Array.isArray(value) ? value.filter((role) => typeof role === 'string') : [];
}

function valueAt(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return value;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return valueAt(Reflect.get(value, name), rest);
}

/** What an issuer says of itself (OpenID Connect Discovery 1.0, 3). */
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

/** The keys that an issuer signs with. */
async function discoverKeys(issuer: string): Promise<JSONWebKeySet> {
  const { jwks_uri: keys } = await discover(issuer);
  if (keys === undefined) throw new Error(`${issuer} is expected to name an https URL as jwks_uri.`);
  const set = await fetchObject(keys);
  if (!isKeySet(set)) throw new Error(`${keys} is expected to be a JSON Web Key Set.`);
  return set;
}

/** An issuer on http is one on this machine: whoever set it up so wants it. */
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

/** Asks an issuer, which has a few seconds to answer and not all of the memory, and leads nowhere else. */
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

/** Statuses whose answers have no body (Fetch, 2.2.3). */
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
