import { meshName } from '../../model/mesh-name.ts';
import { foldedName } from '../../model/names.ts';
import {
  type DocumentNode,
  isHidden,
  isObjectNode,
  isTrue,
  items,
  member,
  members,
  text,
} from '../../openapi/document/document-node.ts';
import { type DocumentSource, quote, resolve } from '../../openapi/document/document-source.ts';
import { type OperationServer, operationServer } from '../../openapi/document/operation-server.ts';
import { type BodyContent, bodyContent, bodyKind } from './body-content.ts';

export type Method = 'get' | 'put' | 'post' | 'delete' | 'patch';

const METHODS: readonly Method[] = ['get', 'put', 'post', 'delete', 'patch'];

/** A piece of a path template between two slashes. */
export type PathSegment =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'parameter'; readonly name: string };

/** An operation as the document has it. */
export interface UnnamedOperation {
  readonly operationId: string | undefined;
  readonly method: Method;
  /** As it is called, with the values of the parameters that have but one. */
  readonly path: string;
  /** As the document has it. */
  readonly writtenPath: string;
  /** The methods that the path has. */
  readonly siblings: readonly string[];
  readonly segments: readonly PathSegment[];
  /** The parameters that the gateway can send. */
  readonly parameters: readonly DocumentParameter[];
  readonly node: DocumentNode;
  /** The successful response, with its reference resolved. */
  readonly response: DocumentNode | undefined;
  /** The JSON that it answers with. */
  readonly answer: DocumentNode | undefined;
  /** The answer may be nested in an object: the document does not say. */
  readonly isOfUnknownShape?: true;
  /** The server that it is called at; undefined for the endpoint of its source. */
  readonly server: OperationServer | undefined;
  /** The content that it takes: JSON, else a form; undefined for anything else. */
  readonly body: BodyContent | undefined;
}

export interface DocumentOperation extends UnnamedOperation {
  /** The name of its field in the mesh, which no other operation of the service has. */
  readonly id: string;
}

/**
 * The operations of the document that a service can call, in its order.
 *
 * Left out: what `x-odata: false` hides (on the operation or on its path), and what needs a parameter
 * that the gateway cannot send.
 */
export function documentOperations(source: DocumentSource): readonly UnnamedOperation[] {
  const all = members(member(source.root, 'paths'))
    .filter(([path]) => path.startsWith('/'))
    .flatMap(([path, item]) => pathOperations(source, path, item));
  return withoutTwins(source, all);
}

/**
 * The operations without those whose path is another one's but for the slash at its end: one of each method is left, the
 * first one that the document says more of.
 */
function withoutTwins(
  source: DocumentSource,
  operations: readonly UnnamedOperation[],
): readonly UnnamedOperation[] {
  const groups = Map.groupBy(operations, (operation) => `${operation.method} ${templatePath(operation)}`);
  const twins = new Set<UnnamedOperation>();
  for (const group of groups.values()) {
    const kept = group.find(({ answer, body }) => answer !== undefined || body !== undefined) ?? group[0];
    for (const twin of group) {
      if (twin === kept || twin.path.endsWith('/') === kept?.path.endsWith('/')) continue;
      twins.add(twin);
      const message = `Its path is that of ${quote(kept?.writtenPath)} but for the slash at the end: they are one`;
      source.report('info', twin.node.pointer, message, 'path-has-a-twin');
    }
  }
  return operations.filter((operation) => !twins.has(operation));
}

function pathOperations(
  source: DocumentSource,
  path: string,
  node: DocumentNode,
): readonly UnnamedOperation[] {
  const item = resolve(source, node);
  if (item === undefined || isHidden(item)) return [];
  reportColons(source, path, node);
  return METHODS.flatMap((method) => {
    const operation = member(item, method);
    if (operation === undefined || isHidden(operation)) return [];
    if (isObjectNode(operation)) return readOperation(source, method, path, item, operation) ?? [];
    source.report('error', operation.pointer, 'An operation is an object');
    return [];
  });
}

