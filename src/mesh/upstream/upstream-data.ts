import type { IncomingHttpHeaders } from 'node:http';
import type { WriteConditions } from '../../contract/entity-source.ts';
import type { CallContext, StreamBody } from '../../contract/exchange.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { LoadedData, StreamRequest } from '../mesh-context.ts';
import { parseAnswer, plainBody, readAnswer, readAnswerOnce } from '../reading/answer-data.ts';
import { DATA_WEIGHT, type Making } from '../reading/making.ts';
import { entityTag } from './entity-tag.ts';
import type { HttpField } from './http-field.ts';
import { NO_REFUSALS, REFUSALS, statusFailure } from './status-failure.ts';
import type { UpstreamClient } from './upstream-client.ts';
import type { UpstreamAnswer } from './upstream-exchange.ts';
import type { RememberedState, UpstreamMemory } from './upstream-memory.ts';
import { openStream } from './upstream-stream.ts';

/** The HTTP request that Mesh has made of a root field and its arguments. */
interface FieldRequest {
  readonly field: HttpField;
  /** Path and query, percent-encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | StreamBody | string | undefined;
  /** The answer may have no body, or null for it. */
  readonly mayBeEmpty: boolean;
  readonly making: Making;
  /** What is sent is the client's own: where the upstream refuses it, the mistake is the client's. */
  readonly takesInput: boolean;
  /** The media type of the body, where it is none that the document has for JSON. */
  readonly mediaType: string | undefined;
  /** The answer is handed on as it comes. */
  readonly stream: StreamRequest | undefined;
  /** In which state an entity is changed. */
  readonly conditions: WriteConditions | undefined;
  /** Takes note of a failure that shows when the answer has been handed on. */
  readonly report: (error: unknown) => void;
}

/** Reads and writes the data of one source, and recognises what has not changed. */
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

  function headersOf(request: FieldRequest): readonly string[] {
    const { field, headers } = request;
    const own = ownHeaders(request);
    if (own !== undefined) return listHeaders(headers, own, options.headers);
    if (field.headerArguments.length > 0) return listHeaders(headers, options.headers);
    const known = headerLists.get(field);
    if (known !== undefined) return known;
    const list = listHeaders(headers, options.headers);
    headerLists.set(field, list);
    return list;
  }

  return {
    load(request, call) {
      const headers = headersOf(request);
      if (request.stream !== undefined) return open(options, request, request.stream, headers, call);
      return request.field.method === 'GET'
        ? read(options, request, headers, call)
        : write(options, request, headers, call);
    },
  };
}

/** What this one call has for header fields of its own. */
function ownHeaders({
  mediaType,
  stream,
  conditions,
}: FieldRequest): Readonly<Record<string, string>> | undefined {
  if (mediaType === undefined && stream === undefined && conditions === undefined) return undefined;
  const fields = {
    ...conditions,
    ...(stream && { accept: '*/*', ...stream.conditions }),
    'content-type': mediaType,
  };
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  );
}

async function open(
  { client }: UpstreamDataOptions,
  { field, path, body, takesInput, making }: FieldRequest,
  { conditions }: StreamRequest,
  headers: readonly string[],
  call: CallContext,
): Promise<LoadedData> {
  const request = { method: field.method, path, headers, body };
  const data = await openStream({ client, field, request, takesInput, conditions: { ...conditions } }, call);
  return { made: making.read(data), state: undefined };
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
  const own = field.headerArguments.length > 0 ? ` ${headers.join('\n')}` : '';
  const key = `${field.name} ${path}${own}`;
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
  if (answer.status === 304 && held !== undefined && etag !== undefined) {
    return madeOf(options, request, held);
  }
  if (answer.status === 204 && request.mayBeEmpty) return noData(request);
  if (answer.status !== 200 && answer.status !== 203) throw failureOf(request, answer);
  if (held !== undefined && hasSameBytes(held, answer)) return keep(options, request, held, answer.headers);
  return learn(options, key, request, answer);
}

