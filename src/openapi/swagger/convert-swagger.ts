import { upgradeFromTwoToThree } from '@scalar/openapi-upgrader/2.0-to-3.0';
import { isObject } from '../../core/json-object.ts';
import { type DocumentNode, nodeAt, nodeBelow, pointerNames, rootNode } from '../document/document-node.ts';
import { REQUEST_METHODS } from '../document/path-item.ts';
import { NotOpenApi } from '../parse/document-mistake.ts';
import { validateExtent } from '../parse/document-nesting.ts';
import { type OpenApiDocument, own } from '../parse/openapi-version.ts';

/** Whether the document is Swagger 2.0. */
export function isSwagger(document: OpenApiDocument): boolean {
  return own(document, 'swagger') === '2.0';
}

/**
 * Converts Swagger 2.0 to OpenAPI 3.0, with extensions unchanged. The document itself is not changed.
 *
 * Throws {@link NotOpenApi} if the document cannot be converted.
 */
export function convertSwagger(document: OpenApiDocument): OpenApiDocument {
  // The conversion expands shared objects.
  const reason = validateExtent(document);
  if (reason !== undefined) throw new NotOpenApi(reason);
  const prepared = withOwnBodies(structuredClone(document));
  try {
    const converted: unknown = upgradeFromTwoToThree(prepared);
    if (isObject(converted)) return withJoinedLists(prepared, converted);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new NotOpenApi(`It is Swagger 2.0, and cannot be converted to OpenAPI 3: ${reason}.`, { cause });
  }
  throw new NotOpenApi('It is Swagger 2.0, and cannot be converted to OpenAPI 3.');
}

/**
 * Moves bodies into the parameters of operations, because the library ignores those of paths and of the
 * document.
 */
function withOwnBodies(document: OpenApiDocument): OpenApiDocument {
  const paths = own(document, 'paths');
  if (!isObject(paths)) return document;
  const changed = Object.entries(paths).map(([path, item]) => [
    path,
    isObject(item) ? itemWithOwnBodies(document, item) : item,
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
    if (!REQUEST_METHODS.has(name) || !isObject(operation)) return [name, operation];
    return [name, withOwnBody(document, operation, shared)];
  });
  return Object.fromEntries(changed);
}

/** An operation's own body replaces that of its path. */
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

/** A body parameter, or a form parameter, with its index in the list. */
interface BodyPlace {
  readonly index: number;
  readonly parameter: OpenApiDocument;
}

/** The body and form parameters of a list, with resolved references. */
function bodyPlaces(document: OpenApiDocument, list: readonly unknown[]): readonly BodyPlace[] {
  return list.flatMap((written, index) => {
    const parameter = referenced(document, written);
    const place = own(parameter, 'in');
    return isObject(parameter) && (place === 'body' || place === 'formData') ? [{ index, parameter }] : [];
  });
}

/**
 * Swagger 2.0, Parameter Object: items of form lists are separated by commas unless `collectionFormat` says
 * otherwise. The library handles all other formats.
 */
function withJoinedLists(swagger: OpenApiDocument, converted: OpenApiDocument): OpenApiDocument {
  const paths = Object.entries(objectOf(own(converted, 'paths'))).map(([path, item]) => {
    if (!isObject(item)) return [path, item];
    const written = own(own(swagger, 'paths'), path);
    const operations = Object.entries(item).map(([name, operation]) => [
      name,
      REQUEST_METHODS.has(name)
        ? operationWithJoinedLists(swagger, own(written, name), operation)
        : operation,
    ]);
    return [path, Object.fromEntries(operations)];
  });
  return { ...converted, paths: Object.fromEntries(paths) };
}

function operationWithJoinedLists(swagger: OpenApiDocument, written: unknown, operation: unknown): unknown {
  const joined = bodyPlaces(swagger, itemsOf(own(written, 'parameters'))).filter(
    ({ parameter }) =>
      own(parameter, 'in') === 'formData' &&
      own(parameter, 'type') === 'array' &&
      (own(parameter, 'collectionFormat') ?? 'csv') === 'csv',
  );
  const body = own(operation, 'requestBody');
  const content = own(body, 'content');
  if (joined.length === 0 || !isObject(operation) || !isObject(body) || !isObject(content)) return operation;
  const encoding = Object.fromEntries(
    joined.map(({ parameter }) => [own(parameter, 'name'), { style: 'form', explode: false }]),
  );
  const encoded = Object.entries(content).map(([mediaType, media]) => [
    mediaType,
    { ...objectOf(media), encoding: { ...objectOf(own(media, 'encoding')), ...encoding } },
  ]);
  return { ...operation, requestBody: { ...body, content: Object.fromEntries(encoded) } };
}

