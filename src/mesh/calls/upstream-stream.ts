import type { IncomingHttpHeaders } from 'node:http';
import { pipeline, type Readable, Transform } from 'node:stream';
import type { StreamContent, StreamSnapshot } from '../../contract/entity-source.ts';
import type { CallContext } from '../../contract/exchange.ts';
import type { GatewayError } from '../../contract/gateway-error.ts';
import type { AuthorizedClient } from '../credentials/upstream-access.ts';
import { isIdentity, streamDecoder } from '../exchange/content-coding.ts';
import { entityTag } from '../exchange/entity-tag.ts';
import type { UpstreamAnswer, UpstreamRequest, UpstreamStream } from '../exchange/upstream-exchange.ts';
import { badResponse, type Refusal } from '../exchange/upstream-failure.ts';
import type { HttpField } from '../fields/http-field.ts';
import { REFUSALS, statusFailure } from './status-failure.ts';

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
export async function openStream(stream: StreamCall, call: CallContext): Promise<StreamSnapshot> {
  const { client, request } = stream;
  const answer = await client.open(request, call.signal);
  if (answer.kind === 'stream') return contentOf(answer, stream);
  const { status, headers } = answer;
  if (status === 304 && stream.conditions['if-none-match'] !== undefined) {
    return { kind: 'unchanged', etag: entityTag(headers) };
  }
  if (status >= 200 && status < 300) return { kind: 'absent', etag: entityTag(headers) };
  throw failureOf(stream, answer);
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
function failureOf({ field, takesInput, conditions }: StreamCall, answer: UpstreamAnswer): GatewayError {
  const isOfRange = conditions['range'] !== undefined;
  const refusals = [...(takesInput ? STREAM_REFUSALS : []), ...(isOfRange ? RANGE_REFUSALS : [])];
  return statusFailure(field, answer, new Map(refusals));
}

const STREAM_REFUSALS: ReadonlyMap<number, Refusal> = new Map([...REFUSALS, [415, 'UnsupportedMediaType']]);
const RANGE_REFUSALS: ReadonlyMap<number, Refusal> = new Map([[416, 'RangeNotSatisfiable']]);
