import { quote } from '../../../engine/input/mistakes.ts';
import { MEDIA_TYPES, parseMediaRange } from '../negotiation/format.ts';
import {
  assertFewRequests,
  type BatchItem,
  type BatchRequest,
  malformedBatch,
  readMethod,
} from './batch-request.ts';

/**
 * The requests of a batch in the multipart form (Part 1, 11.7.7): MIME parts with requests or change sets.
 */
export function readMultipartBatch(
  body: Uint8Array,
  contentType: string,
  most: number,
): readonly BatchItem[] {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1');
  const parts = splitParts(text, boundaryOf(contentType, 'Content-Type'), 'the body', most);
  let count = 0;
  const items = parts.map((part, index): BatchItem => {
    const place = `part ${index + 1}`;
    const message = readMessage(part, skipEmptyLines(part), place);
    const { type } = parseMediaRange(message.headers['content-type'] ?? '');
    const item: BatchItem =
      type === MULTIPART
        ? { kind: 'changeSet', id: undefined, requests: readChangeSet(message, place, most) }
        : { kind: 'request', request: readRequest(message, place) };
    count += item.kind === 'changeSet' ? item.requests.length : 1;
    assertFewRequests(count, most);
    return item;
  });
  checkIds(items.flatMap((item) => (item.kind === 'changeSet' ? item.requests : [item.request])));
  return items;
}

/** A Content-ID must be unique in the batch (Part 1, 11.7.3). */
function checkIds(requests: readonly BatchRequest[]): void {
  const before = new Set<string>();
  for (const { id, place } of requests) {
    if (id === undefined) continue;
    if (before.has(id)) throw malformedBatch(place, 'a Content-ID of its own', quote(id));
    before.add(id);
  }
}

const MULTIPART = 'multipart/mixed';

/** RFC 2046, 5.1.1. */
const MOST_OF_BOUNDARY = 70;

function boundaryOf(contentType: string, place: string): string {
  const boundary = parseMediaRange(contentType).parameters.get('boundary') ?? '';
  if (boundary === '' || boundary.length > MOST_OF_BOUNDARY) {
    throw malformedBatch(place, `a boundary of at most ${MOST_OF_BOUNDARY} characters`, quote(contentType));
  }
  return boundary;
}

/**
 * The parts between the delimiters (RFC 2046, 5.1.1). A missing closing delimiter means a truncated batch;
 * text before the first and after the last is ignored.
 */
function splitParts(text: string, boundary: string, place: string, most: number): readonly string[] {
  const delimiter = `--${boundary}`;
  const parts: string[] = [];
  let start: number | undefined;
  for (let at = text.indexOf(delimiter); at >= 0; at = text.indexOf(delimiter, at + 1)) {
    // Only a delimiter at the start of a line counts.
    if (at > 0 && text[at - 1] !== '\n') continue;
    const line = lineAt(text, at + delimiter.length);
    const rest = line.text.trim();
    if (rest !== '' && !rest.startsWith('--')) continue;
    if (start !== undefined) parts.push(withoutLineEnd(text.slice(start, at)));
    if (rest !== '') return parts;
    assertFewRequests(parts.length, most);
    start = line.next;
  }
  throw malformedBatch(place, `the delimiter ${quote(`${delimiter}--`)} at its end`, 'none');
}

/** The line break before a delimiter belongs to the delimiter. */
function withoutLineEnd(text: string): string {
  return text.endsWith('\r\n') ? text.slice(0, -2) : text.endsWith('\n') ? text.slice(0, -1) : text;
}

/** Change sets contain neither reads nor change sets (Part 1, 11.7.7.1). */
function readChangeSet({ headers, content }: Message, place: string, most: number): readonly BatchRequest[] {
  const boundary = boundaryOf(headers['content-type'] ?? '', place);
  return splitParts(content, boundary, place, most).map((part, index) => {
    const within = `${place}, part ${index + 1}`;
    const request = readRequest(readMessage(part, skipEmptyLines(part), within), within);
    if (request.method !== 'GET' && request.method !== 'HEAD') return request;
    return { ...request, refusal: malformedBatch(within, 'a change in a change set', request.method) };
  });
}

