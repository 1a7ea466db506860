import type { Arguments, Snapshot } from '../../contract/entity-source.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { Row } from '../../contract/row.ts';
import type {
  Callable,
  EntitySet,
  EntityType,
  NavigationProperty,
  ReferentialConstraint,
  StreamOperations,
  TypeUse,
} from '../../model/edm.ts';
import { nearName } from '../../model/names.ts';
import type { InsertOperation, ListOperation, Operation } from '../../model/operation.ts';
import type { PathSegment } from '../tree/query-tree.ts';
import type { LoadContext, LoadRequest } from './load-context.ts';

/** All combinations of the entities of these sets (Part 2, 4.15). */
export interface CrossjoinResource {
  readonly kind: 'crossjoin';
  readonly sets: readonly ListedSet[];
}

/** A set whose entities can be listed. */
export interface ListedSet extends EntitySet {
  readonly list: ListOperation;
}

/** The location of entities, and their operations there. */
interface ResourceAddress {
  /** The names of the resource path without keys, as the model names its places: `Order/Items`. */
  readonly path: string;
  /** The path below the service root, percent-encoded, as it was asked for or as it is canonical. */
  readonly url: string;
  /** The location in a context URL (Part 1, 10): a set, a singleton, or the container. */
  readonly home: string | undefined;
  /** The resource whose grants decide: an entity set, a singleton, or the import of a function. */
  readonly resource: string;
  /** The type that the model declares here. */
  readonly entityType: EntityType;
  /** The set that the entities are in; undefined where they are contained, or in no place of their own. */
  readonly entitySet: EntitySet | undefined;
  /** The type that the entities are of here: the declared one, or that of a type cast segment (4.11). */
  readonly type: EntityType;
  /** A type cast segment says the type: what is of another one is not there. */
  readonly isCast: boolean;
  /** The last navigation property, if its links can be addressed. */
  readonly link?: Link | undefined;
}

/** A navigation property with its owner. */
export interface Link {
  readonly owner: EntityResource;
  readonly navigation: NavigationProperty;
}

/** The operations on the entities of a set, or of a navigation property at one of its places. */
export type PlaceOperations = Pick<EntitySet, 'list' | 'read' | 'insert' | 'update' | 'delete' | 'page'>;

export interface CollectionResource extends ResourceAddress {
  readonly kind: 'collection';
  /** Known properties of all entities: those that equal the owner's. */
  readonly known: Row;
  readonly origin: CollectionOrigin;
}

type CollectionOrigin =
  /** The entities of a set whose foreign key has the value of the owner's referenced property. */
  | {
      readonly kind: 'referring';
      readonly owner: EntityResource;
      readonly from: CollectionResource;
      readonly foreignKey: ReferentialConstraint;
      /** Creates such an entity, which is given the foreign key. */
      readonly insert: InsertOperation | undefined;
    }
  /** Operations whose parameters are properties of the entities along the path, the owner being the last of them. */
  | {
      readonly kind: 'operations';
      readonly operations: PlaceOperations;
      readonly owner: EntityResource | undefined;
    }
  /** The entities stand in their owner's JSON. */
  | {
      readonly kind: 'embedded';
      readonly owner: EntityResource;
      readonly property: string;
      /** The complex properties, and places in collections, that lead from the owner to the value that has it. */
      readonly within?: readonly string[];
    }
  /** The entities of a collection that a `/$filter` segment accepts (Part 2, 4.12). */
  | { readonly kind: 'filtered'; readonly from: CollectionResource; readonly load: LoadEntities }
  | { readonly kind: 'call'; readonly call: Invocation };

type LoadEntities = (loading: LoadContext, wanted: LoadRequest) => Promise<Snapshot<readonly Row[]>>;

export interface EntityResource extends ResourceAddress {
  readonly kind: 'entity';
  /** The entity before this one in the resource path. */
  readonly parent: EntityResource | undefined;
  /** Properties in the URL: the key. */
  readonly known: Row;
  readonly origin: EntityOrigin;
  readonly update: EntitySet['update'];
  readonly delete: EntitySet['delete'];
}

