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

/** What somebody wants to try. */
export interface TryItRequest {
  readonly method: string;
  /** Below the service URL, with its query, percent-encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** What the upstream client is handed. Names of headers are in lower case. */
export type TrialRequest = TryItRequest;

export interface TrialAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
}

/** An API as an operation of it is tried. */
interface TrialTarget {
  readonly document: unknown;
  readonly serviceUrl: string;
  /** What the gateway adds to each call, as it may be shown. */
  readonly shownHeaders: Readonly<Record<string, ShownText>>;
  readonly shownQuery: Readonly<Record<string, ShownText>>;
  readonly send: (request: TrialRequest) => Promise<TrialAnswer>;
}

/** Tries one operation of an API's document, and nothing else. */
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

/** Headers that belong to the connection or to the caller, or would be taken for what the gateway says. */
const NEVER_SENT =
  /^(?:authorization|connection|content-length|cookie|expect|host|keep-alive|origin|referer|te|trailer|transfer-encoding|upgrade|via|(?:x-)?forwarded.*|proxy-.*|sec-.*)$/;

const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** What the document has a parameter for, and what every request may say of its content. */
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
  const added = Object.entries(target.shownHeaders).map(([name, value]) => [name, plainText(value)]);
  return { ...headers, ...Object.fromEntries(added) };
}

const MOST_SHOWN = 1024 * 1024;

function shownBody(bytes: Uint8Array): Pick<TryItResult, 'body' | 'encoding' | 'truncated'> {
  const truncated = bytes.length > MOST_SHOWN;
  const shown = bytes.subarray(0, MOST_SHOWN);
  try {
    // As a stream, it may end in the middle of a character.
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

/**
 * The header fields of an answer that say something about its content; none that sets a cookie or asks for a
 * credential.
 */
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

/** Headers that count something, such as `x-total-count` and `x-ratelimit-remaining`. */
const COUNTS = /^(?:x-)?(?:ratelimit|rate-limit)(?:-|$)|^x-(?:total|page|per-page|next|prev)[\w-]*$/;

function harmlessHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value !== undefined && (HARMLESS.has(name) || COUNTS.test(name)) ? [[name, String(value)]] : [],
    ),
  );
}

/** An operation of a document that a request is one of. */
interface MatchedOperation {
  /** Names of its header parameters, in lower case. */
  readonly headers: ReadonlySet<string>;
  /** The media type of its body, where it has one. */
  readonly mediaType: string | undefined;
}

const LONGEST_PATH = 8192;

/**
 * Finds the operation with that method whose path the given one, with its query, fits. Throws BadRequest for what is
 * no path, or leads elsewhere than it says; NotFound where the document has no such path; MethodNotAllowed, with what
 * is possible, where it has another method there.
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

/** A media type; not a range of them, such as `text/*`. */
const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+(?:\s*;[\x20-\x7e]*)?$/;

function mediaTypeOf(body: DocumentNode | undefined): string | undefined {
  const names = members(member(body, 'content')).map(([name]) => name);
  return names.find((name) => MEDIA_TYPE.test(name));
}

/** A text of which parts stand for variables whose values nobody is shown. */
type ShownText = readonly (string | { readonly variable: string })[];

const VARIABLE = /\{env\.(\w+)(?::[^}]*)?\}/g;

/**
 * A setting of the project file as it may be shown: variables whose values are no secrets filled in, others by
 * their names. What is written out in the file may be a credential itself.
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

function plainText(text: ShownText): string {
  return text.map((part) => (typeof part === 'string' ? part : `$${part.variable}`)).join('');
}

/** One word of a shell's command: whatever is in it, only the variables are anything but themselves. */
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
