import type { StreamConditions, WriteConditions } from '../../contract/entity-source.ts';
import type { CallContext, StreamBody } from '../../contract/exchange.ts';
import type { PageHeaders } from '../exchange/page-headers.ts';
import type { ResponseDecoder } from '../reading/response-decoder.ts';
import type { WireObject } from '../sending/wire-arguments.ts';
import type { RememberedState } from './upstream-memory.ts';

/** Where {@link MeshContext} carries what one root field and its caller inside the gateway tell each other. */
export const FIELD_CALL: unique symbol = Symbol('duogate.fieldCall');

/** The GraphQL context that every execution on the mesh must be given. */
export interface MeshContext {
  readonly call: CallContext;
  /** Only with a document of one root field: it would be taken for all of them. */
  readonly [FIELD_CALL]?: FieldCall | undefined;
}

/** What was made of the data of a root field, and where it came from. */
export interface LoadedData {
  readonly made: unknown;
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

export interface FieldCall {
  /** The arguments as OpenAPI has them written; those that GraphQL demands were given to it, too. */
  readonly arguments: WireObject;
  /** Bytes to send instead of what Mesh would make of the arguments. */
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
  readonly making: ResponseDecoder;
  /** Filled in by the root field, as is the following. */
  loaded: LoadedData | undefined;
  /** The target of the request, which is filled in when it is sent. */
  sent?: string | undefined;
  failure: Error | undefined;
}
