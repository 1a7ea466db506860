import type { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import { GatewayError } from './gateway-error.ts';
import type { MemoryReservation } from './memory-allowance.ts';
import type { Principal } from './principal.ts';
import type { RequestBudget } from './request-budget.ts';
import type { RequestCost } from './request-cost.ts';

/** What every part that answers a request is told about it. */
export interface CallContext {
  /** Names the request in the log. */
  readonly id: string;
  readonly principal: Principal;
  /** Aborts when the client goes away: whatever is under way for the request is then given up. */
  readonly signal: AbortSignal;
  /** What upstreams are sent of its header fields; without it, nothing. */
  readonly handedOn?: HandedOn | undefined;
  /** What is held for the answer; without it, nobody counts that. */
  readonly memory?: MemoryReservation | undefined;
  /** Counts the calls that are made for the request; without it, they are not counted. */
  readonly cost?: RequestCost | undefined;
  /** Stands for a query that sees one state of the data: equal reads for it are made once. */
  readonly query?: object | undefined;
}

/** Tells apart who asks: a user, or all who are not known. */
export function ownerName(principal: Principal): string {
  return principal.kind === 'user' ? `user ${principal.id}` : principal.kind;
}

/** The user among whom a thing is shared; undefined if access control is off and all requests are of one owner. */
export function askerOf({ principal }: Pick<CallContext, 'principal'>): string | undefined {
  return principal.kind === 'unrestricted' ? undefined : ownerName(principal);
}

/**
 * A request inside the gateway: a plain record, because `$batch` makes them by the hundred.
 *
 * `target` is the raw request target below the part's mount point, with its query and still
 * percent-encoded, such as `/Post('a%2Fb')?$top=1`: the part splits it first and decodes it once.
 * Names of headers are in lower case.
 */
export interface GatewayRequest extends CallContext {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The body's bytes as they came, or undefined where the request has none. */
  readonly body: Uint8Array | undefined;
  /** The body as it comes, in the place of `body`, where the part that is asked wants it so. */
  readonly upload?: StreamBody;
  /** The address that the connection comes from, which may be a proxy's. */
  readonly remote?: string | undefined;
  /** Nothing of the answer but its header fields is sent (RFC 9110, 9.3.2): it came as HEAD and is shown as GET. */
  readonly bodiless?: boolean;
}

/** A request that is worked on, and what it may take. */
export interface BudgetedRequest extends GatewayRequest {
  readonly budget: RequestBudget;
}

/** A body that comes while it is written. Whoever does not read it to its end destroys `bytes`. */
export interface StreamBody {
  /** The bytes as they come. The stream fails where its source breaks off: what was read is then less than the whole. */
  readonly bytes: Readable;
  /** In bytes; undefined where it is not known before the end. */
  readonly length: number | undefined;
  /** All of it is in memory already: it comes as fast as it is read, and to hold it takes nothing more. */
  readonly isHeld?: boolean;
}

/** The answer to a {@link GatewayRequest}. Names of headers are in lower case. */
export interface GatewayResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | StreamBody | undefined;
}

/** An answer that is there from its first byte to its last. */
export interface WholeResponse extends GatewayResponse {
  readonly body: string | Uint8Array | undefined;
}

/**
 * Header fields of a client's request that go on to the upstream: what it is traced by, and what keeps a change that
 * is sent again from being made again.
 */
interface HandedOn {
  /** With every call: the request's name, and its trace (W3C Trace Context, 3.2 and 3.3). Names and values in turn. */
  readonly trace: readonly string[];
  /**
   * With the next change that is made for the request, beside its trace. One request may make several changes:
   * `Idempotency-Key` numbers those behind the first, and what OData's repeatable requests say is for the first alone.
   * `keyOf` makes the keys that are sent of those that the client chose.
   */
  nextChange(keyOf?: (chosen: string) => string): readonly string[];
}

type Fields = Readonly<Record<string, string | undefined>>;

const TRACEPARENT = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}(?:-[\x21-\x7e]*)?$/;
/** RFC 9110, 5.5: what a field may have, within reason. */
const VALUE = /^[\x20-\x7e]{1,512}$/;

/** `trace`: where it stands in other fields than those of the change, as in a batch. Names are in lower case. */
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

/** Header fields that keep a change from being made twice: the usual one, and those of OData Repeatable Requests 1.0. */
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

/** A value as JSON, which nobody may keep. */
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

/** The path of a target in front of its query. Nothing is decoded. */
export function pathOf(target: string): string {
  const end = target.search(/[?#]/);
  return end < 0 ? target : target.slice(0, end);
}

/** Tells a body that comes while it is written from one that is there. */
export function isStreamBody(body: GatewayResponse['body']): body is StreamBody {
  return typeof body === 'object' && 'bytes' in body;
}

/** How long a stream may be where its answer is held as a whole. */
const MAX_STREAM_BYTES = 10 * 1024 * 1024;

/**
 * The answer with all of its body, for whoever cannot hand a stream on as it comes. One that is too long for that is
 * given up, and NotImplemented, unless it is held anyway.
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
    // Leaving the loop destroys what is read.
    if (size > MAX_STREAM_BYTES && isHeld !== true) throw tooLong();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

function tooLong(): GatewayError {
  const message = `A stream of more than ${MAX_STREAM_BYTES} bytes cannot be a part of another answer.`;
  return new GatewayError('NotImplemented', message);
}

/** What is left of a request target without a query parameter, and the first value that it had. */
interface TakenParameter {
  readonly target: string;
  readonly value: string;
}

/** Takes a parameter out of a target's query, however its name is written; undefined where it is not there. */
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

/** What an answer weighs beside its body: its headers, its key and its place in the memory. */
const OVERHEAD_BYTES = 512;

/**
 * Written answers, kept for as long as the data they were made of has not changed.
 *
 * The upstream is asked all the same: it tells which version of the data is the present one.
 */
export interface AnswerMemory {
  /** The answer of that query over that version, written now if it is not known. */
  answer(version: AnswerVersion | undefined, query: string, write: WriteAnswer): Promise<WholeResponse>;
}

/** The version of the data, with whatever else the answer hangs on. */
type AnswerVersion = number | string;

type WriteAnswer = () => WholeResponse | Promise<WholeResponse>;

interface Remembered {
  readonly version: AnswerVersion;
  /** Undefined until the version has come twice: data that changes at every read is not worth keeping. */
  readonly answer: WholeResponse | undefined;
}

/** A memory of at most so many bytes; none at all for 0. */
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

/** In characters. A shorter text is written in one piece with its header, which costs less than to write two. */
const LONG_TEXT = 2_048;

/** Bytes are sent as they are, where text would be encoded again each time. */
function asBytes(answer: WholeResponse): WholeResponse {
  const { body } = answer;
  return typeof body === 'string' && body.length >= LONG_TEXT
    ? { ...answer, body: Buffer.from(body) }
    : answer;
}
