import { isMapping, type OpenApiDocument, own } from '../openapi/parse/openapi-version.ts';

/**
 * The document as the test console is given it: every operation is tried at one address of ours, and the
 * gateway, which has the credentials, asks nobody for them.
 */
export function consoleDocument(document: OpenApiDocument, tryUrl: string): OpenApiDocument {
  const { security: _, ...rest } = document;
  const { securitySchemes: __, ...components } = mappingOf(own(document, 'components'));
  return {
    ...rest,
    servers: [{ url: tryUrl }],
    paths: mapValues(own(document, 'paths'), (item) => mapValues(withoutServers(item), withoutServers)),
    components,
  };
}

function mappingOf(value: unknown): OpenApiDocument {
  return isMapping(value) ? value : {};
}

/** A path or an operation may have servers and security of its own. */
function withoutServers(value: unknown): unknown {
  if (!isMapping(value)) return value;
  const { servers: _, security: __, ...rest } = value;
  return rest;
}

function mapValues(value: unknown, change: (value: unknown) => unknown): unknown {
  if (!isMapping(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, change(inner)]));
}
