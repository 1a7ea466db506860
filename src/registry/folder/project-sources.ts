import { isMapping, type OpenApiDocument, own } from '../../openapi/parse/openapi-version.ts';
import { parseText } from '../../openapi/parse/parse-text.ts';

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
