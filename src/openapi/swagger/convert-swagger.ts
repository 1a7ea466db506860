import { upgradeFromTwoToThree } from '@scalar/openapi-upgrader/2.0-to-3.0';
import { NotOpenApi } from '../parse/document-mistake.ts';
import { whyNotReadable } from '../parse/document-nesting.ts';
import { isMapping, type OpenApiDocument, own } from '../parse/openapi-version.ts';
import { bodyPlaces, itemsOf, SWAGGER_METHODS } from './swagger-parameters.ts';

/** Whether a document is of the version before OpenAPI 3, which has another name. */
export function isSwagger(document: OpenApiDocument): boolean {
  return own(document, 'swagger') === '2.0';
}

/**
 * Converts Swagger 2.0 to OpenAPI 3.0; extensions stay where they are. The document itself stays as it is.
 *
 * Throws {@link NotOpenApi} for what cannot be converted.
 */
export function convertSwagger(document: OpenApiDocument): OpenApiDocument {
  // Objects that stand at several places are written out at each.
  const reason = whyNotReadable(document);
  if (reason !== undefined) throw new NotOpenApi(reason);
  const prepared = withOwnBodies(structuredClone(document));
  try {
    const converted: unknown = upgradeFromTwoToThree(prepared);
    if (isMapping(converted)) return converted;
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause);
    throw new NotOpenApi(`It is Swagger 2.0, and cannot be converted to OpenAPI 3: ${said}.`, { cause });
  }
  throw new NotOpenApi('It is Swagger 2.0, and cannot be converted to OpenAPI 3.');
}

/**
 * The document with each body among the parameters of its operations. The library has one body for an operation,
 * and leaves those alone that are parameters of the whole path, or of the document.
 */
function withOwnBodies(document: OpenApiDocument): OpenApiDocument {
  const paths = own(document, 'paths');
  if (!isMapping(paths)) return document;
  const changed = Object.entries(paths).map(([path, item]) => [
    path,
    isMapping(item) ? itemWithOwnBodies(document, item) : item,
  ]);
  return { ...document, paths: Object.fromEntries(changed) };
}

function itemWithOwnBodies(document: OpenApiDocument, item: OpenApiDocument): OpenApiDocument {
  const shared = itemsOf(own(item, 'parameters'));
  const changed = Object.entries(item).map(([name, operation]) => {
    if (name === 'parameters') {
      const bodies = new Set(bodyPlaces(document, shared).map(({ index }) => index));
      return [name, shared.filter((_, index) => !bodies.has(index))];
    }
    if (!SWAGGER_METHODS.has(name) || !isMapping(operation)) return [name, operation];
    return [name, withOwnBody(document, operation, shared)];
  });
  return Object.fromEntries(changed);
}

/** An operation's own body stands in the place of that of its path. */
function withOwnBody(
  document: OpenApiDocument,
  operation: OpenApiDocument,
  shared: readonly unknown[],
): OpenApiDocument {
  const parameters = itemsOf(own(operation, 'parameters'));
  const bodies = bodyPlaces(document, parameters);
  const places = new Set(bodies.map(({ index }) => index));
  const found = bodies.length > 0 ? bodies : bodyPlaces(document, shared);
  if (found.length === 0) return operation;
  const others = parameters.filter((_, index) => !places.has(index));
  return {
    ...operation,
    parameters: [...others, ...found.map(({ parameter }) => structuredClone(parameter))],
  };
}
