import type { IncomingHttpHeaders } from 'node:http';
import type { TryItResult } from '../../contract/api-report.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import {
  type DocumentNode,
  items,
  member,
  members,
  rootNode,
  text,
} from '../../openapi/document/document-node.ts';
import { decodeFragment, documentSource, resolve } from '../../openapi/document/document-source.ts';
import { operationServer } from '../../openapi/document/operation-server.ts';
import { REQUEST_METHODS } from '../../openapi/document/path-item.ts';

/** A request to try. */
export interface TryItRequest {
  readonly method: string;
  /** The path below the service URL, with its query, percent-encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** The request for the upstream client. Header names are in lower case. */
export type TrialRequest = TryItRequest;

export interface TrialAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
}

/** The API whose operation is tried. */
interface TrialTarget {
  readonly document: unknown;
  readonly serviceUrl: string;
  /** The headers and query that the gateway adds, in displayable form. */
  readonly shownHeaders: Readonly<Record<string, ShownText>>;
  readonly shownQuery: Readonly<Record<string, ShownText>>;
  readonly send: (request: TrialRequest) => Promise<TrialAnswer>;
}

/** Tries one operation of an API's document. */
export async function runTrial(order: TryItRequest, target: TrialTarget): Promise<TryItResult> {
  const method = order.method.toUpperCase();
  const operation = matchOperation(target, method, order.path);
  const request = { ...order, method, headers: sentHeaders(order, operation, target) };
  const start = performance.now();
  const { status, headers, body } = await target.send(request);
  const milliseconds = Math.round(performance.now() - start);
  return {
    request: { method, path: order.path, headers: shownHeaders(request, target) },
    status,
    headers: harmlessHeaders(headers),
    ...shownBody(body),
    milliseconds,
    curl: curlLine(request, target),
  };
}

/** Headers of the connection or the caller, and headers that would impersonate the gateway. */
const NEVER_SENT =
  /^(?:authorization|connection|content-length|cookie|expect|host|keep-alive|origin|referer|te|trailer|transfer-encoding|upgrade|via|(?:x-)?forwarded.*|proxy-.*|sec-.*)$/;

const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** The headers that the document declares, and those that describe the content. */
function sentHeaders(
  { headers, body }: TryItRequest,
  operation: MatchedOperation,
  target: TrialTarget,
): Readonly<Record<string, string>> {
  const sent: Record<string, string> = { accept: 'application/json, */*;q=0.5' };
  if (body !== undefined) sent['content-type'] = operation.mediaType ?? 'application/json';
  for (const [written, value] of Object.entries(headers)) {
    const name = written.toLowerCase();
    const isKnown =
      name === 'accept' || (name === 'content-type' && body !== undefined) || operation.headers.has(name);
    if (!isKnown || NEVER_SENT.test(name) || Object.hasOwn(target.shownHeaders, name)) continue;
    if (!HEADER_VALUE.test(value)) {
      throw new GatewayError(
        'BadRequest',
        `The value for the header "${name}" has characters that no header can have.`,
        {
          target: 'headers',
        },
      );
    }
    sent[name] = value;
  }
  return sent;
}

function shownHeaders({ headers }: TryItRequest, target: TrialTarget): Readonly<Record<string, string>> {
  const added = Object.entries(target.shownHeaders).map(([name, value]) => [
    name,
    value.map((part) => (typeof part === 'string' ? part : `$${part.variable}`)).join(''),
  ]);
  return { ...headers, ...Object.fromEntries(added) };
}

const MOST_SHOWN = 1024 * 1024;

function shownBody(bytes: Uint8Array): Pick<TryItResult, 'body' | 'encoding' | 'truncated'> {
  const truncated = bytes.length > MOST_SHOWN;
  const shown = bytes.subarray(0, MOST_SHOWN);
  try {
    // In streaming mode, the text may end within a character.
    const body = new TextDecoder('utf-8', { fatal: true }).decode(shown, { stream: truncated });
    return { body, encoding: 'text', truncated };
  } catch {
    return { body: Buffer.from(shown).toString('base64'), encoding: 'base64', truncated };
  }
}

function curlLine({ method, path, headers, body }: TryItRequest, target: TrialTarget): string {
  const all: Readonly<Record<string, ShownText>> = {
    ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    ...target.shownHeaders,
  };
  return [
    method === 'HEAD' ? 'curl --head' : `curl -X ${shellWord([method])}`,
    shellWord([target.serviceUrl, path, ...queryText(path, target.shownQuery)]),
    ...Object.entries(all).map(([name, value]) => `-H ${shellWord([`${name}: `, ...value])}`),
    ...(body === undefined ? [] : [`--data-raw ${shellWord([body])}`]),
  ].join(' ');
}

function queryText(path: string, query: TrialTarget['shownQuery']): ShownText {
  return Object.entries(query).flatMap(([name, value], index) => [
    `${index === 0 && !path.includes('?') ? '?' : '&'}${encodeURIComponent(name)}=`,
    ...value,
  ]);
}

/** Response headers that describe the content; none that sets a cookie or requests a credential. */
const HARMLESS: ReadonlySet<string> = new Set([
  'age',
  'allow',
  'cache-control',
  'content-disposition',
  'content-language',
  'content-length',
  'content-range',
  'content-type',
  'date',
  'deprecation',
  'etag',
  'expires',
  'last-modified',
  'link',
  'location',
  'retry-after',
  'sunset',
  'vary',
]);

/** Headers with counts, such as `x-total-count` and `x-ratelimit-remaining`. */
const COUNTS = /^(?:x-)?(?:ratelimit|rate-limit)(?:-|$)|^x-(?:total|page|per-page|next|prev)[\w-]*$/;

function harmlessHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value !== undefined && (HARMLESS.has(name) || COUNTS.test(name)) ? [[name, String(value)]] : [],
    ),
  );
}

/** The operation that a request matches. */
interface MatchedOperation {
  readonly headers: ReadonlySet<string>;
  /** The media type of its body, if any. */
  readonly mediaType: string | undefined;
}

const LONGEST_PATH = 8192;

/**
 * Finds the operation with the method and a matching path. Throws BadRequest for an invalid or misleading
 * path, NotFound for an unknown path, and MethodNotAllowed, with the allowed methods, for another method.
 */
function matchOperation(
  { document, serviceUrl }: Pick<TrialTarget, 'document' | 'serviceUrl'>,
  method: string,
  path: string,
): MatchedOperation {
  const segments = readSegments(path);
  const supplied = { headers: new Set<string>(), query: new Set<string>(), endpoint: serviceUrl };
  const source = documentSource('', document, supplied);
  const fitting = members(member(rootNode(document), 'paths'))
    .filter(([template]) => fits(template.split('/').slice(1), segments))
    .map(([, item]) => resolve(source, item));
  if (fitting.length === 0) throw mistake('NotFound', 'The document has no operation at this path.');
  const item = fitting.find((each) => methodsOf(each).includes(method));
  if (item === undefined) throw notPossible(method, fitting.flatMap(methodsOf));
  const operation = member(item, method.toLowerCase());
  if (operation !== undefined && operationServer(source, item, operation).kind !== 'endpoint') {
    throw mistake(
      'BadRequest',
      'The operation has a server of its own: it can only be called through the service.',
    );
  }
  const parameters = [...items(member(item, 'parameters')), ...items(member(operation, 'parameters'))];
  return {
    headers: headerNames(parameters.map((parameter) => resolve(source, parameter))),
    mediaType: mediaTypeOf(resolve(source, member(operation, 'requestBody'))),
  };
}

function methodsOf(item: DocumentNode | undefined): readonly string[] {
  return [...REQUEST_METHODS]
    .filter((method) => member(item, method) !== undefined)
    .map((method) => method.toUpperCase());
}

function notPossible(method: string, possible: readonly string[]): GatewayError {
  if (possible.length === 0) return mistake('NotFound', 'The document has no operation at this path.');
  const allowed = [...new Set(possible)].join(', ');
  const message = `The document has no ${method} at this path. Allowed here: ${allowed}.`;
  return new GatewayError('MethodNotAllowed', message, { target: 'method', headers: { allow: allowed } });
}

function mistake(code: 'BadRequest' | 'NotFound', message: string, target = 'path'): GatewayError {
  return new GatewayError(code, message, { target });
}

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

/** Upstreams may decode twice, and treat a backslash as a slash. */
function leadsElsewhere(segment: string): boolean {
  const twice = segment.replace(/%2e/gi, '.').replace(/%2f/gi, '/').replace(/%5c/gi, '\\');
  return /\p{Cc}/u.test(segment) || twice.split(/[/\\]/).some((part) => part === '.' || part === '..');
}

function fits(template: readonly string[], segments: readonly string[]): boolean {
  if (template.length !== segments.length) return false;
  return template.every((written, index) => fitsSegment(written, segments[index] ?? ''));
}

/** A segment may have several parameters and fixed texts: `{id}.{format}`. Parameters are not empty. */
function fitsSegment(written: string, segment: string): boolean {
  const literals = written.replace(/#.*$/s, '').split(/\{[^{}]*\}/);
  const [first = '', ...others] = literals;
  const last = others.pop();
  if (last === undefined) return segment === first || segment === decodeFragment(first);
  if (!segment.startsWith(first) || !segment.endsWith(last)) return false;
  let at = first.length;
  for (const literal of others) {
    const found = segment.indexOf(literal, at + 1);
    if (found < 0) return false;
    at = found + literal.length;
  }
  return segment.length - last.length > at;
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

/** A media type, not a range such as `text/*`. */
const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+(?:\s*;[\x20-\x7e]*)?$/;

function mediaTypeOf(body: DocumentNode | undefined): string | undefined {
  const names = members(member(body, 'content')).map(([name]) => name);
  return names.find((name) => MEDIA_TYPE.test(name));
}

/** A text in which variables with secret values are named, not resolved. */
type ShownText = readonly (string | { readonly variable: string })[];

const VARIABLE = /\{env\.(\w+)(?::[^}]*)?\}/g;

/**
 * A setting of the project file for display: public variables are resolved, others are named. Literal text
 * may be a credential itself.
 */
export function shownSetting(written: string, open: Readonly<Record<string, string>>): ShownText {
  const parts: (string | { readonly variable: string })[] = [];
  let end = 0;
  for (const found of written.matchAll(VARIABLE)) {
    const [whole, name = ''] = found;
    parts.push(
      written.slice(end, found.index),
      Object.hasOwn(open, name) ? (open[name] ?? '') : { variable: name },
    );
    end = found.index + whole.length;
  }
  return end === 0 ? [HIDDEN] : [...parts, written.slice(end)].filter((part) => part !== '');
}

const HIDDEN = '<hidden>';

/** One word of a shell command, quoted so that only variables are expanded. */
function shellWord(text: ShownText): string {
  let word = '';
  let plain = '';
  for (const part of text) {
    if (typeof part === 'string') plain += part;
    else {
      word += `${plain === '' ? '' : quoted(plain)}"$${part.variable}"`;
      plain = '';
    }
  }
  return plain === '' && word !== '' ? word : word + quoted(plain);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
