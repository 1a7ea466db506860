import type { EntityType, TypeUse } from '../model/edm.ts';
import type {
  AnswerPath,
  ChangesOperation,
  InsertOperation,
  ListOperation,
  Operation,
  Paging,
  UpdateOperation,
} from '../model/operation.ts';
import type { Permission } from '../model/permission.ts';
import type { CallContext, StreamBody } from './exchange.ts';
import type { Row, Rows, Value } from './row.ts';

/** Data as read from the upstream. */
export interface Snapshot<Data> {
  readonly data: Data;
  /**
   * Identifies the state of the data: results computed from a snapshot can be reused for snapshots with the
   * same version. Undefined if the source cannot detect changes.
   */
  readonly version: number | undefined;
}

/** An entity with the tags of its state. */
export interface EntitySnapshot extends Snapshot<Row> {
  /** The upstream's entity tag, as received. */
  readonly etag?: string | undefined;
  /** An entity tag computed from the upstream's response, if the upstream sends none. */
  readonly digest?: string | undefined;
}

/** Values of an operation's parameters, by their names in the mesh. */
export type Arguments = Readonly<Record<string, Value>>;

interface OperationCall {
  /** The resource whose grants decide: an entity set, a singleton, or a function or action import. */
  readonly resource: string;
  readonly arguments: Arguments;
}

/** The requested parts of entities. */
interface RequestedContent {
  readonly entityType: EntityType;
  /** The requested properties: a row has those that its type declares, in this order, and no others. */
  readonly properties: readonly string[];
  /** True if undeclared properties are requested, too (CSDL 4.01, 6.3). */
  readonly dynamic?: boolean;
  /**
   * True if the entity is sent back to the upstream: a principal who may not see all of it is rejected,
   * because leaving out parts would delete them.
   */
  readonly whole?: boolean;
  /** Resources of related entities in the response; a principal who may not view them is rejected. */
  readonly related?: readonly string[] | undefined;
}

export interface CollectionRead extends OperationCall, RequestedContent {
  readonly operation: ListOperation;
  /** Lists that are read as one; undefined to read one list with the arguments. */
  readonly lists?: JointLists | undefined;
  /** Undefined for all entities of the list, on all pages. */
  readonly part?: ListPart | undefined;
  /**
   * Takes the rows of a long list while its pages are read. The snapshot then has the rows behind those that were taken.
   * Without calls of the sink, the snapshot has all rows.
   */
  readonly sink?: RowSink | undefined;
}

/** Takes the rows of a list in their order, portion by portion: the list is never held as a whole. */
export interface RowSink {
  /** The rows are taken no faster than a client reads: one page is requested ahead at most. */
  readonly isPaced: boolean;
  /** Rows are only taken of a list whose answers have its exact length, which is part of what is made of them. */
  readonly needsTotal?: boolean;
  /** Resolves when the next page may be requested. `total` is the length of the list, if its answers have it. */
  put(rows: Rows, total: number | undefined): Promise<void>;
}

/** Several lists of one operation, called with different arguments and concatenated. */
export interface JointLists {
  /** The arguments of each list, in addition to those of the read. */
  readonly each: readonly Arguments[];
  /**
   * Handling of a missing list: an error, an empty list, or, if `lenient`, an empty list unless all are
   * missing.
   */
  readonly missing: 'error' | 'empty' | 'lenient';
}

export interface ListPart {
  /** The start: the `next` of an earlier response to the same read; undefined for the start of the list. */
  readonly from?: string | undefined;
  /** The number of entities to skip from there. */
  readonly skip: number;
  /** The maximum number of entities; undefined for all the rest. */
  readonly top: number | undefined;
  /** Allows fewer entities, such as one upstream page, if {@link CollectionSnapshot.next} continues. */
  readonly mayBeShort: boolean;
  /**
   * True if the total is requested, too: reading continues until a response reports it or the list ends. If
   * the report contradicts the rows, there is no {@link CollectionSnapshot.total}.
   */
  readonly counted?: boolean;
  /** The last of `top` entities only shows that the list goes on: {@link CollectionSnapshot.next} is its own position. */
  readonly isPeeking?: boolean;
  /** Selects from each page of a list that is read from its start, until it has enough. */
  readonly sieve?: PageSieve | undefined;
}

