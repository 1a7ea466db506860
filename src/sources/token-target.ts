import { isOAuth, type OAuthCredential, type TokenTarget } from '../contract/source-credential.ts';
import { documentOperations } from '../derive/operations/document-operation.ts';
import { type DocumentNode, items, member, members, text } from '../openapi/document/document-node.ts';
import { type DocumentSource, documentSource, resolve } from '../openapi/document/document-source.ts';
import { type ProjectSource, validateTokenUrl } from './project-source.ts';

/** The OAuth flows of a document with the URL for a grant type. */
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

/** The token endpoint in the source's settings, else in its document; or the mistake, as a sentence. */
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
  const reason = validateTokenUrl(url) ?? validateSafety(url, endpoint);
  return reason === undefined ? { url, scope } : `${needed}: the document's ${reason}`;
}

/** RFC 6749, 3.2, requires TLS, unless the API itself is configured without it. */
function validateSafety(url: string, endpoint: string): string | undefined {
  const isSafe = url.startsWith('https:') || endpoint.startsWith('http:');
  return isSafe ? undefined : 'must be an https URL, as the endpoint is';
}

/** Why a source cannot ask for tokens, as a sentence; undefined where it can, or need not. */
export function validateTokenRequests(source: ProjectSource, document: unknown): string | undefined {
  const credential = source.access?.credential;
  const target = isOAuth(credential) ? tokenTarget(source, credential, document) : undefined;
  return typeof target === 'string' ? target : undefined;
}

/** The target of a source that asks for tokens. Throws where {@link validateTokenRequests} says why it cannot. */
export function targetOf(source: ProjectSource, document: unknown): TokenTarget | undefined {
  const credential = source.access?.credential;
  const target = isOAuth(credential) ? tokenTarget(source, credential, document) : undefined;
  if (typeof target === 'string') throw new Error(target);
  return target;
}

/** The authorization server in a document. */
export interface DocumentOAuth {
  /** As written; several if the document has several and the choice is ambiguous. */
  readonly tokenUrls: readonly string[];
  /** The scopes that its operations ask for; where they ask for none, all that it describes. */
  readonly scopes: readonly string[];
}

/** A flow (OpenAPI 3.1, section 4.8.29), and which of its URLs gives tokens. */
interface FlowPlace {
  readonly flow: 'clientCredentials' | 'authorizationCode';
  readonly url: 'tokenUrl' | 'refreshUrl';
}

/** Reads the OAuth 2 security schemes that have such a flow; the first place that a scheme has is its. */
function documentOAuth(source: DocumentSource, places: readonly FlowPlace[]): DocumentOAuth {
  const schemes = members(member(member(source.root, 'components'), 'securitySchemes'));
  const found = schemes.flatMap(([name, node]) => {
    const scheme = resolve(source, node);
    const flow =
      text(member(scheme, 'type')) === 'oauth2' ? flowOf(member(scheme, 'flows'), places) : undefined;
    return flow === undefined ? [] : [{ name, ...flow }];
  });
  const scopes = requiredScopes(source, new Set(found.map(({ name }) => name)));
  const described = found.flatMap(({ node }) => members(member(node, 'scopes')).map(([scope]) => scope));
  return {
    tokenUrls: [...new Set(found.map(({ url }) => url))],
    scopes: scopes.length > 0 ? scopes : [...new Set(described)],
  };
}

function flowOf(flows: DocumentNode | undefined, places: readonly FlowPlace[]) {
  for (const { flow, url } of places) {
    const node = member(flows, flow);
    const found = text(member(node, url));
    if (found !== undefined) return { node, url: found };
  }
  return undefined;
}

function requiredScopes(source: DocumentSource, schemes: ReadonlySet<string>): readonly string[] {
  const lists = [
    member(source.root, 'security'),
    ...documentOperations(source).map(({ node }) => member(node, 'security')),
  ];
  const scopes = lists
    .flatMap((list) => items(list).flatMap((requirement) => members(requirement)))
    .filter(([name]) => schemes.has(name))
    .flatMap(([, node]) => items(node).flatMap((item) => text(item) ?? []));
  return [...new Set(scopes)];
}
