import { GatewayError } from '../../contract/gateway-error.ts';
import {
  type DocumentNode,
  items,
  member,
  members,
  rootNode,
  text,
} from '../../openapi/document/document-node.ts';
import { documentSource, resolve } from '../../openapi/document/document-source.ts';

/** An operation of a document that a request is one of. */
export interface MatchedOperation {
  /** Names of its header parameters, in lower case. */
  readonly headers: ReadonlySet<string>;
  /** The media type of its body, where it has one. */
  readonly mediaType: string | undefined;
}

const LONGEST_PATH = 8192;

/** What else a path has, such as `parameters`, is no method; TRACE would show what the gateway sends. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH']);

/**
 * Finds the operation with that method whose path the given one, with its query, fits. Throws BadRequest for what is
 * no path, or leads elsewhere than it says; NotFound where the document has no such path; MethodNotAllowed, with what
 * is possible, where it has another method there.
 */
export function matchOperation(document: unknown, method: string, path: string): MatchedOperation {
  const segments = readSegments(path);
  const source = documentSource('', document);
  const fitting = members(member(rootNode(document), 'paths'))
    .filter(([template]) => fits(template.split('/').slice(1), segments))
    .map(([, item]) => resolve(source, item));
  if (fitting.length === 0) throw mistake('NotFound', 'The document has no operation at this path.');
  const item = fitting.find((each) => methodsOf(each).includes(method));
  if (item === undefined) throw notPossible(method, fitting.flatMap(methodsOf));
  const operation = member(item, method.toLowerCase());
  const parameters = [...items(member(item, 'parameters')), ...items(member(operation, 'parameters'))];
  return {
    headers: headerNames(parameters.map((parameter) => resolve(source, parameter))),
    mediaType: mediaTypeOf(resolve(source, member(operation, 'requestBody'))),
  };
}

function methodsOf(item: DocumentNode | undefined): readonly string[] {
  return [...METHODS].filter((method) => member(item, method.toLowerCase()) !== undefined);
}

function notPossible(method: string, possible: readonly string[]): GatewayError {
  if (possible.length === 0) return mistake('NotFound', 'The document has no operation at this path.');
  const allowed = [...new Set(possible)].join(', ');
  const message = `The document has no ${method} at this path. Possible here: ${allowed}.`;
  return new GatewayError('MethodNotAllowed', message, { target: 'method', headers: { allow: allowed } });
}

function mistake(code: 'BadRequest' | 'NotFound', message: string, target = 'path'): GatewayError {
  return new GatewayError(code, message, { target });
}

/** The segments of the path, decoded. */
function readSegments(path: string): readonly string[] {
  if (path.length > LONGEST_PATH || !/^\/[\x21-\x7e]*$/.test(path) || /[#\\]/.test(path)) {
    throw mistake('BadRequest', 'The path must begin with / and be percent-encoded, without # and \\.');
  }
  const segments = (path.split('?', 1)[0] ?? '').split('/').slice(1).map(decode);
  if (segments.some(leadsElsewhere)) {
    throw mistake(
      'BadRequest',
      'The path must not lead to another one: no segment is ., .. or has a slash with them.',
    );
  }
  return segments;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw mistake('BadRequest', 'The path has a percent sign that encodes nothing in UTF-8.');
  }
}

/** Upstreams may decode twice, and take a backslash for a slash. */
function leadsElsewhere(segment: string): boolean {
  const twice = segment.replace(/%2e/gi, '.').replace(/%2f/gi, '/').replace(/%5c/gi, '\\');
  return /\p{Cc}/u.test(segment) || twice.split(/[/\\]/).some((part) => part === '.' || part === '..');
}

function fits(template: readonly string[], segments: readonly string[]): boolean {
  if (template.length !== segments.length) return false;
  return template.every((written, index) => fitsSegment(written, segments[index] ?? ''));
}

/** A segment may have several parameters, with texts around them: `{id}.{format}`. No parameter is empty. */
function fitsSegment(written: string, segment: string): boolean {
  const literals = written.replace(/#.*$/s, '').split(/\{[^{}]*\}/);
  const [first = '', ...others] = literals;
  const last = others.pop();
  if (last === undefined) return segment === first || segment === decodeURIComponentSafely(first);
  if (!segment.startsWith(first) || !segment.endsWith(last)) return false;
  let at = first.length;
  for (const literal of others) {
    const found = segment.indexOf(literal, at + 1);
    if (found < 0) return false;
    at = found + literal.length;
  }
  return segment.length - last.length > at;
}

function decodeURIComponentSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** RFC 9110, section 5.1. */
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~\w]+$/;

function headerNames(parameters: readonly (DocumentNode | undefined)[]): ReadonlySet<string> {
  return new Set(
    parameters
      .filter((parameter) => text(member(parameter, 'in')) === 'header')
      .flatMap((parameter) => text(member(parameter, 'name'))?.toLowerCase() ?? [])
      .filter((name) => HEADER_NAME.test(name)),
  );
}

/** Not a range of them, such as `text/*`. */
const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+(?:\s*;[\x20-\x7e]*)?$/;

function mediaTypeOf(body: DocumentNode | undefined): string | undefined {
  const names = members(member(body, 'content')).map(([name]) => name);
  return names.find((name) => MEDIA_TYPE.test(name));
}