function noData({ making }: FieldRequest): LoadedData {
  return { made: making.read(null), state: undefined };
}

function failureOf({ field, takesInput }: FieldRequest, answer: UpstreamAnswer): GatewayError {
  return statusFailure(field, answer, takesInput ? REFUSALS : NO_REFUSALS);
}

function hasSameBytes(held: RememberedState, { headers, body }: UpstreamAnswer): boolean {
  return held.coding === headers['content-encoding'] && held.body.equals(body);
}

async function keep(
  options: UpstreamDataOptions,
  request: FieldRequest,
  held: RememberedState,
  headers: IncomingHttpHeaders,
): Promise<LoadedData> {
  const { memory } = options;
  if (!mayRemember(headers)) {
    memory.forget(held.key);
    return { ...(await madeOf(options, request, held)), state: undefined };
  }
  const etag = entityTag(headers);
  if (etag !== held.etag) memory.retag(held, etag);
  return madeOf(options, request, held);
}

/** Name the data of a state, without and with the digits that no double holds. */
const DATA = {};
const EXACT_DATA = {};

/**
 * What is made of a state that has come again. Its data is kept from then on, for whatever else is made of it:
 * data that changes at every read would only be carried about.
 */
async function madeOf(
  { memory, bodySize }: UpstreamDataOptions,
  request: FieldRequest,
  state: RememberedState,
): Promise<LoadedData> {
  const { field, making } = request;
  const known = memory.derived(state, making);
  if (known !== undefined) return { made: known, state, received: state };
  const { coding, mediaType } = state;
  const answer = { body: await plainBody(coding, state.body, bodySize), mediaType };
  const purpose = making.exact ? EXACT_DATA : DATA;
  let data = memory.derived(state, purpose);
  if (data === undefined) {
    data = parseAnswer(field, answer, making.exact);
    memory.derive(state, purpose, data, answer.body.length * DATA_WEIGHT);
  }
  const made = readAnswer(request, answer, data);
  memory.derive(state, making, made, making.weigh(made, answer.body.length));
  return { made, state, received: state };
}

async function learn(
  { memory, bodySize }: UpstreamDataOptions,
  key: string,
  request: FieldRequest,
  { headers, body: received }: UpstreamAnswer,
): Promise<LoadedData> {
  const { 'content-encoding': coding, 'content-type': mediaType } = headers;
  const body = await plainBody(coding, received, bodySize);
  const etag = entityTag(headers);
  const isKept = mayRemember(headers);
  if (!isKept) memory.forget(key);
  const once = readAnswerOnce(request, { body, mediaType }, request.report);
  const made = once ?? readAnswer(request, { body, mediaType });
  const state = isKept
    ? memory.remember({ key, etag, coding, mediaType, body: ownBytes(received) })
    : undefined;
  if (state === undefined) return { made, state, received: { etag, body: received } };
  const { making } = request;
  if (once === undefined) memory.derive(state, making, made, making.weigh(made, body.length));
  return { made, state, received: state };
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

async function write(
  { client, bodySize }: UpstreamDataOptions,
  request: FieldRequest,
  headers: readonly string[],
  call: CallContext,
): Promise<LoadedData> {
  const { field, path, body } = request;
  const answer = await client.send({ method: field.method, path, headers, body }, call.signal);
  if (answer.status < 200 || answer.status > 299) throw failureOf(request, answer);
  const { 'content-encoding': coding, 'content-type': mediaType, location } = answer.headers;
  const plain = await plainBody(coding, answer.body, bodySize);
  const received = { etag: entityTag(answer.headers), body: answer.body, location };
  if (plain.length === 0 && request.mayBeEmpty) return { ...noData(request), received };
  const made = readAnswer(request, { body: plain, mediaType });
  return { made, state: undefined, received };
}
