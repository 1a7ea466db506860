import { upgradeFromTwoToThree } from '@scalar/openapi-upgrader/2.0-to-3.0';
import { isObject } from '../../core/json-object.ts';
import { type DocumentNode, nodeAt, nodeBelow, pointerNames, rootNode } from '../document/document-node.ts';
import { REQUEST_METHODS } from '../document/path-item.ts';
import { NotOpenApi } from '../parse/document-mistake.ts';
import { validateExtent } from '../parse/document-nesting.ts';
import { type OpenApiDocument, own } from '../parse/openapi-version.ts';

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
  const reason = validateExtent(document);
  if (reason !== undefined) throw new NotOpenApi(reason);
  const prepared = withOwnBodies(structuredClone(document));
  try {
    const converted: unknown = upgradeFromTwoToThree(prepared);
    if (isObject(converted)) return withJoinedLists(prepared, converted);
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

/** A parameter that makes up the body, or a part of it, and its place in the list. */
interface BodyPlace {
  readonly index: number;
  readonly parameter: OpenApiDocument;
}

/** The parameters of a list that are sent in the body, their references followed. */
function bodyPlaces(document: OpenApiDocument, list: readonly unknown[]): readonly BodyPlace[] {
  return list.flatMap((written, index) => {
    const parameter = referenced(document, written);
    const place = own(parameter, 'in');
    return isObject(parameter) && (place === 'body' || place === 'formData') ? [{ index, parameter }] : [];
  });
}

/**
 * Swagger 2.0, Parameter Object: items of a list in a form have commas between them unless `collectionFormat` says
 * otherwise. The library writes every other format as an encoding.
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

/** Finds what a pointer into the converted document leads to in the Swagger document, or what is nearest above it. */
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

/** Parameters of the body are no parameters any more: the others have moved up. */
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

/** A body is one parameter; a form has one for each property. */
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

/** What is in a parameter's schema was in the parameter. */
function unwrapped(names: Names): Names {
  return names[0] === 'schema' ? names.slice(1) : names;
}
