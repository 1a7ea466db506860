import { plainServiceUrl, validateServiceUrl } from '../../core/service-url.ts';
import { type DocumentNode, items, member, members } from './document-node.ts';
import { type DocumentSource, quote, serverUrl } from './document-source.ts';

/** A server that replaces the source's endpoint for an operation. */
export interface OperationServer {
  /** Absolute, without a trailing slash. */
  readonly url: string;
  /** True for another origin than the endpoint, which gets no credentials of the source. */
  readonly isForeign: boolean;
}

type ServerChoice =
  | { readonly kind: 'endpoint' }
  | { readonly kind: 'other'; readonly server: OperationServer }
  /** The operation cannot be called. */
  | { readonly kind: 'none'; readonly reason: string };

const ENDPOINT: ServerChoice = { kind: 'endpoint' };

/** The base of relative URLs if neither the project nor the document has an absolute one. */
const UNKNOWN = 'http://unknown.invalid';

/**
 * Selects the server of an operation (OpenAPI 3.1.1, 4.8.10 and 4.8.9: its own, that of its path, that of the
 * document).
 *
 * An endpoint of the project replaces the document's server, also for other servers of the same origin: `/v2`
 * next to the document's `/v1` becomes `/acme/v2` next to the endpoint's `/acme/v1`. A server of another
 * origin is called only if the endpoint is the document's own, and if the operation needs no credential.
 */
export function operationServer(
  source: DocumentSource,
  item: DocumentNode,
  operation: DocumentNode,
): ServerChoice {
  const [written] = [...items(member(operation, 'servers')), ...items(member(item, 'servers'))];
  const text = written && serverUrl(written.value);
  if (text === undefined) return ENDPOINT;
  const main = mainServer(source);
  const endpoint = new URL(source.supplied.endpoint ?? main.href);
  const url = URL.parse(text, `${main.href.replace(/\/+$/, '')}/`);
  const mistake = url === null ? 'must be a URL' : validateServiceUrl(url.href);
  if (url === null || mistake !== undefined) {
    return { kind: 'none', reason: `its own server ${quote(text)} ${mistake}` };
  }
  if (plainServiceUrl(url.href) === plainServiceUrl(main.href)) return ENDPOINT;
  if (url.origin === main.origin) return moved(main, endpoint, url);
  const server = { url: plainServiceUrl(url.href), isForeign: url.origin !== endpoint.origin };
  if (!server.isForeign) return { kind: 'other', server };
  const place = `its own server ${quote(text)} has another origin`;
  if (endpoint.origin !== main.origin) {
    return {
      kind: 'none',
      reason: `${place}, and the endpoint of the source replaces the document's servers`,
    };
  }
  if (needsCredential(source, operation)) {
    return { kind: 'none', reason: `${place}, to which the credentials of the source are not sent` };
  }
  return { kind: 'other', server };
}

function mainServer({ root, supplied }: DocumentSource): URL {
  const [first] = items(member(root, 'servers'));
  const written = (first && serverUrl(first.value)) ?? '/';
  const base = supplied.endpoint ?? UNKNOWN;
  return URL.parse(written, base) ?? new URL(base);
}

/** A server relative to the endpoint, as it is relative to the document's server. */
function moved(main: URL, endpoint: URL, url: URL): ServerChoice {
  const [mainPath, endpointPath] = [main, endpoint].map(({ pathname }) => pathname.replace(/\/+$/, ''));
  const isBelow = mainPath !== undefined && endpointPath?.endsWith(mainPath);
  const prefix = isBelow ? endpointPath?.slice(0, endpointPath.length - mainPath.length) : '';
  const placed = plainServiceUrl(`${endpoint.origin}${prefix}${url.pathname}`);
  if (placed === plainServiceUrl(endpoint.href)) return ENDPOINT;
  return { kind: 'other', server: { url: placed, isForeign: false } };
}

/** OpenAPI 3.1.1, 4.8.30: one requirement suffices, and an empty one needs no credential. */
function needsCredential({ root }: DocumentSource, operation: DocumentNode): boolean {
  const requirements = items(member(operation, 'security') ?? member(root, 'security'));
  return requirements.length > 0 && requirements.every((each) => members(each).length > 0);
}
