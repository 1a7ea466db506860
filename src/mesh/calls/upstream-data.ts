import type { IncomingHttpHeaders } from 'node:http';
import { pipeline, type Readable, Transform } from 'node:stream';
import type { StreamContent, StreamSnapshot } from '../../contract/entity-source.ts';
import type { CallContext } from '../../contract/exchange.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import { ownerName } from '../../contract/principal.ts';
import { inTurns } from '../../contract/work.ts';
import type { AuthorizedClient, UpstreamAccess } from '../credentials/upstream-access.ts';
import {
  entityTag,
  isIdentity,
  streamDecoder,
  type UpstreamAnswer,
  type UpstreamRequest,
  type UpstreamStream,
} from '../exchange/upstream-exchange.ts';
import { badResponse, mayHaveHappened, type Refusal, upstreamFailure } from '../exchange/upstream-failure.ts';
import type { HttpField } from '../fields/http-field.ts';
import { plainBody, readAnswer } from '../reading/answer-data.ts';
import {
  type FieldRequest,
  failureOf,
  type LoadedData,
  noData,
  REFUSALS,
  type StreamRequest,
  statusFailure,
} from './mesh-context.ts';
import { holdFor, type ReadOptions, readData } from './read-data.ts';

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
      if (request.stream !== undefined) return open(calling, request, request.stream, headers, call);
      return request.field.method === 'GET'
        ? readData(calling, request, headers, call)
        : write(calling, request, headers, call);
    },
  };
}

async function open(
  { client, bodySize }: ReadOptions,
  { field, path, body, takesInput, making }: FieldRequest,
  { conditions }: StreamRequest,
  headers: readonly string[],
  call: CallContext,
): Promise<LoadedData> {
  const trace = field.method === 'GET' ? call.handedOn?.trace : call.handedOn?.nextChange();
  const request = { operation: field.name, method: field.method, path, headers, trace, body };
  const data = await openStream(
    { client, field, request, takesInput, bodySize, conditions: { ...conditions } },
    call,
  );
  return { made: making.read(data), state: undefined };
}

async function write(
  { client, bodySize }: ReadOptions,
  request: FieldRequest,
  headers: readonly string[],
  call: CallContext,
): Promise<LoadedData> {
  const { field, path, body } = request;
  const answer = await sendChange(client, call, {
    operation: field.name,
    method: field.method,
    path,
    headers,
    trace: call.handedOn?.nextChange(),
    body,
    asker: ownerName(call.principal),
  });
  await holdFor(call, answer);
  if (answer.status < 200 || answer.status > 299) throw failureOf(request, answer);
  const { 'content-encoding': coding, 'content-type': mediaType, location } = answer.headers;
  const plain = await plainBody(coding, answer.body, bodySize);
  const received = { etag: entityTag(answer.headers), body: answer.body, location };
  if (plain.length === 0 && request.mayBeEmpty) return { ...noData(request), received };
  const made = await inTurns(readAnswer(request, { body: plain, mediaType }));
  return { made, state: undefined, received };
}

/** Whoever does not know what became of a change is told so. */
async function sendChange(
  client: AuthorizedClient,
  { signal }: CallContext,
  request: UpstreamRequest,
): Promise<UpstreamAnswer> {
  try {
    return await client.send(request, signal);
  } catch (error) {
    throw mayHaveHappened(error) ? upstreamFailure('OutcomeUnknown', error) : error;
  }
}

/** Bytes that equal bytes can be recognised by cost a comparison; decoded ones would cost a decoding too. */
const OWN_HEADERS: Readonly<Record<string, string>> = {
  accept: 'application/json',
  'accept-encoding': 'identity',
  'user-agent': 'duogate',
};

/** RFC 9110, section 5.5; undici refuses more, but a client shall be told that it was the client's. */
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

/** What is asked of the upstream, and what its answers mean. */
interface StreamCall {
  readonly client: AuthorizedClient;
  readonly field: HttpField;
  readonly request: UpstreamRequest;
  readonly takesInput: boolean;
  /** How many bytes a body may stand for that comes with a content coding. */
  readonly bodySize: number;
  /** Names in lower case, as they were sent. */
  readonly conditions: Readonly<Record<string, string | undefined>>;
}

/** Calls an operation that is about a stream; whatever its answer has is handed on as it comes. */
async function openStream(stream: StreamCall, call: CallContext): Promise<StreamSnapshot> {
  const { client, request } = stream;
  const answer = await client.open(request, call.signal);
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
      etag: weak(etag),
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

/** What breaks off, or cannot be decoded, fails the result; giving that up gives up the body. */
function decoded(body: Readable, coding: string, limit: number): Readable {
  try {
    return pipeline(body, streamDecoder(coding), atMost(limit), () => undefined);
  } catch (error) {
    body.destroy();
    throw error;
  }
}

/** None was asked for, and a small body may stand for a huge one: what has no end comes as it is. */
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

function weak(etag: string | undefined): string | undefined {
  return etag === undefined || etag.startsWith('W/') ? etag : `W/${etag}`;
}

/** What a client has sent may be refused, and so may the part that it wants (RFC 9110, 15.5.17). */
function streamFailure({ field, takesInput, conditions }: StreamCall, answer: UpstreamAnswer): GatewayError {
  const isOfRange = conditions['range'] !== undefined;
  const refusals = [...(takesInput ? STREAM_REFUSALS : []), ...(isOfRange ? RANGE_REFUSALS : [])];
  return statusFailure(field, answer, new Map(refusals));
}

const STREAM_REFUSALS: ReadonlyMap<number, Refusal> = new Map([...REFUSALS, [415, 'UnsupportedMediaType']]);
const RANGE_REFUSALS: ReadonlyMap<number, Refusal> = new Map([[416, 'RangeNotSatisfiable']]);
