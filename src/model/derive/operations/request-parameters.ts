import { type DocumentNode, member, text } from '../../../openapi/document/document-node.ts';
import { type DocumentSource, quote } from '../../../openapi/document/document-source.ts';
import { styleless } from '../../names.ts';
import { meshName } from '../names/mesh-name.ts';
import type { DocumentParameter } from './document-parameter.ts';

/**
 * The parameters that a caller can give and the gateway can send. Undefined, and a finding, where one that
 * must be given is not among them.
 */
export function sentParameters(
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
    const reason = whyNotSent(parameter, names);
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

/** Whether it is the caller's to give, and not what the project gives or the request has of itself. */
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
  if (!parameter.required || ABOUT_CREDENTIALS.test(path) || !isCredential(parameter)) return false;
  const setting = parameter.in === 'header' ? 'operationHeaders' : 'queryParams';
  const message = `${quote(parameter.name)} is a credential by its name, which callers do not give: ${setting} of the source can`;
  source.report('info', parameter.node.pointer, message, 'parameter-is-a-credential');
  return true;
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
  ['query', ['form', 'deepObject']],
  ['header', ['simple']],
]);

/** RFC 9110, 5.1. */
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~\w]+$/;

function whyNotSent({ name, in: place, node }: DocumentParameter, taken: ReadonlySet<string>) {
  const styles = STYLES.get(place);
  const style = text(member(node, 'style')) ?? styles?.[0] ?? '';
  if (styles === undefined) return `the gateway sends no parameters in a ${quote(place)}`;
  if (!styles.includes(style)) return `the gateway does not write parameters in the style ${quote(style)}`;
  if (place === 'header' && !HEADER_NAME.test(name)) return `${quote(name)} is not the name of a header`;
  if (member(node, 'content') !== undefined) return `the value of ${quote(name)} is a document of its own`;
  if (taken.has(meshName(name)))
    return `GraphQL cannot tell its parameter ${quote(name)} from another one's name`;
  return undefined;
}

/** Names of headers that say who calls. */
const HEADER =
  /(?:token|secret|password|credentials?|signature|authorization|authentication)$|(?:api|app|application|access|auth|secret|private|subscription|developer|dev|client|license)(?:key|id)$|^consumerkey$|^auth$/;

/** Names of headers that end so, and say something else. */
const OTHER_HEADER = /(?:page|next|continuation|sync|cursor|csrf|xsrf)token$/;

/** Names of query parameters that can mean nothing else: what is asked for may have a token, too. */
const QUERY =
  /^(?:api|app|access|auth|secret|subscription|consumer|client|oauth|bearer)(?:key|token|secret|password)$/;

/** Whether a parameter says who calls, by its name. */
function isCredential({ name, in: place }: Pick<DocumentParameter, 'name' | 'in'>): boolean {
  const word = styleless(name);
  if (place === 'header') return HEADER.test(word) && !OTHER_HEADER.test(word);
  return place === 'query' && QUERY.test(word);
}
