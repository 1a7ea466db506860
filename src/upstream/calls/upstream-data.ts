import type { IncomingHttpHeaders } from 'node:http';
import { pipeline, type Readable, Transform } from 'node:stream';
import type { StreamContent, StreamSnapshot } from '../../contract/entity-source.ts';
import { weakTag } from '../../contract/entity-tag.ts';
import { askerOf, type CallContext } from '../../contract/exchange.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { MemoryReservation } from '../../contract/memory-allowance.ts';
import type { ChangeKeys } from '../../core/change-keys.ts';
import { inTurns } from '../../core/work.ts';
import type { AuthorizedClient, UpstreamAccess } from '../credentials/upstream-access.ts';
import {
  entityTag,
  haveSamePages,
  isIdentity,
  type PageHeaders,
  pageHeaders,
  streamDecoder,
  type UpstreamAnswer,
  type UpstreamRequest,
  type UpstreamStream,
} from '../exchange/upstream-exchange.ts';
import { badResponse, mayHaveHappened, type Refusal, upstreamFailure } from '../exchange/upstream-failure.ts';
import type { HttpField } from '../fields/http-field.ts';
import type { Reuse } from '../kept/reuse.ts';
import { parseAnswer, plainBody, readAnswer, readAnswerOnce } from '../reading/read-answer.ts';
import { DATA_WEIGHT } from '../reading/value-reader.ts';
import {
  createUpstreamMemory,
  type FieldRequest,
  failureOf,
  type LoadedData,
  noData,
  REFUSALS,
  type RememberedState,
  type StreamRequest,
  statusFailure,
  type UpstreamMemory,
} from './mesh-context.ts';

/** Reads and writes the data of one source, and recognises what has not changed. */
export interface UpstreamData {
  load(request: FieldRequest, call: CallContext): Promise<LoadedData>;
}

interface UpstreamDataOptions extends Omit<ReadOptions, 'client'> {
  readonly access: UpstreamAccess;
  /** Sent with every call. Names are in lower case; they win over all others. */
  readonly headers: Readonly<Record<string, string>>;
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
    async load(request, call) {
      const headers = headersOf(request);
      const calling = { ...options, client: await options.access.for(call) };
      const { stream, field } = request;
      if (field.method === 'GET' && stream === undefined) return readData(calling, request, headers, call);
      call.cost?.noteRead(0);
      try {
        return await (stream === undefined
          ? write(calling, request, headers, call)
          : open(calling, request, stream, headers, call));
      } finally {
        // A change that failed may have been made.
        if (field.method !== 'GET') await options.reuse?.drop(options.source);
      }
    },
  };
}

/**
 * The header fields of the next change. An API sees one client in all users that share a credential: the keys of
 * their changes are made to differ.
 */
function nextChange({ client, changeKeys }: ReadOptions, call: CallContext): readonly string[] | undefined {
  const asker = askerOf(call);
  if (client.owner !== '' || changeKeys === undefined || asker === undefined)
    return call.handedOn?.nextChange();
  return call.handedOn?.nextChange((chosen) => changeKeys(asker, chosen));
}

async function open(
  options: ReadOptions,
  { field, path, body, takesInput, decoder, rate }: FieldRequest,
  { conditions }: StreamRequest,
  headers: readonly string[],
  call: CallContext,
): Promise<LoadedData> {
  const { client, bodySize } = options;
  const trace = field.method === 'GET' ? call.handedOn?.trace : nextChange(options, call);
  const asker = askerOf(call);
  const request = { operation: field.name, method: field.method, path, headers, trace, body, asker, rate };
  const data = await openStream(
    { client, field, request, takesInput, bodySize, conditions: { ...conditions } },
    call,
  );
  return { decoded: decoder.read(data), state: undefined };
}

