import { type Document, isMap, isSeq, parseDocument, type ToStringOptions, type YAMLSeq } from 'yaml';
import { isMapping, type OpenApiDocument, own } from '../../document/openapi-version.ts';
import { parseText } from '../../document/parse-text.ts';

/** A source as the project file has it: nothing of the environment is filled in. */
export interface WrittenSource {
  readonly name: string;
  readonly document: string;
  readonly endpoint: string | undefined;
  readonly operationHeaders: Readonly<Record<string, string>>;
  readonly queryParams: Readonly<Record<string, string>>;
  /** All of it. */
  readonly written: OpenApiDocument;
}

/** The OpenAPI sources in the text of a `.meshrc.yaml`; what is not understood is left to whoever serves it. */
export function listSources(text: string): readonly WrittenSource[] {
  const sources = own(parseText(text), 'sources');
  return (Array.isArray(sources) ? sources : []).flatMap((source) => {
    const openapi = own(own(source, 'handler'), 'openapi');
    const [name, document, endpoint] = [
      own(source, 'name'),
      own(openapi, 'source'),
      own(openapi, 'endpoint'),
    ];
    if (!isMapping(source) || typeof name !== 'string' || typeof document !== 'string') return [];
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
  if (!isMapping(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([name, text]) => [name, String(text)]));
}

/** The two names by which the gateway's client identifies itself, as the project file has them. */
export const IDENTITY_HEADERS = {
  'x-application-name': '{env.APPLICATION_NAME}',
  'x-gateway-api-name': '{env.GATEWAY_API_NAME}',
} as const;

/** A source that calls the API at that URL. The document's path is from the folder of the project file. */
export function newSource(name: string, document: string, endpoint: string): OpenApiDocument {
  const openapi = {
    source: document,
    endpoint,
    ignoreErrorResponses: true,
    operationHeaders: IDENTITY_HEADERS,
  };
  return { name, handler: { openapi } };
}

/** The text with one more source at its end. Comments and layout stay as they are. */
export function withSource(text: string, source: OpenApiDocument): string {
  return edit(text, (sources, file) => sources.add(file.createNode(source)));
}

export function withoutSource(text: string, name: string): string {
  return edit(text, (sources) => {
    sources.items = sources.items.filter((item) => !isMap(item) || item.get('name') !== name);
  });
}

export function withEndpoint(text: string, name: string, endpoint: string): string {
  return edit(text, (sources) => {
    const source = sources.items.find((item) => isMap(item) && item.get('name') === name);
    if (isMap(source)) source.setIn(['handler', 'openapi', 'endpoint'], endpoint);
  });
}

function edit(text: string, change: (sources: YAMLSeq, file: Document) => void): string {
  const file = parseDocument(text);
  const sources = file.get('sources');
  if (!isSeq(sources)) throw new Error('The project file has no list of sources');
  const layout = layoutOf(text, file);
  change(sources, file);
  return file.toString(layout);
}

/** How the text is indented: what writes the unchanged file as it was. */
function layoutOf(text: string, file: Document): ToStringOptions {
  return LAYOUTS.find((layout) => file.toString(layout) === text) ?? PLAIN;
}

const PLAIN: ToStringOptions = { lineWidth: 0 };

const LAYOUTS: readonly ToStringOptions[] = [2, 4].flatMap((indent) =>
  [true, false].flatMap((indentSeq) =>
    [true, false].map((flowCollectionPadding) => ({ ...PLAIN, indent, indentSeq, flowCollectionPadding })),
  ),
);
