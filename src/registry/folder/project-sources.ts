import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  type ParsedNode,
  parseDocument,
  stringify,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { isObject } from '../../core/json-object.ts';
import { type OpenApiDocument, own } from '../../openapi/parse/openapi-version.ts';
import { parseText } from '../../openapi/parse/parse-text.ts';

/** A source as written in the project file, with unresolved variables. */
export interface WrittenSource {
  readonly name: string;
  readonly document: string;
  readonly endpoint: string | undefined;
  readonly operationHeaders: Readonly<Record<string, string>>;
  readonly queryParams: Readonly<Record<string, string>>;
  /** The whole entry. */
  readonly written: OpenApiDocument;
}

/** The OpenAPI sources in the text of a `.meshrc.yaml`; entries that are not understood are skipped. */
export function listSources(text: string): readonly WrittenSource[] {
  const sources = own(parseText(text), 'sources');
  return (Array.isArray(sources) ? sources : []).flatMap((source) => {
    const openapi = own(own(source, 'handler'), 'openapi');
    const [name, document, endpoint] = [
      own(source, 'name'),
      own(openapi, 'source'),
      own(openapi, 'endpoint'),
    ];
    if (!isObject(source) || typeof name !== 'string' || typeof document !== 'string') return [];
    return {
      name,
      document,
      endpoint: typeof endpoint === 'string' ? endpoint : undefined,
      operationHeaders: textsIn(own(openapi, 'operationHeaders')),
      queryParams: textsIn(own(openapi, 'queryParams')),
      written: source,
    };
  });
}

function textsIn(value: unknown): Readonly<Record<string, string>> {
  if (!isObject(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([name, text]) => [name, String(text)]));
}

/** The settings with which the gateway's client identifies itself. */
export const IDENTITY_HEADERS = {
  'x-application-name': '{env.APPLICATION_NAME}',
  'x-gateway-api-name': '{env.GATEWAY_API_NAME}',
} as const;

/** A source for the API at that URL. The document's path is relative to the project file. */
export function newSource(name: string, document: string, endpoint: string): OpenApiDocument {
  const openapi = {
    source: document,
    endpoint,
    ignoreErrorResponses: true,
    operationHeaders: IDENTITY_HEADERS,
  };
  return { name, handler: { openapi } };
}

/** Appends a source to the text of a project file; the rest is unchanged. */
export function withSource(text: string, source: OpenApiDocument): string {
  const { file, sources } = openSources(text);
  const last = sources.items.at(-1);
  if (sources.flow || last === undefined) {
    (sources as YAMLSeq).add(file.createNode(source));
    return file.toString(PLAIN);
  }
  const [end, indent] = [endOfLine(text, last.range[1]), ' '.repeat(columnOf(text, dashOf(sources, 0)))];
  const written = stringify([source], PLAIN).trimEnd().replace(/^/gm, indent);
  return `${text.slice(0, end)}\n${written}${text.slice(end) || '\n'}`;
}

/** Removes a source from the text; comments before it remain. */
export function withoutSource(text: string, name: string): string {
  const { file, sources } = openSources(text);
  const index = sources.items.findIndex((item) => isNamed(item, name));
  const item = sources.items[index];
  if (item === undefined) return text;
  if (sources.flow) {
    sources.items.splice(index, 1);
    return file.toString(PLAIN);
  }
  const start = dashOf(sources, index);
  const begin = start - columnOf(text, start);
  return text.slice(0, begin) + text.slice(endOfLine(text, item.range[1]) + 1);
}

/** Replaces the endpoint of a source, if it has a literal one. */
export function withEndpoint(text: string, name: string, endpoint: string): string {
  const item = openSources(text).sources.items.find((each) => isNamed(each, name));
  const scalar = isMap(item) ? item.getIn(['handler', 'openapi', 'endpoint'], true) : undefined;
  if (!isScalar(scalar) || !scalar.range) return text;
  const [start, end] = scalar.range;
  return text.slice(0, start) + stringify(endpoint, PLAIN).trimEnd() + text.slice(end);
}

const PLAIN = { lineWidth: 0 } as const;

interface OpenSources {
  readonly file: Document.Parsed;
  readonly sources: YAMLSeq.Parsed<ParsedNode | YAMLMap.Parsed>;
}

function openSources(text: string): OpenSources {
  const file = parseDocument(text, { keepSourceTokens: true });
  const sources = file.get('sources');
  if (isSeq(sources)) return { file, sources: sources as OpenSources['sources'] };
  throw new Error('The project file has no list of sources');
}

function isNamed(item: unknown, name: string): item is YAMLMap.Parsed {
  return isMap(item) && item.get('name') === name;
}

/** The position of an item's dash. */
function dashOf({ srcToken, range }: OpenSources['sources'], index: number): number {
  const tokens = srcToken?.type === 'block-seq' ? srcToken.items[index]?.start : undefined;
  return tokens?.find(({ type }) => type === 'seq-item-ind')?.offset ?? range[0];
}

function columnOf(text: string, offset: number): number {
  return offset - (text.lastIndexOf('\n', offset - 1) + 1);
}

/** Multi-line values end at the start of the next line. */
function endOfLine(text: string, offset: number): number {
  if (offset > 0 && text[offset - 1] === '\n') return offset - 1;
  const end = text.indexOf('\n', offset);
  return end < 0 ? text.length : end;
}