async function write(
  options: ReadOptions,
  request: FieldRequest,
  headers: readonly string[],
  call: CallContext,
): Promise<LoadedData> {
  const { client, bodySize } = options;
  const { field, path, body, rate } = request;
  const asker = askerOf(call);
  const sent = { operation: field.name, method: field.method, path, headers, body, asker, rate };
  const trace = nextChange(options, call);
  const answer = await client.send({ ...sent, trace }, call.signal).catch(throwOutcome);
  await holdFor(call, answer);
  if (answer.status < 200 || answer.status > 299) throw failureOf(request, answer);
  const { 'content-encoding': coding, 'content-type': mediaType, location } = answer.headers;
  const plain = await plainBody(coding, answer.body, bodySize);
  const received = { etag: entityTag(answer.headers), body: answer.body, location };
  const isEmpty = plain.length === 0 || request.decoder.isIgnored === true;
  if (isEmpty && request.mayBeEmpty) return { ...noData(request), received };
  const decoded = await inTurns(readAnswer(request, { body: plain, mediaType }));
  return { decoded, state: undefined, received };
}

/** Throws the failure of a change, which is OutcomeUnknown if the change may have been made. */
function throwOutcome(error: unknown): never {
  throw mayHaveHappened(error) ? upstreamFailure('OutcomeUnknown', error) : error;
}

/** Bytes that equal bytes can be recognised by cost a comparison; decoded ones would cost a decoding too. */
const OWN_HEADERS: Readonly<Record<string, string>> = {
  accept: 'application/json',
  'accept-encoding': 'identity',
  'user-agent': 'duogate',
};

/** RFC 9110, section 5.5; checked here, so that the error is the client's. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Names and values in turn. */
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

/** The header fields of this call. */
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

/** A call of a stream with the interpretation of its responses. */
interface StreamCall {
  readonly client: AuthorizedClient;
  readonly field: HttpField;
  readonly request: UpstreamRequest;
  readonly takesInput: boolean;
  /** Maximum size of a decoded body with a content coding. */
  readonly bodySize: number;
  /** Names in lower case, as they were sent. */
  readonly conditions: Readonly<Record<string, string | undefined>>;
}

/** Calls an operation that is about a stream; whatever its answer has is handed on as it comes. */
async function openStream(stream: StreamCall, call: CallContext): Promise<StreamSnapshot> {
  const { client, request } = stream;
  const opening = client.open(request, call.signal);
  const answer = await (request.method === 'GET' ? opening : opening.catch(throwOutcome));
  if (answer.kind === 'stream') return contentOf(answer, stream);
  const { status, headers } = answer;
  if (status === 304 && stream.conditions['if-none-match'] !== undefined) {
    return { kind: 'unchanged', etag: entityTag(headers) };
  }
  if (status >= 200 && status < 300) return { kind: 'absent', etag: entityTag(headers) };
  throw streamFailure(stream, answer);
}

function contentOf(
  answer: UpstreamStream,
  { conditions, bodySize }: Pick<StreamCall, 'conditions' | 'bodySize'>,
): StreamContent {
  const { status, headers, body } = answer;
  const range = status === 206 ? headers['content-range'] : undefined;
  const isWanted = status !== 206 || (conditions['range'] !== undefined && CONTENT_RANGE.test(range ?? ''));
  const coding = headers['content-encoding'];
  if (!isWanted || (status === 206 && !isIdentity(coding))) {
    body.destroy();
    throw badResponse(`status ${status} with content-range ${range} and content coding ${coding}`);
  }
  const etag = entityTag(headers);
  const described = { kind: 'content', mediaType: headers['content-type'], range } as const;
  if (!isIdentity(coding)) {
    // A strong tag is that of the encoded bytes (RFC 9110, 8.8.1).
    return {
      ...described,
      bytes: decoded(body, coding, bodySize),
      length: undefined,
      etag: weakTag(etag),
      divisible: false,
    };
  }
  return { ...described, bytes: body, length: lengthOf(headers), etag, divisible: isDivisible(answer) };
}

/** RFC 9110, 14.4. */
const CONTENT_RANGE = /^bytes \d+-\d+\/(?:\d+|\*)$/;

function isDivisible({ status, headers }: UpstreamStream): boolean {
  return status === 206 || headers['accept-ranges'] === 'bytes';
}

/** Errors of the stream or the decoder fail the result; destroying the result destroys the body. */
function decoded(body: Readable, coding: string, limit: number): Readable {
  try {
    return pipeline(body, streamDecoder(coding), atMost(limit), () => undefined);
  } catch (error) {
    body.destroy();
    throw error;
  }
}

/**
 * Limits the decoded size: no coding was requested, and a small body may decode to a huge one. Bodies without
 * a coding are not limited.
 */
