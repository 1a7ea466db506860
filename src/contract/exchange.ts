import type { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import { GatewayError } from './gateway-error.ts';
import type { MemoryReservation } from './memory-allowance.ts';
import type { Principal } from './principal.ts';
import type { RequestBudget } from './request-budget.ts';
import type { RequestCost } from './request-cost.ts';

/** The context of a request, for every part that works on it. */
export interface CallContext {
  /** The id of the request in the log. */
  readonly id: string;
  readonly principal: Principal;
  /** Aborts when the client disconnects, which cancels all work for the request. */
  readonly signal: AbortSignal;
  /** Header fields to forward to upstreams; none if undefined. */
  readonly handedOn?: HandedOn | undefined;
  /** The memory held for the response; not counted if undefined. */
  readonly memory?: MemoryReservation | undefined;
  /** True if the answer is not remembered to recognise unchanged data: a long list would replace all that is. */
  readonly isPassedOn?: boolean;
  /** Counts the upstream calls of the request; not counted if undefined. */
  readonly cost?: RequestCost | undefined;
  /** Identifies a query that sees one state of the data: its equal reads are made once. */
  readonly query?: object | undefined;
  /** True if cached responses must not be used: for changes, which depend on the data they read. */
  readonly isFresh?: boolean;
}

/** Identifies the principal: a user, or all anonymous clients together. */
export function ownerName(principal: Principal): string {
  return principal.kind === 'user' ? `user ${principal.id}` : principal.kind;
}

/** The user whose share of resources the request counts against; undefined without access control. */
export function askerOf({ principal }: Pick<CallContext, 'principal'>): string | undefined {
  return principal.kind === 'unrestricted' ? undefined : ownerName(principal);
}

/**
 * A request within the gateway: a plain record, because one `$batch` creates hundreds.
 *
 * `target` is the raw request target below the mount point, including the query and still percent-encoded,
 * such as `/Post('a%2Fb')?$top=1`: it is split first and then decoded once. Header names are in lower case.
 */
export interface GatewayRequest extends CallContext {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The bytes of the body as received; undefined without a body. */
  readonly body: Uint8Array | undefined;
  /** The body as a stream, in place of `body`, if the part supports it. */
  readonly upload?: StreamBody;
  /** The address of the connection, which may be a proxy's. */
  readonly remote?: string | undefined;
  /** True if the client can see that a body of unknown length has broken off. */
  readonly mayBreakOff?: boolean;
  /**
   * True if only the header fields of the response are sent (RFC 9110, 9.3.2): a HEAD request that is handled
   * as GET.
   */
  readonly bodiless?: boolean;
}

/** A request with its budget. */
export interface BudgetedRequest extends GatewayRequest {
  readonly budget: RequestBudget;
}

/** A streamed body. A consumer that does not read to its end must destroy `bytes`. */
export interface StreamBody {
  /** Fails if the source ends early; the data read so far is then incomplete. */
  readonly bytes: Readable;
  /** In bytes; undefined if unknown in advance. */
  readonly length: number | undefined;
  /** True if the bytes are in memory already, so that collecting them takes no additional memory. */
  readonly isHeld?: boolean;
  /** True if the bytes are made while they are written, and their source holds memory until then. */
  readonly isMade?: boolean;
  /** Makes the end of a body that breaks off, for a client that reads trailers. */
  readonly breakOff?: (error: unknown) => BrokenEnd;
}

/** The end of a body that breaks off, for clients that read trailers (RFC 9110, 6.5.1). */
export interface BrokenEnd {
  /** Leaves the body malformed, so that no client takes a part for the whole. */
  readonly content: string;
  readonly trailers: Readonly<Record<string, string>>;
}

/** Header names are in lower case. */
export interface GatewayResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | StreamBody | undefined;
}

/** A response whose body is in memory. */
export interface WholeResponse extends GatewayResponse {
  readonly body: string | Uint8Array | undefined;
}

/**
 * Header fields of a client's request that are forwarded to the upstream: its trace, and the keys that make
 * repeated changes idempotent.
 */
interface HandedOn {
  /**
   * Sent with every call: the id of the request and its trace (W3C Trace Context, 3.2 and 3.3). Alternating
   * names and values.
   */
  readonly trace: readonly string[];
  /**
   * Sent with the next change of the request, in addition to the trace. A request may make several changes:
   * `Idempotency-Key` is numbered after the first, and the headers of OData's repeatable requests apply to
   * the first only. `keyOf` derives the sent keys from those of the client.
   */
  nextChange(keyOf?: (chosen: string) => string): readonly string[];
}

type Fields = Readonly<Record<string, string | undefined>>;

const TRACEPARENT = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}(?:-[\x21-\x7e]*)?$/;
/** RFC 9110, 5.5: a field value, with a limited length. */
const VALUE = /^[\x20-\x7e]{1,512}$/;

/**
 * `trace`: the fields with the trace if they are separate from those of the change, as in a batch. Names are
 * in lower case.
 */
export function handedOn(id: string, fields: Fields, trace: Fields = fields): HandedOn {
  const traced = ['x-request-id', id, ...traceOf(trace)];
  let changes = 0;
  return {
    trace: traced,
    nextChange(keyOf = (chosen) => chosen) {
      changes += 1;
      const suffix = changes === 1 ? '' : `-${changes}`;
      const keys = (changes === 1 ? KEYS : KEYS.slice(0, 1)).flatMap((each) => {
        const [name, key] = given(fields, each);
        return name === undefined ? [] : [name, keyOf(`${key}${suffix}`)];
      });
      return [...traced, ...keys, ...(changes === 1 ? given(fields, 'repeatability-first-sent') : [])];
    },
  };
}

