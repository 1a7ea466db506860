import { documentSource } from '../../openapi/document/document-source.ts';
import type { ProjectSource } from '../project-reading/project-source.ts';
import type { OAuthClient, SourceCredential } from '../project-reading/source-credential.ts';
import { whyNotTokenUrl } from '../project-reading/token-url.ts';
import { documentOAuth, type FlowPlace } from './document-oauth.ts';

export type OAuthCredential = Extract<SourceCredential, OAuthClient>;

/** Where and for what a source asks for tokens. */
export interface TokenTarget {
  readonly url: string;
  /** As the parameter of a request (RFC 6749, 3.3); empty to leave it out. */
  readonly scope: Readonly<Record<string, string>>;
}

/** Which flows of a document have the URL that a grant needs. */
const PLACES: Readonly<Record<OAuthCredential['kind'], readonly FlowPlace[]>> = {
  clientCredentials: [{ flow: 'clientCredentials', url: 'tokenUrl' }],
  refreshToken: [
    { flow: 'authorizationCode', url: 'refreshUrl' },
    { flow: 'authorizationCode', url: 'tokenUrl' },
  ],
  tokenExchange: [
    { flow: 'clientCredentials', url: 'tokenUrl' },
    { flow: 'authorizationCode', url: 'tokenUrl' },
  ],
};

/** What the settings of a source say, and its document where they do not; or the mistake in it, as a sentence. */
function tokenTarget(
  { name, endpoint }: ProjectSource,
  credential: OAuthCredential,
  document: unknown,
): TokenTarget | string {
  const { kind, scopes } = credential;
  const described = documentOAuth(documentSource(name, document), PLACES[kind]);
  // With a refresh token the scopes are those that were granted, and in an exchange those of the subject.
  const wanted = scopes ?? (kind === 'clientCredentials' ? described.scopes : []);
  const scope = wanted.length === 0 ? {} : { scope: wanted.join(' ') };
  if (credential.tokenUrl !== undefined) return { url: credential.tokenUrl, scope };
  const [written, another] = described.tokenUrls;
  const needed = `${name}: ${kind} needs a tokenUrl`;
  if (written === undefined) return `${needed}: the document has none for it`;
  if (another !== undefined) return `${needed}: the document has several`;
  const url = URL.parse(written, `${endpoint}/`)?.href ?? written;
  const reason = whyNotTokenUrl(url) ?? whyNotAsSafe(url, endpoint);
  return reason === undefined ? { url, scope } : `${needed}: the document's ${reason}`;
}

/** RFC 6749, 3.2, demands TLS; whoever calls the API itself without it has his reasons. */
function whyNotAsSafe(url: string, endpoint: string): string | undefined {
  const isSafe = url.startsWith('https:') || endpoint.startsWith('http:');
  return isSafe ? undefined : 'must be an https URL, as the endpoint is';
}

/** Why a source cannot ask for tokens, as a sentence; undefined where it can, or need not. */
export function whyNoTokens(source: ProjectSource, document: unknown): string | undefined {
  const credential = source.access?.credential;
  const target = isOAuth(credential) ? tokenTarget(source, credential, document) : undefined;
  return typeof target === 'string' ? target : undefined;
}

/** The target of a source that asks for tokens. Throws where {@link whyNoTokens} says why it cannot. */
export function targetOf(source: ProjectSource, document: unknown): TokenTarget | undefined {
  const credential = source.access?.credential;
  const target = isOAuth(credential) ? tokenTarget(source, credential, document) : undefined;
  if (typeof target === 'string') throw new Error(target);
  return target;
}

export function isOAuth(credential: SourceCredential | undefined): credential is OAuthCredential {
  return credential !== undefined && Object.hasOwn(PLACES, credential.kind);
}
