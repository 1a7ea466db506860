import type { JSONWebKeySet } from 'jose';
import type { AuthorizationServer } from 'oauth4webapi';

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
export async function discoverKeys(issuer: string): Promise<JSONWebKeySet> {
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