/** Frameworks write `/things/:id`, which in OpenAPI is a path like any other (OpenAPI 3.1, 4.8.8.1). */
function reportColons(source: DocumentSource, path: string, node: DocumentNode): void {
  const [segment] = /(?<=\/):\w+(?=\/|$)/.exec(path) ?? [];
  if (segment === undefined) return;
  const message = `${quote(segment)} in its path is no parameter: OpenAPI writes these in braces, as {${segment.slice(1)}}`;
  source.report('warning', node.pointer, message, 'path-has-a-colon');
}

function readOperation(
  source: DocumentSource,
  method: Method,
  written: string,
  item: DocumentNode,
  node: DocumentNode,
): UnnamedOperation | undefined {
  const described = readParameters(source, item, node);
  const path = givenPath(source, written, described);
  const parameters = sentParameters(source, path, node, described);
  const server = serverOf(source, item, node);
  if (parameters === undefined || server === 'none') return undefined;
  const operationId = text(member(node, 'operationId'));
  const response = successResponse(source, node);
  // The content of a GET means nothing (RFC 9110, 9.3.1), and no client of HTTP has to be able to send it.
  const body = method === 'get' ? undefined : resolve(source, member(node, 'requestBody'));
  return {
    operationId: operationId === '' ? undefined : operationId,
    method,
    path,
    writtenPath: written,
    siblings: members(item).map(([name]) => name),
    segments: pathSegments(path),
    parameters,
    node,
    response,
    answer: jsonSchema(response),
    server,
    body: bodyContent(body, method),
  };
}

function serverOf(
  source: DocumentSource,
  item: DocumentNode,
  node: DocumentNode,
): OperationServer | undefined | 'none' {
  const choice = operationServer(source, item, node);
  if (choice.kind === 'none') {
    source.report('warning', node.pointer, `The operation is left out: ${choice.reason}`, 'server-elsewhere');
    return 'none';
  }
  if (choice.kind === 'endpoint') return undefined;
  const { server } = choice;
  if (server.isForeign) {
    const message = `It is called at its own server ${quote(server.url)}, without the headers and credentials of the source`;
    source.report('info', node.pointer, message, 'server-of-its-own');
  }
  return server;
}

/** The path whatever its parameters are called, without a slash at its end. */
export function templatePath({ path }: Pick<UnnamedOperation, 'path'>): string {
  return path.replace(/(?<=.)\/$/, '').replaceAll(/\{[^{}]*\}/g, '{}');
}

/** The path without a trailing slash or `.json`, which do not distinguish resources. */
export function plainPath(path: string): string {
  return path.length > 1 ? path.replace(/\/$/, '').replace(/(?<=[^/])\.json$/, '') : path;
}

function pathSegments(path: string): readonly PathSegment[] {
  return plainPath(path).split('/').slice(1).map(pathSegment);
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
  const read = written.flatMap((parameter) => {
    const found = readParameter(source, parameter);
    return found === undefined ? [] : (pageMembers(source, found) ?? [found]);
  });
  return [...new Map(read.map((parameter) => [parameterKey(parameter), parameter])).values()];
}

/** Names of what chooses a page within an object, such as Spring's `pageable`. */
const PAGE_MEMBER = /^(?:page(?:_?(?:number|size))?|size|limit|offset)$/i;

/**
 * The members of an object that chooses a page: in the style `form`, each is a parameter of its own (OpenAPI 3.1,
 * 4.8.12.4). Undefined for any other parameter.
 */
function pageMembers(
  source: DocumentSource,
  { in: place, schema, required, node }: DocumentParameter,
): readonly DocumentParameter[] | undefined {
  const isForm =
    (text(member(node, 'style')) ?? 'form') === 'form' && member(node, 'explode')?.value !== false;
  const object = place === 'query' && isForm ? resolve(source, schema) : undefined;
  const found = members(member(object, 'properties'));
  if (found.filter(([name]) => PAGE_MEMBER.test(name)).length < 2) return undefined;
  const demanded = required ? items(member(object, 'required')).map((each) => text(each)) : [];
  return found.map(([name, each]) => {
    const isDemanded = demanded.includes(name);
    const value = { name, in: 'query', required: isDemanded, schema: each.value };
    return { name, in: 'query', required: isDemanded, schema: each, node: { value, pointer: each.pointer } };
  });
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
  return { name, in: place, required: place === 'path' || isTrue(member(node, 'required')), schema, node };
}

