import type { JSONWebKeySet, JWTPayload } from 'jose';
import type { Principal } from '../contract/principal.ts';
import { createKeySet } from './key-set.ts';
import type { TokenIssuer } from './token-verifier.ts';

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
}

const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

/** An issuer that publishes where its keys are (OpenID Connect Discovery 1.0, 4). */
export function oidcIssuer(options: OidcIssuer): TokenIssuer {
  const { issuer, audiences, roleClaim, roles } = options;
  return {
    issuer,
    audience: audiences,
    algorithms: ALGORITHMS,
    keys: createKeySet({ load: () => discoverKeys(issuer) }),
    principalOf: (subject, claims): Principal => ({
      kind: 'user',
      // Subjects are unique at their issuer only.
      id: `${issuer}#${subject}`,
      roles: rolesOf(claims, roleClaim).flatMap((role) =>
        roles === undefined ? role : (roles.get(role) ?? []),
      ),
    }),
  };
}

/** A list, or names with spaces between them, as `scope` has them. */
function rolesOf(claims: JWTPayload, claim: string): readonly string[] {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : valueAt(claims, claim.split('.'));
  if (typeof value === 'string') return value.split(' ').filter((role) => role !== '');
  return Array.isArray(value) ? value.filter((role) => typeof role === 'string') : [];
}

function valueAt(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return value;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return valueAt(Reflect.get(value, name), rest);
}

async function discoverKeys(issuer: string): Promise<JSONWebKeySet> {
  const place = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const configuration = await fetchObject(place);
  const { issuer: named, jwks_uri: keys } = configuration;
  if (named !== issuer) throw new Error(`${place} is expected to name the issuer ${issuer}.`);
  if (typeof keys !== 'string' || !URL.canParse(keys) || !isAsSafe(keys, issuer)) {
    throw new Error(`${place} is expected to name an https URL as jwks_uri.`);
  }
  const set = await fetchObject(keys);
  if (!isKeySet(set)) throw new Error(`${keys} is expected to be a JSON Web Key Set.`);
  return set;
}

/** An issuer on http is one on this machine: whoever set it up so wants it. */
function isAsSafe(keys: string, issuer: string): boolean {
  return new URL(keys).protocol === 'https:' || new URL(issuer).protocol === 'http:';
}

function isKeySet(value: object): value is JSONWebKeySet {
  return 'keys' in value && Array.isArray(value.keys);
}

const TIMEOUT_MS = 5_000;
const MOST_BYTES = 1_048_576;

async function fetchObject(url: string): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(url, {
    redirect: 'error',
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!response.ok) throw new Error(`${url} answered ${response.status}.`);
  const value: unknown = JSON.parse(await readText(response, url));
  if (typeof value !== 'object' || value === null) throw new Error(`${url} is expected to be a JSON object.`);
  return { ...value };
}

async function readText({ body }: Response, url: string): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MOST_BYTES) throw new Error(`${url} is longer than ${MOST_BYTES} bytes.`);
  }
  return text;
}