type EntityOrigin =
  /** `from` is the entity that the operation's parameters start at: this one, or the one before it. */
  | { readonly kind: 'operation'; readonly operation: Operation; readonly from: 'itself' | 'parent' }
  /** An entity that no operation reads: it is found in the collection. */
  | { readonly kind: 'member'; readonly collection: CollectionResource }
  /** The only entity of a collection (Part 2, 4.3.5). */
  | { readonly kind: 'only'; readonly collection: CollectionResource }
  /** An entity that stands in the parent's JSON. */
  | { readonly kind: 'embedded'; readonly property: string; readonly within?: readonly string[] }
  | { readonly kind: 'call'; readonly call: Invocation };

/** A value that is no entity: a property, a part of a complex one, or what a function returns. */
export interface ValueResource {
  readonly kind: 'value';
  readonly url: string;
  readonly use: TypeUse;
  /** No type declares it. */
  readonly dynamic?: boolean;
  /** The media type of its text or bytes (Core.MediaType). */
  readonly mediaType?: string | undefined;
  readonly origin: ValueOrigin;
}

type ValueOrigin =
  | PropertyOrigin
  | {
      readonly kind: 'call';
      readonly call: Invocation;
      readonly path: readonly string[];
    };

interface PropertyOrigin {
  readonly kind: 'property';
  readonly entity: EntityResource;
  /** The names that lead to the value, from the entity on, and the places of items among them. */
  readonly path: readonly string[];
  /** Clients see it: it is not write-only. */
  readonly readable: boolean;
  /** Clients give it values: nothing on the way to it is computed, immutable, or of the key. */
  readonly settable: boolean;
}

/** A value that is a property of an entity, or a part of one. */
export interface PropertyResource extends ValueResource {
  readonly origin: PropertyOrigin;
}

/** A media entity's stream, a stream property's, or what a function returns. */
export interface StreamResource {
  readonly kind: 'stream';
  readonly origin: EntityStream | { readonly kind: 'call'; readonly call: Invocation };
}

/** A stream that belongs to an entity. */
export interface EntityStream {
  readonly kind: 'entity';
  readonly entity: EntityResource;
  readonly operations: StreamOperations;
}

/** An action, to be called with the parameters in the request's body. */
export interface ActionResource {
  readonly kind: 'action';
  readonly call: Invocation;
}

/** A function or an action with what it is bound to, and the values of its parameters. */
export interface Invocation {
  readonly callable: Callable;
  readonly operation: Operation;
  /** The resource whose grants decide. */
  readonly resource: string;
  readonly url: string;
  /** The entity that fills parameters of the operation with its key. */
  readonly bound: EntityResource | undefined;
  /** By the parameters' names in the model; empty for an action. */
  readonly parameters: Arguments;
  /** The set that the entities of the result are in. */
  readonly entitySet: EntitySet | undefined;
}

/** `names` are those that may stand there instead. */
export function unknownResource(
  segment: PathSegment | undefined,
  names: Iterable<string> = [],
): GatewayError {
  const found = segment === undefined ? 'nothing' : describeSegment(segment);
  const near = segment?.kind === 'name' ? nearName(segment.name, names) : undefined;
  const meant = near === undefined ? '.' : `: is "${near}" meant?`;
  return new GatewayError('NotFound', `There is no resource ${found} here${meant}`);
}

/** `target` is the segment, or the option, that asks for it. */
export function notImplemented(what: string, target: string): GatewayError {
  return new GatewayError('NotImplemented', `${what} is not implemented.`, { target });
}

/** A segment that the gateway has no answer for. */
export function segmentNotImplemented(segment: PathSegment, where = ''): GatewayError {
  const shown = describeSegment(segment);
  return notImplemented(`${shown}${where}`, shown.replaceAll('"', ''));
}

function describeSegment(segment: PathSegment): string {
  switch (segment.kind) {
    case 'name':
      return `"${segment.name.slice(0, 100)}"`;
    case 'annotation':
      return `"@${segment.term.slice(0, 100)}"`;
    case 'lambda':
      return segment.operator;
    case 'aggregate':
      return segment.kind;
    case 'system':
      return `/$${segment.name}`;
    case 'count':
    case 'filter':
      return `/$${segment.kind}`;
  }
}

/** The entity that the path leads through is not there. */
export function missingOwner(url: string): GatewayError {
  return new GatewayError('NotFound', `There is no ${decodeURIComponent(url)}.`);
}