function atMost(limit: number): Transform {
  let length = 0;
  return new Transform({
    transform(chunk: Buffer, _, done) {
      length += chunk.length;
      if (length <= limit) done(null, chunk);
      else done(badResponse(`the stream cannot be decoded within ${limit} bytes`));
    },
  });
}

function lengthOf(headers: IncomingHttpHeaders): number | undefined {
  const { 'content-length': length, 'transfer-encoding': coding } = headers;
  return length === undefined || coding !== undefined ? undefined : Number(length);
}

/** The upstream may reject the client's input or range (RFC 9110, 15.5.17). */
function streamFailure({ field, takesInput, conditions }: StreamCall, answer: UpstreamAnswer): GatewayError {
  const isOfRange = conditions['range'] !== undefined;
  const refusals = [...(takesInput ? STREAM_REFUSALS : []), ...(isOfRange ? RANGE_REFUSALS : [])];
  return statusFailure(field, answer, new Map(refusals));
}

const STREAM_REFUSALS: ReadonlyMap<number, Refusal> = new Map([...REFUSALS, [415, 'UnsupportedMediaType']]);
const RANGE_REFUSALS: ReadonlyMap<number, Refusal> = new Map([[416, 'RangeNotSatisfiable']]);

interface ReadOptions {
  readonly client: AuthorizedClient;
  readonly memory: UpstreamMemory;
  /** Uses answers again where the operator allows it. */
  readonly reuse?: Reuse | undefined;
  /** Names the API and its origin. */
  readonly source: string;
  readonly bodySize: number;
  /** Undefined if access control is off: there are no users to tell apart. */
  readonly changeKeys?: ChangeKeys | undefined;
}

const NO_MEMORY = createUpstreamMemory(0);

/** Asks the upstream, and recognises what it has said before. */
async function readData(
  options: ReadOptions,
  request: FieldRequest,
  headers: readonly string[],
  call: CallContext,
): Promise<LoadedData> {
  const { client } = options;
  const memory = call.isPassedOn === true ? NO_MEMORY : options.memory;
  const { field, path } = request;
  const own = field.headerArguments.length > 0 ? ` ${headers.join('\n')}` : '';
  // What one user is shown under a tag or in the same bytes may be kept from another.
  const key = `${client.owner} ${field.name} ${path}${own}`;
  const { known, answer } = await onceForQuery(call, key, () => {
    const held = memory.find(key);
    const etag = held?.etag;
    const sent = etag === undefined ? headers : [...headers, 'if-none-match', etag];
    const ask = () => send(client, request, sent, call);
    const answering = reusing(options, request, { key, headers, held }, call, ask);
    return answering.then((answer) => ({ known: { key, held, etag }, answer }));
  });
  await holdFor(call, answer, known.held);
  const read = () => readReceived({ ...options, memory }, request, known, answer);
  const loaded = await (answer.isShared === true ? sharedReading(answer, request, read) : read());
  return answer.isKept === true ? { ...loaded, isKept: true } : loaded;
}

/** The kept answer, if the operator allows it; else the upstream is asked. */
function reusing(
  { client, reuse, source }: ReadOptions,
  { maxAge }: FieldRequest,
  { key, headers, held }: { readonly key: string; readonly headers: readonly string[] } & Pick<Known, 'held'>,
  call: CallContext,
  ask: () => Promise<UpstreamAnswer>,
): Promise<UpstreamAnswer> {
  if (maxAge === undefined || reuse === undefined || call.isPassedOn === true) {
    call.cost?.noteRead(0);
    return ask();
  }
  return reuse.read({
    source,
    key: `${key}\n${headers.join('\n')}`,
    maxAge,
    isShared: client.owner === '',
    isAuthorized:
      client.isAuthorized || headers.some((name, index) => index % 2 === 0 && name === 'authorization'),
    call,
    ask,
    wholeOf(answer) {
      if (answer.status !== 304 || held === undefined) return { ...answer, body: ownBytes(answer.body) };
      const { coding, mediaType, body, pageHeaders: pages } = held;
      const known = { ...pages, 'content-encoding': coding, 'content-type': mediaType };
      return { status: 200, headers: { ...known, ...answer.headers }, body };
    },
  });
}

