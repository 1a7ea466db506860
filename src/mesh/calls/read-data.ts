import type { IncomingHttpHeaders } from 'node:http';
import type { CallContext } from '../../contract/exchange.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { MemoryReservation } from '../../contract/memory-allowance.ts';
import { ownerName } from '../../contract/principal.ts';
import { inTurns } from '../../contract/work.ts';
import type { AuthorizedClient } from '../credentials/upstream-access.ts';
import {
  entityTag,
  haveSamePages,
  type PageHeaders,
  pageHeaders,
  type UpstreamAnswer,
} from '../exchange/upstream-exchange.ts';
import { parseAnswer, plainBody, readAnswer, readAnswerOnce } from '../reading/answer-data.ts';
import { DATA_WEIGHT } from '../reading/response-decoder.ts';
import {
  type FieldRequest,
  failureOf,
  type LoadedData,
  noData,
  type RememberedState,
  type UpstreamMemory,
} from './mesh-context.ts';

export interface ReadOptions {
  readonly client: AuthorizedClient;
  readonly memory: UpstreamMemory;
  readonly bodySize: number;
}

/** Asks the upstream, and recognises what it has said before. */
export async function readData(
  options: ReadOptions,
  request: FieldRequest,
  headers: readonly string[],
  call: CallContext,
): Promise<LoadedData> {
  const { client, memory } = options;
  const { field, path } = request;
  const own = field.headerArguments.length > 0 ? ` ${headers.join('\n')}` : '';
  // What one user is shown under a tag or in the same bytes may be kept from another.
  const key = `${client.owner} ${field.name} ${path}${own}`;
  const { known, answer } = await onceForQuery(call, key, async () => {
    const held = memory.find(key);
    const etag = held?.etag;
    const sent = etag === undefined ? headers : [...headers, 'if-none-match', etag];
    return { known: { key, held, etag }, answer: await send(client, request, sent, call) };
  });
  await holdFor(call, answer, known.held);
  const read = () => readReceived(options, request, known, answer);
  return answer.isShared === true ? sharedReading(answer, request, read) : read();
}

function send(
  client: AuthorizedClient,
  { field, path }: FieldRequest,
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
      asker: ownerName(call.principal),
      mayBeShared: client.owner === '',
    },
    call.signal,
  );
}

/** In bytes. Less is not counted. */
const LARGE = 262_144;
/** An answer takes so much while it is written. */
const WRITING = 2;

/** What is held already for one of those who share an answer. */
const HELD = new WeakSet<MemoryReservation>();

/**
 * What was received is held for the first of those who share it. All others wait for room for what they make of it, as
 * does whoever is told that nothing has changed: many answers may come of one that was received, or of none.
 */
export async function holdFor(
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

/** What has been made of answers that several requests were given, by what they make of them. */
const READINGS = new WeakMap<UpstreamAnswer, Map<object, Promise<LoadedData>>>();

/** What is made of one answer is made once for all who make the same of it. */
function sharedReading(
  answer: UpstreamAnswer,
  { making }: FieldRequest,
  read: () => Promise<LoadedData>,
): Promise<LoadedData> {
  const readings = READINGS.get(answer) ?? new Map<object, Promise<LoadedData>>();
  READINGS.set(answer, readings);
  const known = readings.get(making) ?? read();
  readings.set(making, known);
  return known;
}

/** What was known of the data when it was asked for. */
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
    return madeOf(options, request, stateWith(memory, before, pages));
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
    const { made } = await madeOf(options, request, held);
    return { made, state: undefined, received: { ...held, pageHeaders: pages } };
  }
  const etag = entityTag(headers);
  if (etag !== held.etag) memory.retag(held, etag);
  return madeOf(options, request, stateWith(memory, held, pages));
}

/** The same bytes with other pages around them are another state of the list. */
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
 * What is made of a state that has come again. Its data is kept from then on, for whatever else is made of it:
 * data that changes at every read would only be carried about.
 */
async function madeOf(
  { memory, bodySize }: ReadOptions,
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
    data = await inTurns(parseAnswer(field, answer, making.exact));
    memory.derive(state, purpose, data, answer.body.length * DATA_WEIGHT);
  }
  const made = await inTurns(readAnswer(request, answer, { data }));
  memory.derive(state, making, made, making.weigh(made, answer.body.length));
  return { made, state, received: state };
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
  const made = once ?? (await inTurns(readAnswer(request, answer)));
  const state = isKept
    ? memory.remember({ key, etag, coding, mediaType, body: ownBytes(received), pageHeaders: pages })
    : undefined;
  if (state === undefined) return { made, state, received: { etag, body: received, pageHeaders: pages } };
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

/** What came of a read. */
interface Received {
  readonly answer: UpstreamAnswer;
}

/** The reads of queries, by what they ask for. */
const READS = new WeakMap<object, Map<string, Promise<Received>>>();

/** Longer answers, in bytes, are given only to those who ask while they are waited for. */
const MOST_KEPT = 16 * 1024;

/** Reads once for all of a query that ask the same, which the key names; for a call of no query, at every time. */
async function onceForQuery<Result extends Received>(
  call: CallContext,
  key: string,
  read: () => Promise<Result>,
): Promise<Result> {
  if (call.query === undefined) return read();
  const reads = (READS.get(call.query) ?? new Map()) as Map<string, Promise<Result>>;
  READS.set(call.query, reads);
  const known = reads.get(key);
  if (known === undefined) return begin(reads, key, read);
  try {
    return await known;
  } catch (error) {
    // Whoever reads for others may have been given up alone.
    if (!isGivenUp(error) || call.signal.aborted) throw error;
    if (reads.get(key) === known) reads.delete(key);
    return onceForQuery(call, key, read);
  }
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
  // Whoever shares a failure is told of it; nobody may.
  shared.catch(() => undefined);
  reads.set(key, shared);
  return own;
}

function isGivenUp(error: unknown): boolean {
  return error instanceof GatewayError && error.code === 'ClientClosedRequest';
}
