import { documentOperations } from '../../model/derive/operations/document-operation.ts';
import { type DocumentNode, items, member, members, text } from '../../openapi/document/document-node.ts';
import { type DocumentSource, resolve } from '../../openapi/document/document-source.ts';

/** What a document says of the authorization server of its API. */
export interface DocumentOAuth {
  /** As it stands there; several where the document has several, and nothing tells which is meant. */
  readonly tokenUrls: readonly string[];
  /** Those that its operations ask for; where they ask for none, all that it describes. */
  readonly scopes: readonly string[];
}

/** A flow (OpenAPI 3.1, section 4.8.29), and which of its URLs gives tokens. */
export interface FlowPlace {
  readonly flow: 'clientCredentials' | 'authorizationCode';
  readonly url: 'tokenUrl' | 'refreshUrl';
}

/** Reads the OAuth 2 security schemes that have such a flow; the first place that a scheme has is its. */
export function documentOAuth(source: DocumentSource, places: readonly FlowPlace[]): DocumentOAuth {
  const schemes = members(member(member(source.root, 'components'), 'securitySchemes'));
  const found = schemes.flatMap(([name, node]) => {
    const scheme = resolve(source, node);
    const flow =
      text(member(scheme, 'type')) === 'oauth2' ? flowOf(member(scheme, 'flows'), places) : undefined;
    return flow === undefined ? [] : [{ name, ...flow }];
  });
  const asked = scopesAsked(source, new Set(found.map(({ name }) => name)));
  const described = found.flatMap(({ node }) => members(member(node, 'scopes')).map(([scope]) => scope));
  return {
    tokenUrls: [...new Set(found.map(({ url }) => url))],
    scopes: asked.length > 0 ? asked : [...new Set(described)],
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

function scopesAsked(source: DocumentSource, schemes: ReadonlySet<string>): readonly string[] {
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