/** Selects entities while pages are read. Used for one read. */
export interface PageSieve {
  /** Takes the next page; returns the selected entities and whether the read can end. */
  take(rows: Rows): Promise<SievedPage>;
  /** No page ends the read: all of the list is read. */
  readonly isEndless?: boolean;
  /**
   * Discards the selection because the list changed and is read again; without this method, the change is an
   * error.
   */
  restart?(): void;
}

export interface SievedPage {
  readonly rows: Rows;
  readonly isEnough: boolean;
}

/** The length of a list, as seen by earlier reads. Used for plans only, because the list may have changed. */
export interface ListEstimate {
  /** The largest page so far. */
  readonly pageSize: number;
  /** The number of rows on all pages; undefined if no read has seen it. */
  readonly total: number | undefined;
}

export interface CollectionSnapshot extends Snapshot<Rows> {
  /** The number of entities in the whole list, if the upstream reports it. */
  readonly total?: number | undefined;
  /**
   * The position of the rest of the list; undefined at its end. Contains data of the upstream, so it is never
   * sent to clients.
   */
  readonly next?: string | undefined;
}

export interface ChangesRead extends OperationCall, RequestedContent {
  readonly operation: ChangesOperation;
  /** The token of an earlier response; undefined requests that of the current state. */
  readonly since: string | undefined;
}

/** The changes of a list since an earlier state. */
export interface Changes {
  /** Added and updated entities. */
  readonly changed: readonly Row[];
  /** The keys of deleted entities. */
  readonly removed: readonly Row[];
  /** The token of the current state. */
  readonly next: string;
}

export interface EntityRead extends OperationCall, RequestedContent {
  readonly operation: Operation;
}

export interface EntityInsert extends OperationCall, RequestedContent {
  readonly operation: InsertOperation;
  readonly content: InsertedContent;
  /** Operations on a single entity, whose URL a response may contain in place of the entity. */
  readonly places?: readonly Operation[];
}

/** The content of a new entity. */
export type InsertedContent =
  /** Values, including nested entities that are embedded in the upstream's JSON. */
  | { readonly kind: 'values'; readonly values: Row }
  /** The bytes from the client, forwarded unchanged: JSON, or the stream of a media entity. */
  | {
      readonly kind: 'verbatim';
      readonly body: Uint8Array | StreamBody;
      /** Undefined for JSON. */
      readonly mediaType?: string | undefined;
    };

export interface EntityUpdate extends OperationCall, RequestedContent {
  readonly operation: UpdateOperation;
  /**
   * The values for the upstream's operation, including nested entities that are embedded in the upstream's
   * JSON.
   */
  readonly values: Row;
  /** Conditions that the upstream checks; undefined if it has no entity tags. */
  readonly conditions?: WriteConditions;
}

export interface EntityDelete extends OperationCall {
  readonly operation: Operation;
  readonly conditions?: WriteConditions;
}

/** A call of a function, of an action, or of an operation that changes a link. */
export interface CallableCall extends OperationCall {
  readonly kind: 'function' | 'action' | 'reference';
  readonly operation: Operation;
  /** Parameters in the request body, by their upstream names; undefined for no body. */
  readonly body: Arguments | undefined;
  readonly returns: TypeUse | undefined;
  /** Requested navigation properties whose entities are embedded in returned entities. */
  readonly embedded?: readonly string[];
  /** The path of the result in the response; undefined if the response is the result. */
  readonly wrappedIn: AnswerPath | undefined;
  /**
   * The paging of a list that a function returns. All pages are read, unless the arguments select a page or
   * its size.
   */
  readonly paging?: Paging | undefined;
  /** The members of the object around a list. */
  readonly envelope?: readonly string[] | undefined;
}