/** The answer with the lowest status of success, else the one for all of them. */
function successResponse(source: DocumentSource, node: DocumentNode): DocumentNode | undefined {
  const responses = members(member(node, 'responses'));
  const good = responses
    .filter(([status]) => /^2(?:\d\d|XX)$/i.test(status))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const withContent = good.find(([, response]) => jsonSchema(resolve(source, response)) !== undefined);
  // Without a success status, the `default` response is also the successful one.
  const [only] = responses.length === 1 && responses[0]?.[0] === 'default' ? responses : [];
  return resolve(source, (withContent ?? good[0] ?? only)?.[1]);
}

/** The schema of the JSON form of a response or a parameter. */
function jsonSchema(node: DocumentNode | undefined): DocumentNode | undefined {
  const content = members(member(node, 'content')).find(([media]) => bodyKind(media) === 'json');
  return member(content?.[1], 'schema');
}

/** Shorter paths first. */
export function byPathLength(a: DocumentOperation, b: DocumentOperation): number {
  return a.segments.length - b.segments.length;
}

export function pathParameters(operation: UnnamedOperation): readonly DocumentParameter[] {
  return operation.segments.flatMap((segment) => {
    if (segment.kind === 'literal') return [];
    return (
      operation.parameters.find(({ name, in: place }) => place === 'path' && name === segment.name) ?? []
    );
  });
}

/** Names of what says in which form an answer is written. */
const FORM = /format|extension|content_?type|media_?type/i;

const VERSION = /^(?:api[_-]?)?version$/i;

/** Values that need no encoding in a path. */
const PLAIN = /^[\w.-]{1,32}$/;

/**
 * The path with single-valued parameters filled in: `/lists.{format}` becomes `/lists.json` if JSON is a
 * format, and `/v{version}/areas` gets the default version. These parameters do not distinguish resources.
 */
function givenPath(source: DocumentSource, path: string, parameters: readonly DocumentParameter[]): string {
  const given = path.replaceAll(/\{([^{}]+)\}/g, (written, name) => {
    const parameter = parameters.find((each) => each.in === 'path' && each.name === name);
    const value = parameter === undefined ? undefined : givenValue(source, parameter);
    return value !== undefined && PLAIN.test(value) ? value : written;
  });
  // If the document has that path too, it is a different operation.
  return given === path || member(member(source.root, 'paths'), given) === undefined ? given : path;
}

function givenValue(source: DocumentSource, { name, schema }: DocumentParameter): string | undefined {
  const resolved = resolve(source, schema);
  const values = items(member(resolved, 'enum')).flatMap((each) => text(each) ?? []);
  const [only, ...others] = values;
  if (only !== undefined && others.length === 0) return only;
  if (FORM.test(name)) return values.find((value) => /^\.?json$/i.test(value));
  const otherwise = member(resolved, 'default')?.value;
  const isVersion = VERSION.test(name) && (typeof otherwise === 'string' || typeof otherwise === 'number');
  return text(member(resolved, 'const')) ?? (isVersion ? String(otherwise) : undefined);
}

/**
 * The parameters that a caller can set and the gateway can send. Undefined, and a finding, if a required
 * parameter is missing among them.
 */
function sentParameters(
  source: DocumentSource,
  path: string,
  operation: DocumentNode,
  written: readonly DocumentParameter[],
): readonly DocumentParameter[] | undefined {
  const inPath = templateNames(path);
  const callers = written.filter((parameter) => isCallers(source, parameter, inPath));
  const own = callers.filter((parameter) => !isOperators(source, path, parameter));
  const all = [...inPath.flatMap((name) => pathParameter(operation, own, name)), ...own.filter(isNotInPath)];
  const names = new Set<string>();
  const sent: DocumentParameter[] = [];
  for (const parameter of all) {
    const reason = validateSendable(parameter, names);
    if (reason === undefined) sent.push(parameter);
    else if (parameter.required) {
      source.report('warning', operation.pointer, `The operation is left out: ${reason}`);
      return undefined;
    } else {
      source.report('warning', parameter.node.pointer, `The parameter is left out: ${reason}`);
    }
    names.add(meshName(parameter.name));
  }
  return sent;
}

