import { type DocumentNode, isTrue, items, member, members, text } from './document-node.ts';
import { type DocumentSource, quote, resolve } from './document-source.ts';
import { meshName, meshNameOfPath } from './mesh-name.ts';

export type Method = 'get' | 'put' | 'post' | 'delete' | 'patch';

const METHODS: readonly Method[] = ['get', 'put', 'post', 'delete', 'patch'];

/** A piece of a path template between two slashes. */
export type PathSegment =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'parameter'; readonly name: string };

export interface DocumentParameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: DocumentNode | undefined;
  readonly node: DocumentNode;
}

/** An operation as the document has it. */
export interface DocumentOperation {
  /** The name of its field in the mesh. */
  readonly id: string;
  readonly operationId: string | undefined;
  readonly method: Method;
  readonly path: string;
  /** The methods that the path has. */
  readonly siblings: readonly string[];
  readonly segments: readonly PathSegment[];
  readonly parameters: readonly DocumentParameter[];
  readonly node: DocumentNode;
  /** The answer that says it went well, its reference followed. */
  readonly response: DocumentNode | undefined;
  /** The JSON that it answers with. */
  readonly answer: DocumentNode | undefined;
  /** The JSON that it takes. */
  readonly requestBody: DocumentNode | undefined;
}

/**
 * The operations of the document that a service can call, in its order.
 *
 * Left out: what `x-odata: false` hides (on the operation or on its path), and what the mesh cannot
 * tell apart because another operation has the same name.
 */
export function documentOperations(source: DocumentSource): readonly DocumentOperation[] {
  const operations = members(member(source.root, 'paths'))
    .filter(([path]) => path.startsWith('/'))
    .flatMap(([path, item]) => pathOperations(source, path, item));
  return withoutDoubles(source, operations);
}

function pathOperations(
  source: DocumentSource,
  path: string,
  node: DocumentNode,
): readonly DocumentOperation[] {
  const item = resolve(source, node);
  if (item === undefined || isHidden(item)) return [];
  return METHODS.flatMap((method) => {
    const operation = member(item, method);
    if (operation === undefined || isHidden(operation)) return [];
    return readOperation(source, method, path, item, operation);
  });
}

function isHidden(node: DocumentNode): boolean {
  return member(node, 'x-odata')?.value === false;
}

function readOperation(
  source: DocumentSource,
  method: Method,
  path: string,
  item: DocumentNode,
  node: DocumentNode,
): DocumentOperation {
  const operationId = text(member(node, 'operationId'));
  const response = successResponse(source, node);
  return {
    id: operationId === undefined ? meshNameOfPath(method, path) : meshName(operationId),
    operationId,
    method,
    path,
    siblings: members(item).map(([name]) => name),
    segments: path.split('/').slice(1).map(pathSegment),
    parameters: readParameters(source, item, node),
    node,
    response,
    answer: jsonSchema(response),
    requestBody: jsonSchema(resolve(source, member(node, 'requestBody'))),
  };
}

function pathSegment(written: string): PathSegment {
  const name = /^\{([^{}]+)\}$/.exec(written)?.[1];
  return name === undefined ? { kind: 'literal', text: written } : { kind: 'parameter', name };
}

/** The operation's parameters and those of its path that it does not override. */
function readParameters(
  source: DocumentSource,
  item: DocumentNode,
  node: DocumentNode,
): readonly DocumentParameter[] {
  const written = [...items(member(item, 'parameters')), ...items(member(node, 'parameters'))];
  const read = written.flatMap((parameter) => readParameter(source, parameter) ?? []);
  return [...new Map(read.map((parameter) => [`${parameter.in} ${parameter.name}`, parameter])).values()];
}

function readParameter(source: DocumentSource, written: DocumentNode): DocumentParameter | undefined {
  const node = resolve(source, written);
  if (node === undefined) return undefined;
  const name = text(member(node, 'name'));
  const place = text(member(node, 'in'));
  if (name === undefined || place === undefined) {
    source.report('error', node.pointer, 'A parameter needs a `name` and an `in`');
    return undefined;
  }
  const schema = member(node, 'schema') ?? jsonSchema(node);
  return { name, in: place, required: isTrue(member(node, 'required')), schema, node };
}

/** The answer with the lowest status of success, else the one for all of them. */
function successResponse(source: DocumentSource, node: DocumentNode): DocumentNode | undefined {
  const responses = members(member(node, 'responses'));
  const good = responses
    .filter(([status]) => /^2(?:\d\d|XX)$/i.test(status))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const withContent = good.find(([, response]) => jsonSchema(resolve(source, response)) !== undefined);
  return resolve(source, (withContent ?? good[0])?.[1]);
}

const JSON_MEDIA = /^(?:application\/(?:[\w.+-]+\+)?json|application\/\*|\*\/\*)\s*(?:;|$)/i;

/** The schema of the JSON form of a response, a request body or a parameter. */
function jsonSchema(node: DocumentNode | undefined): DocumentNode | undefined {
  const content = members(member(node, 'content')).find(([media]) => JSON_MEDIA.test(media));
  return member(content?.[1], 'schema');
}

/** The mesh keeps the last of several operations with one name: the others cannot be called. */
function withoutDoubles(
  source: DocumentSource,
  operations: readonly DocumentOperation[],
): readonly DocumentOperation[] {
  const last = new Map(operations.map((operation) => [fieldOf(operation), operation]));
  return operations.filter((operation) => {
    const kept = last.get(fieldOf(operation));
    if (kept === operation) return true;
    const message = `The operation is left out: ${quote(operation.id)} also names ${kept?.method.toUpperCase()} ${kept?.path}`;
    source.report('error', operation.node.pointer, message);
    return false;
  });
}

function fieldOf({ method, id }: DocumentOperation): string {
  return `${method === 'get' ? 'query' : 'mutation'} ${id}`;
}

export function pathParameters(operation: DocumentOperation): readonly DocumentParameter[] {
  return operation.segments.flatMap((segment) => {
    if (segment.kind === 'literal') return [];
    return (
      operation.parameters.find(({ name, in: place }) => place === 'path' && name === segment.name) ?? []
    );
  });
}