/** The requested range and state of a stream (RFC 9110, 13.1.2, 13.1.5 and 14.2). */
export interface StreamConditions {
  readonly 'if-none-match'?: string | undefined;
  readonly 'if-range'?: string | undefined;
  readonly range?: string | undefined;
}

export interface StreamRead extends OperationCall {
  readonly operation: Operation;
  readonly kind: 'stream' | 'call';
  /** Parameters in the request body, by their upstream names; undefined for no body. */
  readonly body: Arguments | undefined;
  readonly conditions: StreamConditions;
}

/** A stream in its current state. */
export type StreamSnapshot =
  | { readonly kind: 'absent'; readonly etag: string | undefined }
  /** The stream is in the state of the condition. */
  | { readonly kind: 'unchanged'; readonly etag: string | undefined }
  | StreamContent;

export interface StreamContent extends StreamBody {
  readonly kind: 'content';
  readonly mediaType: string | undefined;
  readonly etag: string | undefined;
  /** The Content-Range (RFC 9110, 14.4); undefined for the whole stream. */
  readonly range: string | undefined;
  /** True if ranges may be requested. */
  readonly divisible: boolean;
}

export interface StreamWrite extends OperationCall {
  readonly operation: Operation;
  readonly body: Uint8Array | StreamBody;
  readonly mediaType: string;
  readonly conditions: WriteConditions;
}

export interface StreamDelete extends OperationCall {
  readonly operation: Operation;
  readonly conditions: WriteConditions;
}

/** The required state of an entity or stream that is changed (RFC 9110, 13.1.1 and 13.1.2). */
export interface WriteConditions {
  readonly 'if-match'?: string | undefined;
  readonly 'if-none-match'?: string | undefined;
}

/** The new entity tag of a changed stream; undefined if the upstream sends none. */
export interface StreamChange {
  readonly etag: string | undefined;
}

/**
 * The source of entities. Failures are GatewayErrors; a source never returns partial data without an error.
 */
export interface EntitySource {
  /**
   * Throws Unauthorized or Forbidden if the caller lacks the permission on the resource; checked before
   * anything else in a request for a change. Undefined without access control.
   */
  readonly permit?: (resource: string, permission: Permission, call: CallContext) => void;
  /** Returns the estimated length of the list that the operation returns without arguments. */
  readonly estimateOf?: (operation: ListOperation) => ListEstimate | undefined;
  readCollection(read: CollectionRead, call: CallContext): Promise<CollectionSnapshot>;
  /** Throws Gone for an unknown or expired token. */
  readChanges(read: ChangesRead, call: CallContext): Promise<Changes>;
  /** Undefined if there is no such entity. */
  readEntity(read: EntityRead, call: CallContext): Promise<EntitySnapshot | undefined>;
  /**
   * Returns the created entity, or undefined if the upstream's response does not contain it. Properties
   * missing in the response are null, or absent if the entity is {@link PARTIAL}.
   */
  insert(insert: EntityInsert, call: CallContext): Promise<Row | undefined>;
  /** Returns the changed entity, or undefined if the upstream's response does not contain it. */
  update(update: EntityUpdate, call: CallContext): Promise<Row | undefined>;
  delete(remove: EntityDelete, call: CallContext): Promise<void>;
  /** Returns the result, or null without one. */
  call(callable: CallableCall, call: CallContext): Promise<Snapshot<Value>>;
  /** Returns a stream that is read from the upstream while it is forwarded. */
  readStream(read: StreamRead, call: CallContext): Promise<StreamSnapshot>;
  writeStream(write: StreamWrite, call: CallContext): Promise<StreamChange>;
  deleteStream(remove: StreamDelete, call: CallContext): Promise<void>;
}