function templateNames(path: string): readonly string[] {
  return [...new Set(Array.from(path.matchAll(/\{([^{}]+)\}/g), ([, name = '']) => name))];
}

function isNotInPath({ in: place }: DocumentParameter): boolean {
  return place !== 'path';
}

/**
 * Headers that are no caller's: those that parameters do not describe (OpenAPI 3.1, 4.8.12.2), those of the connection,
 * and those that the gateway sends with its calls anyway.
 */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  ...['accept', 'content-type', 'authorization'],
  ...['host', 'connection', 'content-length', 'accept-encoding', 'user-agent'],
  ...['x-request-id', 'traceparent', 'tracestate', 'idempotency-key'],
]);

/** Whether the caller sets the parameter, as opposed to the project or the HTTP request itself. */
function isCallers(
  { supplied }: DocumentSource,
  { name, in: place }: DocumentParameter,
  inPath: readonly string[],
): boolean {
  switch (place) {
    case 'path':
      return inPath.includes(name);
    case 'query':
      return !supplied.query.has(name);
    case 'header':
      return !OWN_HEADERS.has(name.toLowerCase()) && !supplied.headers.has(name.toLowerCase());
    default:
      return true;
  }
}

/** Paths of operations that are asked about credentials, or do something with one. */
const ABOUT_CREDENTIALS =
  /(?<![a-z])(?:tokens?|tokeninfo|oauth2?|auth|authoriz[a-z]*|authenticat[a-z]*|log-?in|log-?out|sessions?|verif[a-z]+|introspect[a-z]*|passwords?|credentials?)(?![a-z])/i;

/** Whether it is a credential that the project has to give: callers would put it into addresses, which are kept. */
function isOperators(source: DocumentSource, path: string, parameter: DocumentParameter): boolean {
  if (!parameter.required) return false;
  const setting = parameter.in === 'header' ? 'operationHeaders' : 'queryParams';
  const name = quote(parameter.name);
  if (isCredential(parameter) && !ABOUT_CREDENTIALS.test(path)) {
    const message = `${name} is a credential by its name, which callers do not give: ${setting} of the source can`;
    source.report('info', parameter.node.pointer, message, 'parameter-is-a-credential');
    return true;
  }
  if (!demandedEverywhere(source).has(parameterKey(parameter))) return false;
  const message = `Nearly every operation demands ${name}, which callers do not give: ${setting} of the source can`;
  source.report('warning', parameter.node.pointer, message, 'parameter-is-demanded-everywhere');
  return true;
}

/** Ends of names that are those of credentials where every operation demands them. */
const LIKE_CREDENTIAL =
  /(?:^|[^a-z])(?:auth|token|key|secret|signature)$|(?:Auth|Token|Key|Secret|Signature)$/;

const EVERYWHERE = new WeakMap<DocumentSource, ReadonlySet<string>>();

/**
 * Parameters of nearly all operations belong to no request: the minimum number of operations, and their
 * share.
 */
const MANY = 10;
const NEARLY_ALL = 0.9;

/**
 * Parameters that nearly all operations require, which identify the caller: headers, query parameters named
 * like a credential, and those next to one.
 */
function demandedEverywhere(source: DocumentSource): ReadonlySet<string> {
  const known = EVERYWHERE.get(source);
  if (known !== undefined) return known;
  const demanded = everyOperation(source).map(({ item, operation }) =>
    readParameters(source, item, operation).filter(({ required, in: place }) => required && place !== 'path'),
  );
  const byKey = Map.groupBy(demanded.flat(), parameterKey);
  const all = [...byKey.values()].flatMap((found) =>
    demanded.length >= MANY && found.length >= demanded.length * NEARLY_ALL ? found.slice(0, 1) : [],
  );
  const isSigned = all.some(
    (parameter) =>
      parameter.in === 'query' && (isCredential(parameter) || LIKE_CREDENTIAL.test(parameter.name)),
  );
  const candidates = all.filter(
    (parameter) => parameter.in === 'header' || (parameter.in === 'query' && isSigned),
  );
  const keys = new Set(candidates.map(parameterKey));
  EVERYWHERE.set(source, keys);
  return keys;
}