/** Header fields that make changes idempotent: the common one, and those of OData Repeatable Requests 1.0. */
const KEYS = ['idempotency-key', 'repeatability-request-id'];

function traceOf(fields: Fields): readonly string[] {
  const parent = fields['traceparent'];
  if (parent === undefined || parent.length > 512 || !TRACEPARENT.test(parent)) return [];
  return ['traceparent', parent, ...given(fields, 'tracestate')];
}

function given(fields: Fields, name: string): readonly string[] {
  const value = fields[name];
  return value !== undefined && VALUE.test(value) ? [name, value] : [];
}

/** A response with a JSON body that must not be cached. */
export function jsonAnswer(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): GatewayResponse {
  const fields = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };
  return { status, headers: { ...fields, ...headers }, body: JSON.stringify(value) };
}

export const NO_CONTENT: GatewayResponse = {
  status: 204,
  headers: { 'cache-control': 'no-store' },
  body: undefined,
};

/** The path of a target, without its query and still encoded. */
export function pathOf(target: string): string {
  const end = target.search(/[?#]/);
  return end < 0 ? target : target.slice(0, end);
}

export function isStreamBody(body: GatewayResponse['body']): body is StreamBody {
  return typeof body === 'object' && 'bytes' in body;
}

/** Maximum length of a stream that is collected in memory. */
const MAX_STREAM_BYTES = 10 * 1024 * 1024;

/**
 * Collects a streamed body, for callers that cannot forward a stream. A stream that is too long is destroyed
 * and rejected as NotImplemented, unless it is in memory anyway.
 */
export async function wholeResponse(response: GatewayResponse): Promise<WholeResponse> {
  const { body } = response;
  return { ...response, body: isStreamBody(body) ? await collect(body) : body };
}

async function collect({ bytes, isHeld }: StreamBody): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytes as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    // Leaving the loop destroys the stream.
    if (size > MAX_STREAM_BYTES && isHeld !== true) throw tooLong();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

function tooLong(): GatewayError {
  const message = `A stream of more than ${MAX_STREAM_BYTES} bytes cannot be a part of another answer.`;
  return new GatewayError('NotImplemented', message);
}

/** A request target without one of its query parameters, and the parameter's first value. */
interface TakenParameter {
  readonly target: string;
  readonly value: string;
}

/** Removes a parameter from a target's query, in any encoding of its name; undefined if it is missing. */
export function takeParameter(target: string, name: string): TakenParameter | undefined {
  const mark = target.indexOf('?');
  if (mark < 0) return undefined;
  const parameters = target.slice(mark + 1).split('&');
  const others = parameters.filter((parameter) => nameOf(parameter) !== name);
  if (others.length === parameters.length) return undefined;
  const given = parameters.find((parameter) => nameOf(parameter) === name) ?? '';
  return {
    target: `${target.slice(0, mark)}${others.length === 0 ? '' : `?${others.join('&')}`}`,
    value: decode(given.slice(given.indexOf('=') + 1)),
  };
}

function nameOf(parameter: string): string {
  return decode(parameter.split('=', 1)[0] ?? '');
}

function decode(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The estimated bytes of a cached response beside its body: headers, key and entry. */
const OVERHEAD_BYTES = 512;

/**
 * Caches serialized responses for as long as their data is unchanged.
 *
 * The upstream is still called, because its response determines the version of the data.
 */
export interface AnswerMemory {
  /** The response to the query for this version, serialized now if it is not cached. */
  answer(version: AnswerVersion | undefined, query: string, write: WriteAnswer): Promise<WholeResponse>;
}

/** The version of the data, with anything else that the response depends on. */
type AnswerVersion = number | string;

type WriteAnswer = () => WholeResponse | Promise<WholeResponse>;

interface Remembered {
  readonly version: AnswerVersion;
  /** Undefined until the version occurs twice: data that changes at every read is not worth caching. */
  readonly answer: WholeResponse | undefined;
}

/** Creates a cache of at most `maxBytes`; 0 disables it. */
export function createAnswerMemory(maxBytes: number): AnswerMemory {
  if (maxBytes === 0) return { answer: async (_version, _query, write) => write() };
  const memory = new LRUCache<string, Remembered>({
    maxSize: maxBytes,
    sizeCalculation: ({ answer }, query) => query.length + (answer?.body?.length ?? 0) + OVERHEAD_BYTES,
  });
  return {
    async answer(version, query, write) {
      if (version === undefined) return write();
      const known = memory.get(query);
      if (known?.version !== version) {
        memory.set(query, { version, answer: undefined });
        return write();
      }
      if (known.answer !== undefined) return known.answer;
      const answer = asBytes(await write());
      memory.set(query, { version, answer });
      return answer;
    },
  };
}

/** In characters. A shorter text is written together with its header, which costs less than two writes. */
const LONG_TEXT = 2_048;

/** Stores bytes, because a text would be encoded again for each response. */
function asBytes(answer: WholeResponse): WholeResponse {
  const { body } = answer;
  return typeof body === 'string' && body.length >= LONG_TEXT
    ? { ...answer, body: Buffer.from(body) }
    : answer;
}
