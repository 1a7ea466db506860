import type { Logger } from '@graphql-mesh/types';
import { LRUCache } from 'lru-cache';
import type { StreamConditions, WriteConditions } from '../../contract/entity-source.ts';
import type { CallContext, StreamBody } from '../../contract/exchange.ts';
import type { GatewayError } from '../../contract/gateway-error.ts';
import type { Log } from '../../contract/log.ts';
import type { CallRate, MaxAge } from '../../model/operation.ts';
import type { PageHeaders, UpstreamAnswer } from '../exchange/upstream-exchange.ts';
import { badResponse, type Refusal, upstreamFailure } from '../exchange/upstream-failure.ts';
import type { HttpField } from '../fields/http-field.ts';
import type { ResponseDecoder } from '../reading/value-reader.ts';
import type { WireObject } from '../sending/call-arguments.ts';

/** The GraphQL context of an execution on the mesh, whose document has one root field. */
export interface MeshContext {
  readonly call: CallContext;
  readonly fieldCall: FieldCall;
}

/** The decoded data of a root field, and its origin. */
export interface LoadedData {
  readonly decoded: unknown;
  /** The state of the upstream's data that it is, where that is remembered. */
  readonly state: RememberedState | undefined;
  /** The received data and its entity tag. Undefined for streams and responses without a body. */
  readonly received?: ReceivedAnswer | undefined;
  /** No call was made: the answer was kept. */
  readonly isKept?: boolean;
}

export interface ReceivedAnswer extends Pick<RememberedState, 'etag' | 'body'> {
  /** The URL of what a write has created (RFC 9110, 10.2.2), as it was sent. */
  readonly location?: string | undefined;
  /** The paging header fields of a list's response. */
  readonly pageHeaders?: PageHeaders | undefined;
}

/** The additional parts of a request for a stream. */
export interface StreamRequest {
  /** In which state the stream is read or changed: header fields, in lower case. */
  readonly conditions: StreamConditions | WriteConditions;
}

/** The call that the entity source and the root field share. */
export interface FieldCall {
  /** The arguments as OpenAPI has them written; those that GraphQL demands were given to it, too. */
  readonly arguments: WireObject;
  readonly body: Uint8Array | StreamBody | undefined;
  /** The target to ask instead of the one that Mesh would make of the arguments, without what the source adds to it. */
  readonly target?: string | undefined;
  /** The media type of the body, if the document does not declare it for JSON. */
  readonly mediaType?: string | undefined;
  /** The operation is about a stream: the data is a {@link StreamSnapshot} then. */
  readonly stream?: StreamRequest | undefined;
  /** In which state an entity is changed: header fields, in lower case. */
  readonly conditions?: WriteConditions | undefined;
  /** True if the client provides the input, so that a rejection is the client's mistake. */
  readonly takesInput: boolean;
  /** The answer may have no body, or null for it. */
  readonly mayBeEmpty: boolean;
  /** The rate that is declared for the operation. */
  readonly rate?: CallRate | undefined;
  /** The age up to which an answer is used again; undefined if the upstream is called each time. */
  readonly maxAge?: MaxAge | undefined;
  /** Decodes the data. The field itself returns nothing, so nothing further is executed. */
  readonly decoder: ResponseDecoder;
  /** Filled in by the root field, as is the following. */
  loaded: LoadedData | undefined;
  /** The target of the request, which is filled in when it is sent. */
  sent?: string | undefined;
  failure: Error | undefined;
}

/** One state of the data behind a URL, as it was last read. All of it is shared: never change it. */
export interface RememberedState {
  readonly key: string;
  /** No other state of any data has the same. */
  readonly version: number;
  readonly etag: string | undefined;
  readonly coding: string | undefined;
  /** The answer's bytes, still in their content coding. */
  readonly body: Buffer;
  /** The answer's Content-Type. */
  readonly mediaType: string | undefined;
  /** The paging header fields of the response. */
  readonly pageHeaders: PageHeaders | undefined;
}

/**
 * Remembers the last answer of each GET, to recognise data that has not changed.
 *
 * It never answers a call: the upstream is asked each time. What is made of a state (its data, the rows of a
 * query) is kept beside it, counts as its size and goes with it.
 */
export interface UpstreamMemory {
  find(key: string): RememberedState | undefined;
  /** Undefined where it is too large to be remembered. */
  remember(state: Omit<RememberedState, 'version'>): RememberedState | undefined;
  /** Gives a state another entity tag: its data is the same. */
  retag(state: RememberedState, etag: string | undefined): void;
  forget(key: string): void;
  /** The result cached for a state and purpose. */
  derived(state: RememberedState, purpose: object): unknown;
  derive(state: RememberedState, purpose: object, value: unknown, size: number): void;
}

interface Entry extends RememberedState {
  etag: string | undefined;
  readonly ownSize: number;
  size: number;
  made: Map<object, unknown>;
}

