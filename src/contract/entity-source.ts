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

/** Data as it was read from the upstream. */
export interface Snapshot<Data> {
  readonly data: Data;
  /**
   * Names this state of the data: whoever made something of an earlier snapshot with the same version
   * may use it again. Undefined where the source cannot tell.
   */
  readonly version: number | undefined;
}

/** One entity, and what tells its states apart. */
export interface EntitySnapshot extends Snapshot<Row> {
  /** The upstream's entity tag, as it was sent. */
  readonly etag?: string | undefined;
  /** An entity tag that stands for what the upstream has sent, where it has none itself. */
  readonly digest?: string | undefined;
}

/** Values for an operation's parameters, by the parameters' names in the mesh. */
export type Arguments = Readonly<Record<string, Value>>;

interface OperationCall {
  /** The resource whose grants decide: an entity set, a singleton, or the import of a function or an action. */
  readonly resource: string;
  readonly arguments: Arguments;
}

/** What is wanted of entities. */
interface RequestedContent {
  /** Their declared type. */
  readonly entityType: EntityType;
  /** The properties that are needed: a row has those of them that its type has, in this order, and no others. */
  readonly properties: readonly string[];
  /** Properties that no type declares are needed, too (CSDL 4.01, 6.3). */
  readonly dynamic?: boolean;
  /**
   * Whether the entity goes back to the upstream: whoever may not see all that it has is refused, where else that is
   * left out.
   */
  readonly whole?: boolean;
  /** The resources of related entities that the answer takes besides: whoever may not see them is refused. */
  readonly related?: readonly string[] | undefined;
}

export interface CollectionRead extends OperationCall, RequestedContent {
  readonly operation: ListOperation;
  /** The lists that are read as if they were one; undefined for that of the arguments alone. */
  readonly lists?: JointLists | undefined;
  /** Undefined for all entities of the list, on however many pages they come. */
  readonly part?: ListPart | undefined;
}

/** Lists that one operation answers with, each for other arguments, one behind the other. */
export interface JointLists {
  /** What each of them is asked for by, besides the read's own arguments. */
  readonly each: readonly Arguments[];
  /** A list that is not there is an error, or has no entities: `lenient`, unless no other one is there, either. */
  readonly missing: 'error' | 'empty' | 'lenient';
}

/** A part of a list, in the upstream's order. */
export interface ListPart {
  /** Where it begins: the `next` of an earlier answer to the same read; undefined for the beginning of the list. */
  readonly from?: string | undefined;
  /** How many entities behind that are left out. */
  readonly skip: number;
  /** The most entities that are wanted; undefined for all of the rest. */
  readonly top: number | undefined;
  /** Fewer may come, as many as the upstream gives at once, where {@link CollectionSnapshot.next} leads on. */
  readonly mayBeShort: boolean;
  /**
   * The number of all entities is wanted besides: the reading goes on until an answer tells it, or the list ends. Where
   * what is told does not fit what came, there is no {@link CollectionSnapshot.total}.
   */
  readonly counted?: boolean;
  /** Takes what is wanted of each page, of a list that is read from its beginning to where that is enough. */
  readonly sieve?: PageSieve | undefined;
}

/** Selects entities while the pages of a list are read. One sieve is used for one read. */
export interface PageSieve {
  /** Takes the entities that are wanted of the next page, and returns whether the read is over. */
  take(rows: Rows): Promise<SievedPage>;
  /** Forgets what it has taken, because the list has changed and is read once more; without it, that is an error. */
  restart?(): void;
}

export interface SievedPage {
  readonly rows: Rows;
  /** No further page is wanted. */
  readonly isEnough: boolean;
}

/** The length of a list as earlier reads have shown it. Plans are made with it, and no answers: it may have changed. */
export interface ListEstimate {
  /** The most rows that a page had. */
  readonly pageSize: number;
  /** The number of rows on all pages; undefined if no read has shown it. */
  readonly total: number | undefined;
}

/** Entities of a list. */
export interface CollectionSnapshot extends Snapshot<Rows> {
  /** How many the whole list has, where the upstream says it. */
  readonly total?: number | undefined;
  /** Where the list goes on behind these; undefined at its end. It tells of the upstream: no client is shown it. */
  readonly next?: string | undefined;
}

export interface ChangesRead extends OperationCall, RequestedContent {
  readonly operation: ChangesOperation;
  /** The token of an earlier answer; undefined asks for that of the present state. */
  readonly since: string | undefined;
}

/** What has become of a list since an earlier state. */
export interface Changes {
  /** Entities that are new, or not what they were. */
  readonly changed: readonly Row[];
  /** The keys of entities that are gone. */
  readonly removed: readonly Row[];
  /** The token of the present state. */
  readonly next: string;
}

export interface EntityRead extends OperationCall, RequestedContent {
  readonly operation: Operation;
}

export interface EntityInsert extends OperationCall, RequestedContent {
  readonly operation: InsertOperation;
  readonly content: InsertedContent;
  /** The operations on a single one of the entities: an answer may have its URL alone. */
  readonly places?: readonly Operation[];
}

/** What an entity is made of. */
export type InsertedContent =
  /** Its values, with the entities within it that stand in its JSON upstream. */
  | { readonly kind: 'values'; readonly values: Row }
  /** The bytes of the client, which are forwarded as they are: JSON, or the stream of a media entity. */
  | {
      readonly kind: 'verbatim';
      readonly body: Uint8Array | StreamBody;
      /** The media type of a stream; undefined for JSON. */
      readonly mediaType?: string | undefined;
    };

