import { type DocumentNode, member, members } from '../../openapi/document/document-node.ts';

/** A notation in which the gateway writes bodies. */
export type BodyKind = 'json' | 'urlencoded' | 'multipart';

/** One of the media types that a request body is documented with. */
export interface BodyContent {
  readonly kind: BodyKind;
  /** As it is sent: a range of media types is sent as JSON. */
  readonly mediaType: string;
  /** The Media Type Object. */
  readonly node: DocumentNode;
  readonly schema: DocumentNode | undefined;
}

const KINDS: readonly (readonly [form: RegExp, kind: BodyKind])[] = [
  [/^(?:(?:application|text)\/(?:[\w.+*-]+\+)?json|application\/\*|\*\/\*)\s*(?:;|$)/i, 'json'],
  [/^application\/x-www-form-urlencoded\s*(?:;|$)/i, 'urlencoded'],
  [/^multipart\/form-data\s*(?:;|$)/i, 'multipart'],
];

/** The notation of a media type; undefined if the gateway does not write it. */
export function bodyKind(mediaType: string): BodyKind | undefined {
  return KINDS.find(([form]) => form.test(mediaType))?.[1];
}

/**
 * The content of a request body that the gateway writes: the best of those that have a schema, else the best of all.
 * `application/json` is better than other JSON, and any JSON is better than a form.
 */
export function bodyContent(body: DocumentNode | undefined, method: string): BodyContent | undefined {
  const contents = members(member(body, 'content')).flatMap(([written, node]): readonly BodyContent[] => {
    const kind = bodyKind(written);
    const schema = member(node, 'schema');
    // A multipart body of unknown parts most often has a file.
    if (kind === undefined || (kind === 'multipart' && schema === undefined)) return [];
    const mediaType = written.includes('*') ? 'application/json' : written;
    return [{ kind, mediaType, node, schema }];
  });
  const described = contents.filter(({ schema }) => schema !== undefined);
  const choices = described.length > 0 ? described : contents;
  return choices.toSorted((a, b) => rank(a, method) - rank(b, method))[0];
}

/** An update in OData is a merge (Part 1, 11.4.3), and never the list of changes of RFC 6902. */
function rank({ kind, mediaType }: BodyContent, method: string): number {
  if (kind !== 'json') return kind === 'urlencoded' ? 4 : 5;
  if (/^application\/json-patch\+json/i.test(mediaType)) return 6;
  if (method === 'patch' && /^application\/merge-patch\+json/i.test(mediaType)) return 0;
  return /^application\/json\b/i.test(mediaType) ? 1 : 2;
}
