import type {
  Callable,
  CallableImport,
  ChangesOperation,
  InsertOperation,
  ListOperation,
  Operation,
  PagedListOperation,
  UpdateOperation,
} from './operation.ts';
import type { Grants } from './permission.ts';
import type {
  ComplexType,
  EnumerationType,
  StreamOperations,
  StructuredType,
  TypeDefinition,
} from './structured-type.ts';

export type { InsertOperation, Operation } from './operation.ts';
export type { PrimitiveTypeName } from './type-use.ts';

/**
 * An entity type (CSDL 4.01, 6).
 *
 * Types derived from another have no key of their own where that one has the key: `key` names the
 * key's properties all the same.
 */
export interface EntityType extends StructuredType {
  readonly namespace: string;
  readonly name: string;
  readonly description: string | undefined;
  /** Names of the key's properties, in the order of the key; none for the type of a singleton without one. */
  readonly key: readonly string[];
  /** Further keys, each the names of its properties (Core.AlternateKeys). */
  readonly alternateKeys?: readonly (readonly string[])[] | undefined;
  /** The property whose value is the entity's ETag. */
  readonly etag?: string | undefined;
  /** A media entity's stream. */
  readonly stream?: StreamOperations | undefined;
  /** The streams of the properties of type Edm.Stream. */
  readonly streams?: ReadonlyMap<string, StreamOperations>;
}

export interface EntitySet {
  readonly name: string;
  /** What people call it. */
  readonly title?: string | undefined;
  readonly entityType: EntityType;
  readonly list: ListOperation | undefined;
  readonly read: Operation | undefined;
  readonly insert: InsertOperation | undefined;
  readonly update?: UpdateOperation | undefined;
  readonly delete?: Operation | undefined;
  /** The operation that lists the set in pages. */
  readonly page?: PagedListOperation | undefined;
  /** The most entities that an answer has (Part 1, 11.2.6.7); undefined where an answer has them all. */
  readonly pageSize?: number | undefined;
  /** Tells what has changed since an earlier read. */
  readonly changes?: ChangesOperation | undefined;
  readonly grants: Grants;
}

/** A single entity with a name (CSDL 4.01, 13.3). */
export interface Singleton {
  readonly name: string;
  readonly title?: string | undefined;
  readonly entityType: EntityType;
  readonly read: Operation;
  readonly update: UpdateOperation | undefined;
  readonly grants: Grants;
}

/** The entity data model of one service (CSDL 4.01, section 5 and 13). */
export interface Model {
  readonly namespace: string;
  readonly container: string;
  /** The version of the schema that `$schemaversion` asks for (Core.SchemaVersion). */
  readonly schemaVersion?: string | undefined;
  readonly entityTypes: ReadonlyMap<string, EntityType>;
  readonly entitySets: ReadonlyMap<string, EntitySet>;
  readonly complexTypes: ReadonlyMap<string, ComplexType>;
  readonly enumerationTypes: ReadonlyMap<string, EnumerationType>;
  readonly typeDefinitions: ReadonlyMap<string, TypeDefinition>;
  readonly singletons: ReadonlyMap<string, Singleton>;
  /** All overloads of all functions and actions. */
  readonly callables: readonly Callable[];
  readonly imports: ReadonlyMap<string, CallableImport>;
}

/** What one document adds to the model. */
export interface ModelPart {
  readonly entityTypes: readonly EntityType[];
  readonly complexTypes: readonly ComplexType[];
  readonly enumerationTypes: readonly EnumerationType[];
  readonly typeDefinitions: readonly TypeDefinition[];
  readonly entitySets: readonly EntitySet[];
  readonly singletons: readonly Singleton[];
  readonly callables: readonly Callable[];
  readonly imports: readonly CallableImport[];
}