export interface EntityUpdate extends OperationCall, RequestedContent {
  readonly operation: UpdateOperation;
  /** What the upstream's operation takes, with the entities within it that stand in its JSON upstream. */
  readonly values: Row;
  /** What the upstream is to see to itself; none where it does not know its own states. */
  readonly conditions?: WriteConditions;
}

export interface EntityDelete extends OperationCall {
  readonly operation: Operation;
  readonly conditions?: WriteConditions;
}

/** A call of a function or an action, or of an operation that changes a link between entities. */
export interface CallableCall extends OperationCall {
  readonly kind: 'function' | 'action' | 'reference';
  readonly operation: Operation;
  /** Parameters that go upstream in the request's body, by their upstream names; undefined for no body. */
  readonly body: Arguments | undefined;
  readonly returns: TypeUse | undefined;
  /** Of entities that are returned, the navigation properties whose entities stand in them and are wanted, too. */
  readonly embedded?: readonly string[];
  /** Where the answer holds the result; undefined where the answer is that itself. */
  readonly wrappedIn: AnswerPath | undefined;
  /**
   * How the pages of the list that a function returns are asked for. All of them are read, unless the arguments themselves
   * say which page is wanted, or how large it is to be.
   */
  readonly paging?: Paging | undefined;
  /** Of a list within an object: the members of the object. */
  readonly envelope?: readonly string[] | undefined;
}

/** Which part of a stream is wanted, and in which state (RFC 9110, 13.1.2, 13.1.5 and 14.2). */
export interface StreamConditions {
  readonly 'if-none-match'?: string | undefined;
  readonly 'if-range'?: string | undefined;
  readonly range?: string | undefined;
}

export interface StreamRead extends OperationCall {
  readonly operation: Operation;
  /** A stream of an entity, or the result of a function or an action. */
  readonly kind: 'stream' | 'call';
  /** Parameters that go upstream in the request's body, by their upstream names; undefined for no body. */
  readonly body: Arguments | undefined;
  readonly conditions: StreamConditions;
}

/** A stream as it is just then. */
export type StreamSnapshot =
  /** The entity has no stream there. */
  | { readonly kind: 'absent'; readonly etag: string | undefined }
  /** The stream is in the state that the read named. */
  | { readonly kind: 'unchanged'; readonly etag: string | undefined }
  | StreamContent;

export interface StreamContent extends StreamBody {
  readonly kind: 'content';
  readonly mediaType: string | undefined;
  readonly etag: string | undefined;
  /** Says which part of the stream it is (RFC 9110, 14.4); undefined for all of it. */
  readonly range: string | undefined;
  /** Parts of it may be asked for. */
  readonly divisible: boolean;
}

export interface StreamWrite extends OperationCall {
  readonly operation: Operation;
  /** The stream as the client sent it. */
  readonly body: Uint8Array | StreamBody;
  readonly mediaType: string;
  readonly conditions: WriteConditions;
}

export interface StreamDelete extends OperationCall {
  readonly operation: Operation;
  readonly conditions: WriteConditions;
}

/** The state in which an entity or a stream is changed (RFC 9110, 13.1.1 and 13.1.2). */
export interface WriteConditions {
  readonly 'if-match'?: string | undefined;
  readonly 'if-none-match'?: string | undefined;
}

/** The entity tag of a stream after it was changed; undefined where the upstream does not say. */
export interface StreamChange {
  readonly etag: string | undefined;
}

/**
 * Where the entities come from. Whatever cannot be had is a GatewayError; a source never gives less
 * than all of the data.
 */
export interface EntitySource {
  /**
   * Throws Unauthorized or Forbidden where whoever calls has not that permission on the resource: asked before
   * anything else that a request for a change has in it. Absent where nobody is refused.
   */
  readonly permit?: (resource: string, permission: Permission, call: CallContext) => void;
  /** Returns what is known of the length of the list that the operation returns without arguments. */
  readonly estimateOf?: (operation: ListOperation) => ListEstimate | undefined;
  readCollection(read: CollectionRead, call: CallContext): Promise<CollectionSnapshot>;
  /** A token that is not known, or no longer, is Gone. */
  readChanges(read: ChangesRead, call: CallContext): Promise<Changes>;
  /** The entity with those arguments, or undefined where there is none. */
  readEntity(read: EntityRead, call: CallContext): Promise<EntitySnapshot | undefined>;
  /**
   * The created entity, or undefined where the upstream's answer says nothing of it. What the answer leaves out is
   * null, or absent where the entity is {@link PARTIAL}.
   */
  insert(insert: EntityInsert, call: CallContext): Promise<Row | undefined>;
  /** The changed entity, or undefined where the upstream's answer does not have it. */
  update(update: EntityUpdate, call: CallContext): Promise<Row | undefined>;
  delete(remove: EntityDelete, call: CallContext): Promise<void>;
  /** The result; null where there is none. */
  call(callable: CallableCall, call: CallContext): Promise<Snapshot<Value>>;
  /** A stream, read from the upstream while it is handed on. */
  readStream(read: StreamRead, call: CallContext): Promise<StreamSnapshot>;
  writeStream(write: StreamWrite, call: CallContext): Promise<StreamChange>;
  deleteStream(remove: StreamDelete, call: CallContext): Promise<void>;
}
