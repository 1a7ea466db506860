import type { Logger } from '@graphql-mesh/types';
import { LRUCache } from 'lru-cache';
import type { StreamConditions, WriteConditions } from '../../contract/entity-source.ts';
import type { CallContext, StreamBody } from '../../contract/exchange.ts';
import type { GatewayError } from '../../contract/gateway-error.ts';
import type { Log } from '../../contract/log.ts';
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

/** What was made of the data of a root field, and where it came from. */
export interface LoadedData {
  readonly decoded: unknown;
  /** The state of the upstream's data that it is, where that is remembered. */
  readonly state: RememberedState | undefined;
  /** What was received, and its entity tag. Absent for streams and for answers without a body. */
  readonly received?: ReceivedAnswer | undefined;
}

export interface ReceivedAnswer extends Pick<RememberedState, 'etag' | 'body'> {
  /** The URL of what a write has created (RFC 9110, 10.2.2), as it was sent. */
  readonly location?: string | undefined;
  /** What the header says of the pages of a list. */
  readonly pageHeaders?: PageHeaders | undefined;
}

/** What is sent beside the arguments and the body where an operation is about a stream. */
export interface StreamRequest {
  /** In which state the stream is read or changed: header fields, in lower case. */
  readonly conditions: StreamConditions | WriteConditions;
}

/** What the entity source and the root field that it calls tell each other. */
export interface FieldCall {
  /** The arguments as OpenAPI has them written; those that GraphQL demands were given to it, too. */
  readonly arguments: WireObject;
  readonly body: Uint8Array | StreamBody | undefined;
  /** The target to ask instead of the one that Mesh would make of the arguments, without what the source adds to it. */
  readonly target?: string | undefined;
  /** The media type of that body, where it is none that the document has for JSON. */
  readonly mediaType?: string | undefined;
  /** The operation is about a stream: the data is a {@link StreamSnapshot} then. */
  readonly stream?: StreamRequest | undefined;
  /** In which state an entity is changed: header fields, in lower case. */
  readonly conditions?: WriteConditions | undefined;
  /** What is sent is the client's own: where the upstream refuses it, the mistake is the client's. */
  readonly takesInput: boolean;
  /** The answer may have no body, or null for it. */
  readonly mayBeEmpty: boolean;
  /** What the caller makes of the data. The field itself is then empty: there is nothing more to execute. */
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
  /** What the answer's header said of the pages of a list. */
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
  /** What was made of the state for that purpose. */
  derived(state: RememberedState, purpose: object): unknown;
  derive(state: RememberedState, purpose: object, value: unknown, size: number): void;
}

interface Entry extends RememberedState {
  etag: string | undefined;
  readonly ownSize: number;
  size: number;
  made: Map<object, unknown>;
}

/** What an entry takes beside its bytes and its data, as measured with many small ones. */
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
    'body' | 'mediaType' | 'stream' | 'conditions' | 'takesInput' | 'mayBeEmpty' | 'decoder'
  > {
  readonly field: HttpField;
  /** Path and query, percent-encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Takes note of a failure that shows when the answer has been handed on. */
  readonly report: (error: unknown) => void;
}

/** What is made of an answer without a body. */
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

/** What a refusal means where it is the client's input that is refused. */
export const REFUSALS: ReadonlyMap<number, Refusal> = new Map([
  [400, 'BadRequest'],
  [409, 'Conflict'],
  [410, 'Gone'],
  [412, 'PreconditionFailed'],
  [413, 'PayloadTooLarge'],
  [422, 'UnprocessableContent'],
  [428, 'PreconditionRequired'],
]);

/** Where the client gives nothing, the mistake is not the client's. */
const NO_REFUSALS: ReadonlyMap<number, Refusal> = new Map();

/**
 * What an answer of any other status than those of success means. 404 says that there is nothing by the key
 * in the path; where the path has none, and no other one is asked for, that the upstream is not what it should be.
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
