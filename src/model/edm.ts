import type { Permission } from '../contract/permissions.ts';

/** The primitive types of OData CSDL 4.01, section 3.3, that a model may use. */
export type PrimitiveTypeName =
  | 'Edm.Binary'
  | 'Edm.Boolean'
  | 'Edm.Byte'
  | 'Edm.Date'
  | 'Edm.DateTimeOffset'
  | 'Edm.Decimal'
  | 'Edm.Double'
  | 'Edm.Duration'
  | 'Edm.Guid'
  | 'Edm.Int16'
  | 'Edm.Int32'
  | 'Edm.Int64'
  | 'Edm.SByte'
  | 'Edm.Single'
  | 'Edm.String'
  | 'Edm.TimeOfDay';

/** What a property holds: a type with its facets. */
export interface TypeReference {
  readonly type: PrimitiveTypeName;
  readonly nullable: boolean;
  readonly maxLength: number | undefined;
}

export interface Property extends TypeReference {
  readonly name: string;
  /** The property's name in the upstream's JSON. */
  readonly upstreamName: string;
  readonly description: string | undefined;
}

export interface EntityType {
  readonly namespace: string;
  readonly name: string;
  readonly description: string | undefined;
  /** Names of the key's properties, in the order of the key. */
  readonly key: readonly string[];
  readonly properties: ReadonlyMap<string, Property>;
}

/** An operation of the OpenAPI document, by the name of its field in the mesh. */
export interface Operation {
  readonly id: string;
  /** The operation's path parameters and the key properties that fill them. */
  readonly parameters: readonly OperationParameter[];
}

export interface OperationParameter {
  readonly name: string;
  readonly property: string;
}

export interface InsertOperation extends Operation {
  /** The client's bytes are forwarded unchanged; else names are mapped to the upstream's. */
  readonly verbatim: boolean;
  /** What a client is told when the upstream does not take the entity. */
  readonly failure: string;
}

export interface EntitySet {
  readonly name: string;
  readonly entityType: EntityType;
  readonly list: Operation | undefined;
  readonly read: Operation | undefined;
  readonly insert: InsertOperation | undefined;
  /** Role to what it may do. Who is not named may do nothing. */
  readonly grants: ReadonlyMap<string, ReadonlySet<Permission>>;
}

/** The entity data model of one service (CSDL 4.01, section 5 and 13). */
export interface Model {
  readonly namespace: string;
  readonly container: string;
  readonly entityTypes: ReadonlyMap<string, EntityType>;
  readonly entitySets: ReadonlyMap<string, EntitySet>;
}
