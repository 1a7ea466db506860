import { parse } from 'yaml';
import { isObject, type JsonObject, objectAt, textAt } from './json.ts';

/** An OpenAPI document, interpreted independently of the gateway. */
export interface ApiDocument {
  /** The path of the first server's URL, without a slash at its end. */
  readonly basePath: string;
  readonly operations: readonly Operation[];
  /** The object that a Reference Object leads to, or the object itself. */
  resolve(node: unknown): JsonObject;
}

export interface Operation {
  /** In capital letters. */
  readonly method: string;
  /** The template, such as `/pets/{id}`. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** Status of the answer where all goes well. */
  readonly status: number;
  /** The JSON of that answer. */
  readonly answer: JsonObject | undefined;
  /** Names of the answer's header fields, in lower case. */
  readonly headers: readonly string[];
  /** The descriptions of the operation and its parameters. */
  readonly prose: string;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: JsonObject;
  readonly description: string;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** Reads a document of version 3, in JSON or YAML. References lead within it. */
export function readApiDocument(text: string): ApiDocument {
  const root: unknown = text.trimStart().startsWith('{')
    ? JSON.parse(text)
    : parse(text, { maxAliasCount: -1, uniqueKeys: false });
  const resolve = (node: unknown): JsonObject => {
    let found = node;
    for (let step = 0; step < 32 && isObject(found) && typeof found['$ref'] === 'string'; step++) {
      found = pointedAt(root, found['$ref']);
    }
    return isObject(found) ? found : {};
  };
  const operations = Object.entries(objectAt(resolve(root), 'paths')).flatMap(([path, item]) =>
    operationsOf(path, resolve(item), resolve),
  );
  return { basePath: basePathOf(resolve(root)), operations, resolve };
}

/** RFC 6901, in the fragment of a URI. */
function pointedAt(root: unknown, reference: string): unknown {
  const names = reference.replace(/^#\/?/, '').split('/');
  return names
    .map((name) => decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>(
      (node, name) => (isObject(node) || Array.isArray(node) ? Reflect.get(node, name) : undefined),
      root,
    );
}

function basePathOf(root: JsonObject): string {
  const servers = root['servers'];
  const url = Array.isArray(servers) && isObject(servers[0]) ? textAt(servers[0], 'url') : '';
  return URL.parse(url, 'http://localhost')?.pathname.replace(/\/$/, '') ?? '';
}

type Resolve = ApiDocument['resolve'];

function operationsOf(path: string, item: JsonObject, resolve: Resolve): readonly Operation[] {
  return METHODS.filter((method) => isObject(item[method])).map((method) => {
    const operation = objectAt(item, method);
    const parameters = parametersOf(
      [...listAt(item, 'parameters'), ...listAt(operation, 'parameters')],
      resolve,
    );
    const [documented, response] = successOf(objectAt(operation, 'responses'), resolve);
    // Reads that are documented with 201 or 206 are slips of the pen.
    const status = method === 'get' ? 200 : documented;
    return {
      method: method.toUpperCase(),
      path,
      parameters,
      status,
      answer: jsonSchemaOf(objectAt(response, 'content')),
      headers: Object.keys(objectAt(response, 'headers')).map((name) => name.toLowerCase()),
      prose: [
        textAt(operation, 'description'),
        textAt(response, 'description'),
        ...parameters.map(({ description }) => description),
      ].join('\n'),
    };
  });
}

function listAt(node: JsonObject, name: string): readonly unknown[] {
  const value = node[name];
  return Array.isArray(value) ? value : [];
}

/** Parameters of an operation replace those of its path. */
function parametersOf(nodes: readonly unknown[], resolve: Resolve): readonly Parameter[] {
  const parameters = nodes.map(resolve).map((node) => ({
    name: textAt(node, 'name'),
    in: textAt(node, 'in'),
    required: node['required'] === true,
    schema: isObject(node['schema']) ? node['schema'] : {},
    description: textAt(node, 'description'),
  }));
  return [
    ...new Map(parameters.map((parameter) => [`${parameter.in} ${parameter.name}`, parameter])).values(),
  ];
}

function successOf(responses: JsonObject, resolve: Resolve): readonly [number, JsonObject] {
  const codes = Object.keys(responses);
  const code =
    codes.find((name) => name.startsWith('2')) ?? codes.find((name) => name === 'default') ?? '200';
  const status = /^\d{3}$/.test(code) ? Number(code) : 200;
  return [status, resolve(responses[code])];
}

function jsonSchemaOf(content: JsonObject): JsonObject | undefined {
  const types = Object.keys(content);
  const type =
    types.find((name) => /^application\/json\b/.test(name)) ?? types.find((name) => /json/.test(name));
  const schema = type === undefined ? undefined : objectAt(content, type)['schema'];
  return isObject(schema) ? schema : undefined;
}
