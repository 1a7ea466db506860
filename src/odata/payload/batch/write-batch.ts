import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { Readable } from 'node:stream';
import type { StreamBody, WholeResponse } from '../../../contract/exchange.ts';
import { MEDIA_TYPES, parseMediaRange } from '../negotiation/format.ts';
import type { BatchAnswer, ItemAnswer } from './batch-request.ts';

/** The response in the JSON form (JSON Format, 19.5). JSON bodies are copied unchanged. */
export function writeJsonBatch(items: readonly ItemAnswer[]): WrittenBatch {
  const responses = items.flatMap((item) => {
    if (item.kind === 'request') return [responseObject(item.answer, undefined)];
    return item.answers.map((answer) => responseObject(answer, item.id));
  });
  const chunks = responses.flatMap((response, place) => (place === 0 ? response : [',', ...response]));
  return { contentType: MEDIA_TYPES.json, body: batchBody(['{"responses":[', ...chunks, ']}']) };
}

/** A request without an id is identified by its index. */
function responseObject({ request, response }: BatchAnswer, group: string | undefined): readonly Chunk[] {
  const { status, headers } = response;
  const named = { id: request.id ?? request.place, ...(group !== undefined && { atomicityGroup: group }) };
  const body = bodyJson(response);
  const members = JSON.stringify({ ...named, status, headers }).slice(0, -1);
  return body === undefined ? [members, '}'] : [`${members},"body":`, body, '}'];
}

/** 19.5: JSON unchanged, text as a string, everything else as base64url. */
function bodyJson({ headers, body }: WholeResponse): Chunk | undefined {
  if (body === undefined) return undefined;
  const bytes = typeof body === 'string' ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const { type } = parseMediaRange(headers['content-type'] ?? '');
  if (type === MEDIA_TYPES.json || type.endsWith('+json')) return asJson(bytes);
  if (type.startsWith('text/')) return JSON.stringify(bytes.toString());
  return JSON.stringify(Buffer.from(body).toString('base64url'));
}

/** JSON must be UTF-8 (RFC 8259, 8.1), but an API may have sent other bytes. */
function asJson(body: string | Buffer): Chunk {
  return typeof body === 'string' || isUtf8(body) ? body : body.toString();
}

interface WrittenBatch {
  readonly contentType: string;
  readonly body: ReturnType<typeof batchBody>;
}

/**
 * The response in the multipart form (Part 1, 11.7.7.5), written for simple parsers: the boundary is unquoted
 * and the last parameter, lines end with CRLF.
 */
export function writeMultipartBatch(items: readonly ItemAnswer[]): WrittenBatch {
  const { contentType, chunks } = multipart('batchresponse', items.map(itemPart));
  return { contentType, body: batchBody([...chunks, '\r\n']) };
}

interface Multipart {
  readonly contentType: string;
  readonly chunks: readonly Chunk[];
}

function multipart(name: string, parts: readonly (readonly Chunk[])[]): Multipart {
  const boundary = `${name}_${randomUUID()}`;
  return {
    contentType: `multipart/mixed; boundary=${boundary}`,
    chunks: [...parts.flatMap((part) => [`--${boundary}\r\n`, ...part, '\r\n']), `--${boundary}--`],
  };
}

/** A failed change set has one response. */
function itemPart(item: ItemAnswer): readonly Chunk[] {
  if (item.kind === 'request') return answerPart(item.answer);
  if (item.failure !== undefined) return answerPart(item.failure);
  const { contentType, chunks } = multipart('changesetresponse', item.answers.map(answerPart));
  return [`Content-Type: ${contentType}\r\n\r\n`, ...chunks];
}

function answerPart({ request: { id }, response }: BatchAnswer): readonly Chunk[] {
  const contentId = id === undefined ? '' : `Content-ID: ${id}\r\n`;
  return [
    `Content-Type: ${MEDIA_TYPES.http}\r\nContent-Transfer-Encoding: binary\r\n${contentId}\r\n`,
    ...httpMessage(response),
  ];
}

type Chunk = string | Uint8Array;

/** In bytes. Shorter responses are written at once. */
const LONG = 262_144;

/**
 * Concatenates the chunks. A long response is streamed and its chunks are released while they are sent;
 * otherwise all parts would be in memory twice.
 */
function batchBody(chunks: readonly Chunk[]): Uint8Array | StreamBody {
  const length = chunks.reduce((sum, chunk) => sum + Buffer.byteLength(chunk), 0);
  if (length < LONG) return Buffer.concat(chunks.map(bytesOf), length);
  return { bytes: Readable.from(inTurn([...chunks])), length, isHeld: true };
}

function* inTurn(chunks: Chunk[]): Generator<Uint8Array> {
  for (const [place, chunk] of chunks.entries()) {
    chunks[place] = '';
    yield bytesOf(chunk);
  }
}

function bytesOf(chunk: Chunk): Uint8Array {
  return typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}

/** A response as an HTTP message (RFC 9112, 2.1), in chunks. */
export function httpMessage(response: WholeResponse): readonly (string | Uint8Array)[] {
  const { status, headers, body } = response;
  const fields = { ...headers, ...lengthOf(response) };
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`,
    ...Object.entries(fields).map(([name, value]) => `${fieldName(name)}: ${value}\r\n`),
    '\r\n',
    ...(body === undefined ? [] : [body]),
  ];
}

function lengthOf({ body }: WholeResponse): Readonly<Record<string, string>> {
  return body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
}

const FIELD_NAMES: ReadonlyMap<string, string> = new Map([
  ['etag', 'ETag'],
  ['odata-version', 'OData-Version'],
  ['odata-entityid', 'OData-EntityId'],
]);

/** Some clients know header fields in their usual case only. */
function fieldName(name: string): string {
  return FIELD_NAMES.get(name) ?? name.replace(/(?<![a-z])[a-z]/g, (letter) => letter.toUpperCase());
}