function send(
  client: AuthorizedClient,
  { field, path, rate }: FieldRequest,
  headers: readonly string[],
  call: CallContext,
): Promise<UpstreamAnswer> {
  return client.send(
    {
      operation: field.name,
      method: 'GET',
      path,
      headers,
      trace: call.handedOn?.trace,
      body: undefined,
      asker: askerOf(call),
      mayBeShared: client.owner === '',
      isBulk: (call.cost?.calls ?? 0) > FEW_CALLS,
      rate,
    },
    call.signal,
  );
}

/** A request with more calls leaves a part of the upstream's limits to others. */
const FEW_CALLS = 4;

/** In bytes. Less is not counted. */
const LARGE = 262_144;
/** An answer takes so much while it is written. */
const WRITING = 2;

/** The reservations whose memory another request that shares the response holds. */
const HELD = new WeakSet<MemoryReservation>();

/**
 * Reserves memory: the first request that shares a response holds its bytes. All others wait for room for
 * their own results, also after a 304: many results may derive from one response, or from none.
 */
async function holdFor(
  { memory: held }: CallContext,
  { memory, status, body }: UpstreamAnswer,
  known?: RememberedState,
): Promise<void> {
  if (held === undefined) return memory?.release();
  if (memory !== undefined && !HELD.has(memory) && body.length > 0) {
    HELD.add(memory);
    held.adopt(memory);
    return;
  }
  const bytes = status === 304 ? (known?.body.length ?? 0) : body.length;
  if (bytes >= LARGE) await held.take(bytes * WRITING);
}

/** The results of shared responses, by decoder. */
const READINGS = new WeakMap<UpstreamAnswer, Map<object, Promise<LoadedData>>>();

/** Decodes a shared response once per decoder. */
function sharedReading(
  answer: UpstreamAnswer,
  { decoder }: FieldRequest,
  read: () => Promise<LoadedData>,
): Promise<LoadedData> {
  const readings = READINGS.get(answer) ?? new Map<object, Promise<LoadedData>>();
  READINGS.set(answer, readings);
  const known = readings.get(decoder) ?? read();
  readings.set(decoder, known);
  return known;
}

/** The state of the data before the request. */
interface Known {
  /** Names the data in the memory. */
  readonly key: string;
  readonly held: RememberedState | undefined;
  /** The entity tag that was sent. */
  readonly etag: string | undefined;
}

async function readReceived(
  options: ReadOptions,
  request: FieldRequest,
  { key, held: before, etag }: Known,
  answer: UpstreamAnswer,
): Promise<LoadedData> {
  const { memory } = options;
  if (answer.status === 304 && before !== undefined && etag !== undefined) {
    const pages = pageHeaders(answer.headers) ?? before.pageHeaders;
    return decodedOf(options, request, stateWith(memory, before, pages));
  }
  if (answer.status === 204 && request.mayBeEmpty) return noData(request);
  if (answer.status !== 200 && answer.status !== 203) throw failureOf(request, answer);
  // Another request may have learnt of this state meanwhile.
  const held = memory.find(key) ?? before;
  if (held !== undefined && hasSameBytes(held, answer)) return keep(options, request, held, answer.headers);
  return learn(options, key, request, answer);
}

function hasSameBytes(held: RememberedState, { headers, body }: UpstreamAnswer): boolean {
  return held.coding === headers['content-encoding'] && held.body.equals(body);
}

async function keep(
  options: ReadOptions,
  request: FieldRequest,
  held: RememberedState,
  headers: IncomingHttpHeaders,
): Promise<LoadedData> {
  const { memory } = options;
  const pages = pageHeaders(headers);
  if (!mayRemember(headers)) {
    memory.forget(held.key);
    const { decoded } = await decodedOf(options, request, held);
    return { decoded, state: undefined, received: { ...held, pageHeaders: pages } };
  }
  const etag = entityTag(headers);
  if (etag !== held.etag) memory.retag(held, etag);
  return decodedOf(options, request, stateWith(memory, held, pages));
}

