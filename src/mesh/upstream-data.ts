import type { IncomingHttpHeaders } from 'node:http';
import type { CallContext } from '../contract/exchange.ts';
import { GatewayError } from '../contract/gateway-error.ts';
import { decodeBody, isIdentity } from './content-coding.ts';
import { keepDigits, LONG_DECIMAL } from './exact-number.ts';
import type { HttpField } from './http-field.ts';
import type { LoadedData } from './mesh-context.ts';
import type { UpstreamClient } from './upstream-client.ts';
import type { UpstreamAnswer } from './upstream-exchange.ts';
import { badResponse, upstreamFailure } from './upstream-failure.ts';
import type { RememberedState, UpstreamMemory } from './upstream-memory.ts';

/** The HTTP request that Mesh has made of a root field and its arguments. */
interface FieldRequest {
  readonly field: HttpField;
  /** Path and query, percent-encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | string | undefined;
  /** Numbers that no double holds keep their digits. */
  readonly exact: boolean;
}

/** Reads and writes the data of one source: parsed, checked, and recognised where it has not changed. */
export interface UpstreamData {
  load(request: FieldRequest, call: CallContext): Promise<LoadedData>;
}

interface UpstreamDataOptions {
  readonly client: UpstreamClient;
  readonly memory: UpstreamMemory;
  /** Sent with every call. Names are in lower case; they win over all others. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bodySize: number;
}

export function createUpstreamData(options: UpstreamDataOptions): UpstreamData {
  const headerLists = new WeakMap<HttpField, readonly string[]>();

  function headersOf({ field, headers }: FieldRequest): readonly string[] {
    if (field.hasHeaderArguments) return listHeaders(headers, options.headers);
    const known = headerLists.get(field);
    if (known !== undefined) return known;
    const list = listHeaders(headers, options.headers);
    headerLists.set(field, list);
    return list;
  }

  return {
    load: (request, call) =>
      request.field.method === 'GET'
        ? read(options, request, headersOf(request), call)
        : write(options, request, headersOf(request), call),
  };
}

/** Bytes that equal bytes can be recognised by cost a comparison; decoded ones would cost a decoding too. */
const OWN_HEADERS: Readonly<Record<string, string>> = {
  accept: 'application/json',
  'accept-encoding': 'identity',
  'user-agent': 'duogate',
};

/** RFC 9110, section 5.5; undici refuses more, but a client shall be told that it was the client's. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

function listHeaders(...sets: readonly Readonly<Record<string, string>>[]): readonly string[] {
  const headers: Record<string, string> = Object.assign({}, OWN_HEADERS, ...sets);
  for (const [name, value] of Object.entries(headers)) {
    if (!HEADER_VALUE.test(value)) {
      throw new GatewayError(
        'BadRequest',
        `The value for the header "${name}" has characters that no header can have.`,
      );
    }
  }
  return Object.entries(headers).flat();
}

async function read(
  options: UpstreamDataOptions,
  request: FieldRequest,
  headers: readonly string[],
  call: CallContext,
): Promise<LoadedData> {
  const { client, memory } = options;
  const { field, path } = request;
  const name = request.exact ? `${field.name} exactly` : field.name;
  const key = field.hasHeaderArguments ? `${name} ${path} ${headers.join('\n')}` : `${name} ${path}`;
  const held = memory.find(key);
  const etag = held?.etag;
  const answer = await client.send(
    {
      method: 'GET',
      path,
      headers: etag === undefined ? headers : [...headers, 'if-none-match', etag],
      body: undefined,
    },
    call.signal,
  );
  if (answer.status === 304 && held !== undefined && etag !== undefined)
    return { data: held.data, state: held };
  if (answer.status !== 200 && answer.status !== 203) throw statusFailure(field, answer);
  if (held !== undefined && hasSameBytes(held, answer)) return keep(memory, held, answer.headers);
  return learn(options, key, request, answer);
}

/** 404 says that there is nothing by that key; for a list it says that the upstream is not what it should be. */
function statusFailure(field: HttpField, answer: UpstreamAnswer): GatewayError {
  const { cause } = badResponse(`${field.method} was answered with status ${answer.status}`, answer.body);
  const isMissing = answer.status === 404 && field.pathArguments.length > 0 && !field.isList;
  return upstreamFailure(isMissing ? 'NotFound' : 'UpstreamBadResponse', cause);
}

function hasSameBytes(held: RememberedState, { headers, body }: UpstreamAnswer): boolean {
  return held.coding === headers['content-encoding'] && held.body.equals(body);
}

function keep(memory: UpstreamMemory, held: RememberedState, headers: IncomingHttpHeaders): LoadedData {
  if (!mayRemember(headers)) {
    memory.forget(held.key);
    return { data: held.data, state: undefined };
  }
  const etag = entityTag(headers);
  if (etag !== held.etag) memory.retag(held, etag);
  return { data: held.data, state: held };
}

/** Parsed data takes about this much for each byte of its text. */
const DATA_WEIGHT = 2;

async function learn(
  { memory, bodySize }: UpstreamDataOptions,
  key: string,
  request: FieldRequest,
  answer: UpstreamAnswer,
): Promise<LoadedData> {
  const { headers } = answer;
  const body = await plainBody(answer, bodySize);
  const data = parseAnswer(request, body, headers);
  if (!mayRemember(headers)) {
    memory.forget(key);
    return { data, state: undefined };
  }
  const state = memory.remember(
    { key, etag: entityTag(headers), coding: headers['content-encoding'], body: ownBytes(answer.body), data },
    body.length * DATA_WEIGHT,
  );
  return { data, state };
}

/** A body may be a few bytes of a large buffer that the socket read into, and would keep all of it. */
function ownBytes(body: Buffer): Buffer {
  return body.buffer.byteLength === body.length ? body : Buffer.from(body);
}

/**
 * Vary needs no attention but for `*`: a memory's key holds every header that is sent, and one that
 * is never sent is the same in all calls.
 */
function mayRemember(headers: IncomingHttpHeaders): boolean {
  const { 'cache-control': cacheControl, vary } = headers;
  return !(cacheControl !== undefined && /\bno-store\b/i.test(cacheControl)) && vary !== '*';
}

/** RFC 9110, section 8.8.3. */
const ENTITY_TAG = /^(W\/)?"[\x21\x23-\x7e]*"$/;

function entityTag({ etag }: IncomingHttpHeaders): string | undefined {
  return etag !== undefined && ENTITY_TAG.test(etag) ? etag : undefined;
}

async function write(
  { client, bodySize }: UpstreamDataOptions,
  request: FieldRequest,
  headers: readonly string[],
  call: CallContext,
): Promise<LoadedData> {
  const { field, path, body } = request;
  const answer = await client.send({ method: field.method, path, headers, body }, call.signal);
  if (answer.status < 200 || answer.status > 299) throw statusFailure(field, answer);
  const plain = await plainBody(answer, bodySize);
  // A POST answers with what it created; other methods need not answer with anything.
  if (plain.length === 0 && field.method !== 'POST') return { data: null, state: undefined };
  return { data: parseAnswer(request, plain, answer.headers), state: undefined };
}

async function plainBody({ headers, body }: UpstreamAnswer, limit: number): Promise<Buffer> {
  const coding = headers['content-encoding'];
  return isIdentity(coding) ? body : await decodeBody(body, coding, limit);
}

function parseAnswer({ field, exact }: FieldRequest, body: Buffer, headers: IncomingHttpHeaders): unknown {
  const text = decodeText(body);
  if (field.isLeaf && !/\bjson\b/i.test(headers['content-type'] ?? '')) return checked(field, text);
  const data = parseJson(text, body);
  if (exact && LONG_DECIMAL.test(text)) return checked(field, JSON.parse(text, keepDigits));
  try {
    return checked(field, data);
  } catch (error) {
    // Only an integer that no number holds is worth a second, slower look.
    if (!LONG_NUMBER.test(text)) throw error;
    return checked(field, JSON.parse(text, keepLargeIntegers));
  }
}

const LONG_NUMBER = /\d{16}/;

function checked(field: HttpField, data: unknown): unknown {
  field.check(data);
  return data;
}

function decodeText(body: Buffer): string {
  const hasByteOrderMark = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf;
  return body.toString('utf8', hasByteOrderMark ? 3 : 0);
}

function parseJson(text: string, body: Buffer): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badResponse(`the body is not JSON: ${(error as Error).name}`, body);
  }
}

function keepLargeIntegers(
  this: unknown,
  _: string,
  value: unknown,
  { source }: { source?: string } = {},
): unknown {
  const isInexact = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
  return isInexact && source !== undefined && /^-?\d+$/.test(source) ? BigInt(source) : value;
}