/** The measured overhead of an entry, in bytes. */
const ENTRY_OVERHEAD = 1_280;

/** A memory of at most `limit` bytes, estimated; 0 remembers nothing. */
export function createUpstreamMemory(limit: number): UpstreamMemory {
  const entries = limit > 0 ? openEntries(limit) : undefined;
  let lastVersion = 0;

  function weigh(entry: Entry, size: number): void {
    if (entries?.peek(entry.key) !== entry) return;
    // The cache reads an entry's size only when the entry is new to it.
    entries.delete(entry.key);
    entry.size = size;
    entries.set(entry.key, entry);
  }

  return {
    find: (key) => entries?.get(key),
    remember(state) {
      const size = ENTRY_OVERHEAD + state.key.length + state.body.length;
      if (entries === undefined || size > limit) {
        entries?.delete(state.key);
        return undefined;
      }
      lastVersion += 1;
      const entry: Entry = { ...state, version: lastVersion, ownSize: size, size, made: new Map() };
      entries.set(state.key, entry);
      return entry;
    },
    retag(state, etag) {
      (state as Entry).etag = etag;
    },
    forget: (key) => void entries?.delete(key),
    derived: (state, purpose) => (state as Entry).made.get(purpose),
    derive(state, purpose, value, size) {
      const entry = state as Entry;
      if (entry.size + size > limit) {
        entry.made = new Map();
        weigh(entry, entry.ownSize);
      }
      if (entry.size + size > limit) return;
      entry.made.set(purpose, value);
      weigh(entry, entry.size + size);
    },
  };
}

function openEntries(limit: number): LRUCache<string, Entry> {
  return new LRUCache({ maxSize: limit, sizeCalculation: (entry) => entry.size });
}

/** The HTTP request that Mesh has made of a root field and its arguments, for a call. */
export interface FieldRequest
  extends Pick<
    FieldCall,
    | 'body'
    | 'mediaType'
    | 'stream'
    | 'conditions'
    | 'takesInput'
    | 'mayBeEmpty'
    | 'rate'
    | 'maxAge'
    | 'decoder'
  > {
  readonly field: HttpField;
  /** Path and query, percent-encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Takes note of a failure that shows when the answer has been handed on. */
  readonly report: (error: unknown) => void;
}

/** The result of a response without a body. */
export function noData({ decoder }: FieldRequest): LoadedData {
  return { decoded: decoder.read(null), state: undefined };
}

export function failureOf(
  { field, takesInput, decoder }: FieldRequest,
  answer: UpstreamAnswer,
): GatewayError {
  const refusals = takesInput ? REFUSALS : NO_REFUSALS;
  const isMissing = answer.status === 404 && decoder.isOfOne === true;
  return statusFailure(field, answer, isMissing ? NOT_THERE : refusals);
}

const NOT_THERE: ReadonlyMap<number, 'NotFound'> = new Map([[404, 'NotFound']]);

/** The errors for statuses that reject the client's input. */
export const REFUSALS: ReadonlyMap<number, Refusal> = new Map([
  [400, 'BadRequest'],
  [409, 'Conflict'],
  [410, 'Gone'],
  [412, 'PreconditionFailed'],
  [413, 'PayloadTooLarge'],
  [422, 'UnprocessableContent'],
  [428, 'PreconditionRequired'],
]);

/** Without input, the client cannot have made a mistake. */
const NO_REFUSALS: ReadonlyMap<number, Refusal> = new Map();

/**
 * The error for an unsuccessful status. 404 means that there is no entity with the key in the path; without a
 * key, it means a misconfigured upstream.
 */
export function statusFailure(
  field: HttpField,
  answer: UpstreamAnswer,
  refusals: ReadonlyMap<number, Refusal | 'NotFound'>,
): GatewayError {
  const { cause } = badResponse(`${field.method} was answered with status ${answer.status}`, answer.body);
  const isMissing = answer.status === 404 && field.pathArguments.length > 0;
  const code = isMissing ? 'NotFound' : (refusals.get(answer.status) ?? 'UpstreamBadResponse');
  return upstreamFailure(code, cause).with({ refusal: answer.status });
}

/**
 * Mesh's logger. Mesh logs several lines and makes a child for each request: both must cost nothing,
 * and requests are logged elsewhere. What goes wrong while a mesh is made is passed on.
 */
export function quietLogger(log: Log): Logger {
  const logger: Logger = {
    name: 'mesh',
    log: ignore,
    info: ignore,
    debug: ignore,
    warn: (...parts) => log.warn({ part: 'mesh' }, text(parts)),
    error: (...parts) => log.error({ part: 'mesh' }, text(parts)),
    child: () => logger,
  };
  return logger;
}

function ignore(): void {}

function text(parts: readonly unknown[]): string {
  return parts.map(String).join(' ');
}