function everyOperation(source: DocumentSource) {
  return members(member(source.root, 'paths')).flatMap(([, node]) => {
    const item = resolve(source, node);
    if (item === undefined) return [];
    const operations = METHODS.flatMap((method) => member(item, method) ?? []);
    return operations.map((operation) => ({ item, operation }));
  });
}

function parameterKey({ in: place, name }: DocumentParameter): string {
  return `${place} ${name}`;
}

/** A part of the path that no parameter describes is a text. */
function pathParameter(
  { pointer }: DocumentNode,
  described: readonly DocumentParameter[],
  name: string,
): DocumentParameter {
  const found = described.find((parameter) => parameter.in === 'path' && parameter.name === name);
  if (found !== undefined) return found;
  const node = { value: { name, in: 'path', schema: { type: 'string' } }, pointer: `${pointer}/{${name}}` };
  return { name, in: 'path', required: true, schema: member(node, 'schema'), node };
}

/** OpenAPI 3.1, 4.8.12.3; the first one is the default. */
const STYLES: ReadonlyMap<string, readonly string[]> = new Map([
  ['path', ['simple']],
  ['query', ['form', 'deepObject', 'spaceDelimited', 'pipeDelimited']],
  ['header', ['simple']],
]);

/** RFC 9110, 5.1. */
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~\w]+$/;

function validateSendable({ name, in: place, node }: DocumentParameter, taken: ReadonlySet<string>) {
  const styles = STYLES.get(place);
  const style = text(member(node, 'style')) ?? styles?.[0] ?? '';
  if (styles === undefined) return `the gateway sends no parameters in a ${quote(place)}`;
  if (!styles.includes(style)) return `the gateway does not write parameters in the style ${quote(style)}`;
  if (place === 'header' && !HEADER_NAME.test(name)) return `${quote(name)} is not the name of a header`;
  if (member(node, 'content') !== undefined)
    return `the value of ${quote(name)} is a separate document (\`content\`)`;
  if (taken.has(meshName(name)))
    return `GraphQL cannot tell its parameter ${quote(name)} from another one's name`;
  return undefined;
}

/** Names of headers that say who calls. */
const HEADER =
  /(?:token|secret|password|credentials?|signature|authorization|authentication)$|(?:api|app|application|access|auth|secret|private|subscription|developer|dev|client|license)(?:key|id)$|^consumerkey$|^auth$/;

/** Names of headers that end so, and say something else. */
const OTHER_HEADER = /(?:page|next|continuation|sync|cursor|csrf|xsrf)token$/;

/** Unambiguous names of query parameters for credentials; `token` alone may be a property of the data. */
const QUERY =
  /^(?:api|app|access|auth|secret|subscription|consumer|client|oauth|bearer)(?:key|token|secret|password)$|^jwt(?:token)?$/;

/** Whether a parameter says who calls, by its name. */
function isCredential({ name, in: place }: Pick<DocumentParameter, 'name' | 'in'>): boolean {
  const word = foldedName(name);
  if (place === 'header') return HEADER.test(word) && !OTHER_HEADER.test(word);
  return place === 'query' && QUERY.test(word);
}

export interface DocumentParameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: DocumentNode | undefined;
  readonly node: DocumentNode;
}

/** The character between the items of a list in the query (OpenAPI 3.1, 4.8.12.3); undefined for the style `form`. */
export function delimiterOf({ in: place, node }: DocumentParameter): ' ' | '|' | undefined {
  if (place !== 'query' || member(node, 'explode')?.value === true) return undefined;
  const style = text(member(node, 'style'));
  return style === 'pipeDelimited' ? '|' : style === 'spaceDelimited' ? ' ' : undefined;
}

/** The default or the only allowed value of a parameter. */
export function onlyValue(schema: DocumentNode | undefined): DocumentNode | undefined {
  const [only, ...others] = items(member(schema, 'enum'));
  return member(schema, 'default') ?? member(schema, 'const') ?? (others.length === 0 ? only : undefined);
}