/** The state of an answer with the pages around it: the same bytes beside other pages are another state of the list. */
function stateWith(
  memory: UpstreamMemory,
  held: RememberedState,
  pages: PageHeaders | undefined,
): RememberedState {
  if (haveSamePages(pages, held.pageHeaders)) return held;
  const { key, etag, coding, body, mediaType } = held;
  return memory.remember({ key, etag, coding, body, mediaType, pageHeaders: pages }) ?? held;
}

/** Name the data of a state: without and with the digits that no double holds. */
const DATA = {};
const EXACT_DATA = {};

/**
 * The result for a state that occurs again. Its data is kept from now on: data that changes at every read is
 * not worth caching.
 */
async function decodedOf(
  { memory, bodySize }: ReadOptions,
  request: FieldRequest,
  state: RememberedState,
): Promise<LoadedData> {
  const { field, decoder } = request;
  const known = memory.derived(state, decoder);
  if (known !== undefined) return { decoded: known, state, received: state };
  const { coding, mediaType } = state;
  const answer = { body: await plainBody(coding, state.body, bodySize), mediaType };
  const purpose = decoder.exact ? EXACT_DATA : DATA;
  let data = memory.derived(state, purpose);
  if (data === undefined) {
    data = await inTurns(parseAnswer(field, answer, decoder.exact));
    memory.derive(state, purpose, data, answer.body.length * DATA_WEIGHT);
  }
  const decoded = await inTurns(readAnswer(request, answer, { data }));
  memory.derive(state, decoder, decoded, decoder.weigh(decoded));
  return { decoded, state, received: state };
}

async function learn(
  { memory, bodySize }: ReadOptions,
  key: string,
  request: FieldRequest,
  { headers, body: received, isShared }: UpstreamAnswer,
): Promise<LoadedData> {
  const { 'content-encoding': coding, 'content-type': mediaType } = headers;
  const body = await plainBody(coding, received, bodySize);
  const answer = { body, mediaType };
  const etag = entityTag(headers);
  const pages = pageHeaders(headers);
  const isKept = mayRemember(headers);
  if (!isKept) memory.forget(key);
  const once = isShared === true ? undefined : await inTurns(readAnswerOnce(request, answer, request.report));
  const decoded = once ?? (await inTurns(readAnswer(request, answer)));
  const state = isKept
    ? memory.remember({ key, etag, coding, mediaType, body: ownBytes(received), pageHeaders: pages })
    : undefined;
  if (state === undefined) return { decoded, state, received: { etag, body: received, pageHeaders: pages } };
  const { decoder } = request;
  if (once === undefined) memory.derive(state, decoder, decoded, decoder.weigh(decoded));
  return { decoded, state, received: state };
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

/** The outcome of a read. */
interface Received {
  readonly answer: UpstreamAnswer;
}

/** The reads of queries, by what they ask for. */
const READS = new WeakMap<object, Map<string, Promise<Received>>>();

/** Longer answers, in bytes, are given only to those who ask while they are waited for. */
const MOST_KEPT = 16 * 1024;

/** Reads once for all of a query that ask the same, which the key names; for a call of no query, at every time. */
function onceForQuery<Result extends Received>(
  call: CallContext,
  key: string,
  read: () => Promise<Result>,
): Promise<Result> {
  if (call.query === undefined) return read();
  const reads = (READS.get(call.query) ?? new Map()) as Map<string, Promise<Result>>;
  READS.set(call.query, reads);
  const known = reads.get(key);
  if (known === undefined) return begin(reads, key, read);
  return known.catch((error: unknown) => {
    // The first request may have been cancelled alone.
    if (!isGivenUp(error) || call.signal.aborted) throw error;
    if (reads.get(key) === known) reads.delete(key);
    return onceForQuery(call, key, read);
  });
}

function begin<Result extends Received>(
  reads: Map<string, Promise<Result>>,
  key: string,
  read: () => Promise<Result>,
): Promise<Result> {
  const own = read();
  const shared = own.then((result) => {
    if (result.answer.body.length > MOST_KEPT) reads.delete(key);
    return { ...result, answer: { ...result.answer, isShared: true } };
  });
  // All sharing requests get the error; without a listener, it would end the process.
  shared.catch(() => undefined);
  reads.set(key, shared);
  return own;
}

function isGivenUp(error: unknown): boolean {
  return error instanceof GatewayError && error.code === 'ClientClosedRequest';
}