function objectOf(value: unknown): OpenApiDocument {
  return isObject(value) ? value : {};
}

function referenced(document: OpenApiDocument, parameter: unknown): unknown {
  const reference = own(parameter, '$ref');
  const name = typeof reference === 'string' ? /^#\/parameters\/([^/]+)$/.exec(reference)?.[1] : undefined;
  if (name === undefined) return parameter;
  return own(own(document, 'parameters'), name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

type Names = readonly string[];

/**
 * Finds the position in the Swagger document for a pointer into the converted one, or the nearest above it.
 */
export function swaggerPointer(swagger: OpenApiDocument, pointer: string): string {
  let node: DocumentNode = rootNode(swagger);
  for (const name of swaggerNames(swagger, pointerNames(pointer))) {
    const inner = nodeAt(node, nodeBelow(rootNode(undefined), name, undefined).pointer);
    if (inner === undefined) break;
    node = inner;
  }
  return node.pointer;
}

const COMPONENTS: ReadonlyMap<string, string> = new Map([
  ['schemas', 'definitions'],
  ['parameters', 'parameters'],
  ['requestBodies', 'parameters'],
  ['responses', 'responses'],
  ['securitySchemes', 'securityDefinitions'],
]);

function swaggerNames(swagger: OpenApiDocument, names: Names): Names {
  const [first = '', second = '', third = '', ...rest] = names;
  if (first === 'servers') return [own(swagger, 'host') === undefined ? 'basePath' : 'host'];
  if (first === 'components') {
    const below =
      second === 'schemas' ? rest : withoutContent(second === 'parameters' ? unwrapped(rest) : rest);
    return [COMPONENTS.get(second) ?? second, third, ...below];
  }
  if (first !== 'paths') return names;
  const item = own(own(swagger, 'paths'), second);
  if (third === 'parameters') return [first, second, ...parameterNames(swagger, item, [third, ...rest])];
  return [first, second, third, ...operationNames(swagger, own(item, third), rest)];
}

function operationNames(swagger: OpenApiDocument, operation: unknown, names: Names): Names {
  const [first = '', second = '', ...rest] = names;
  if (first === 'parameters') return parameterNames(swagger, operation, names);
  if (first === 'responses') return [first, second, ...withoutContent(rest)];
  return first === 'requestBody' ? bodyNames(swagger, operation, names.slice(1)) : names;
}

/** The indices of parameters differ, because body parameters were removed. */
function parameterNames(
  swagger: OpenApiDocument,
  owner: unknown,
  [list = '', at = '', ...rest]: Names,
): Names {
  const written = itemsOf(own(owner, list));
  const bodies = new Set(bodyPlaces(swagger, written).map(({ index }) => index));
  const [index = at] = written.flatMap((_, place) => (bodies.has(place) ? [] : [place])).slice(Number(at));
  return [list, String(index), ...unwrapped(rest)];
}

/** A body is one parameter; a form has one per property. */
function bodyNames(swagger: OpenApiDocument, operation: unknown, names: Names): Names {
  const [, , ...rest] = names;
  const bodies = bodyPlaces(swagger, itemsOf(own(operation, 'parameters')));
  const [schema, properties, field, ...more] = rest;
  const form =
    properties === 'properties' && bodies.find(({ parameter }) => own(parameter, 'name') === field);
  if (schema === 'schema' && form && own(form.parameter, 'in') === 'formData') {
    return ['parameters', String(form.index), ...more];
  }
  const [body] = bodies;
  return body === undefined ? ['parameters'] : ['parameters', String(body.index), ...rest];
}

/** `content/application~1json/schema` was `schema`. */
function withoutContent(names: Names): Names {
  return names[0] === 'content' ? names.slice(2) : names;
}

/** Members of a parameter's schema were members of the parameter. */
function unwrapped(names: Names): Names {
  return names[0] === 'schema' ? names.slice(1) : names;
}
