import { type DocumentNode, nodeAt, nodeBelow, rootNode } from '../document/document-node.ts';
import { pointerNames } from '../document/written-place.ts';
import { type OpenApiDocument, own } from '../parse/openapi-version.ts';
import { bodyPlaces, itemsOf } from './swagger-parameters.ts';

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