function readRequest({ headers, content }: Message, place: string): BatchRequest {
  assertRequestPart(headers, place);
  const start = skipEmptyLines(content);
  const line = lineAt(content, start);
  const message = readMessage(content, line.next, place);
  const { 'content-id': innerId, ...fields } = message.headers;
  return {
    id: headers['content-id'] ?? innerId,
    ...readRequestLine(withEncodedBytes(line.text).trim(), place),
    headers: fields,
    body: bodyOf(message),
    dependsOn: [],
    condition: undefined,
    place,
  };
}

function assertRequestPart(headers: Message['headers'], place: string): void {
  const contentType = headers['content-type'] ?? '';
  const { type } = parseMediaRange(contentType);
  if (type !== MEDIA_TYPES.http) {
    throw malformedBatch(place, `Content-Type ${MEDIA_TYPES.http}`, quote(contentType));
  }
  const encoding = headers['content-transfer-encoding']?.toLowerCase() ?? 'binary';
  if (!['binary', '7bit', '8bit'].includes(encoding)) {
    throw malformedBatch(place, 'Content-Transfer-Encoding binary', quote(encoding));
  }
}

const VERSION = /^\sHTTP\/\d\.\d$/i;
const VERSION_LENGTH = ' HTTP/1.1'.length;

/** Encodes bytes that are not ASCII, because some clients omit the percent-encoding. */
function withEncodedBytes(line: string): string {
  return line.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** The version is optional, and the URL may contain spaces. */
function readRequestLine(line: string, place: string): Pick<BatchRequest, 'method' | 'url'> {
  const blank = line.search(/\s/);
  const target = VERSION.test(line.slice(-VERSION_LENGTH)) ? line.slice(0, -VERSION_LENGTH) : line;
  const url = blank < 0 ? '' : target.slice(blank).trim();
  if (url === '') throw malformedBatch(place, 'a request line such as "GET Name HTTP/1.1"', quote(line));
  return { method: readMethod(line.slice(0, blank), place), url };
}

/**
 * The body up to Content-Length, if only white space follows: some clients count wrongly, or add empty lines
 * before the delimiter.
 */
function bodyOf({ headers, content }: Message): Uint8Array | undefined {
  const contentLength = Number(headers['content-length'] ?? Number.NaN);
  const isWithin = contentLength <= content.length && content.slice(contentLength).trim() === '';
  const { type } = parseMediaRange(headers['content-type'] ?? MEDIA_TYPES.json);
  const text = isWithin
    ? content.slice(0, contentLength)
    : type === MEDIA_TYPES.json
      ? content.trimEnd()
      : content;
  return text.trim() === '' ? undefined : Buffer.from(text, 'latin1');
}

/**
 * A MIME part or HTTP message within a batch, as Latin-1 text with one character per byte.
 *
 * Clients end lines with CRLF or LF, start with empty lines, and write header fields with or without white
 * space.
 */
interface Message {
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The text after the empty line. */
  readonly content: string;
}

interface Line {
  /** Without the line break. */
  readonly text: string;
  /** The position of the next line. */
  readonly next: number;
}

function lineAt(text: string, start: number): Line {
  const end = text.indexOf('\n', start);
  if (end < 0) return { text: text.slice(start), next: text.length };
  return { text: text.slice(start, text[end - 1] === '\r' ? Math.max(start, end - 1) : end), next: end + 1 };
}

/** The position of the first line that is not empty. */
function skipEmptyLines(text: string): number {
  let start = 0;
  for (
    let line = lineAt(text, 0);
    line.text.trim() === '' && start < text.length;
    line = lineAt(text, start)
  ) {
    start = line.next;
  }
  return start;
}

/**
 * Parses header fields up to an empty line or the end (RFC 9112, 5); lines that start with white space
 * continue the previous one.
 */
function readMessage(text: string, start: number, place: string): Message {
  const fields: string[] = [];
  let next = start;
  while (next < text.length) {
    const line = lineAt(text, next);
    next = line.next;
    if (line.text.trim() === '') break;
    const last = fields.at(-1);
    if (/^[ \t]/.test(line.text) && last !== undefined) fields[fields.length - 1] = last + line.text;
    else fields.push(line.text);
  }
  return { headers: readFields(fields, place), content: text.slice(next) };
}

function readFields(fields: readonly string[], place: string): Readonly<Record<string, string>> {
  const headers = new Map<string, string>();
  for (const field of fields) {
    const colon = field.indexOf(':');
    if (colon <= 0) throw malformedBatch(place, 'a header field', quote(field));
    const name = field.slice(0, colon).trim().toLowerCase();
    const value = field.slice(colon + 1).trim();
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(headers);
}
