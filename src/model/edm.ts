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
  /** Edm.Decimal: digits; temporal types: decimals of the second (CSDL 4.01, 7.2.3). */
  readonly precision?: number | undefined;
  /** Edm.Decimal: digits right of the point, `variable` for any number of them (CSDL 4.01, 7.2.4). */
  readonly scale?: number | 'variable' | undefined;
}

/** Abstract, stream and geography types (CSDL 4.01, 3.3 and 4): no query option compares their values. */
export type OpaqueTypeName =
  | 'Edm.Stream'
  | 'Edm.Untyped'
  | 'Edm.GeographyPoint'
  | 'Edm.GeographyLineString'
  | 'Edm.GeographyPolygon'
  | 'Edm.GeographyMultiPoint'
  | 'Edm.GeographyMultiLineString'
  | 'Edm.GeographyMultiPolygon'
  | 'Edm.GeographyCollection';

/** The type of a single value; types of the model go by their simple names, which are unique in it. */
export type TypeName =
  | { readonly kind: 'primitive'; readonly name: PrimitiveTypeName | OpaqueTypeName }
  | { readonly kind: 'enumeration' | 'definition' | 'complex' | 'entity'; readonly name: string };

/** A limit of a number; what is exclusive is not reached (Validation.Exclusive). */
export interface Bound {
  readonly value: number;
  readonly exclusive: boolean;
}

/** What restricts the values of a type (CSDL 4.01, 7.2, and the vocabulary Org.OData.Validation.V1). */
export interface Facets {
  readonly maxLength?: number | undefined;
  readonly precision?: number | undefined;
  readonly scale?: number | 'variable' | undefined;
  readonly pattern?: string | undefined;
  readonly minimum?: Bound | undefined;
  readonly maximum?: Bound | undefined;
  readonly multipleOf?: number | undefined;
}

/** What a property, a parameter or a result holds: one value of a type, or a collection of them. */
export interface TypeUse {
  readonly type: TypeName;
  readonly collection: boolean;
  /** Whether the value, or an item of the collection, may be null. */
  readonly nullable: boolean;
  readonly facets: Facets;
}

/**
 * A structural property with everything the document says of it (CSDL 4.01, 7).
 *
 * It covers what {@link Property} covers, and types that are not primitive or more than one value.
 */
export interface StructuralProperty extends TypeUse {
  readonly name: string;
  /** The property's name in the upstream's JSON. */
  readonly upstreamName: string;
  readonly description: string | undefined;
  /** In the text form of CSDL 4.01, 7.2.7. */
  readonly defaultValue: string | undefined;
  /** The upstream gives the value, a client cannot: `readOnly` in the document. */
  readonly computed: boolean;
  /** A client gives the value and never sees it again: `writeOnly`. No read has it. */
  readonly writeOnly: boolean;
  /** Set at creation and not changed afterwards. */
  readonly immutable: boolean;
  readonly deprecated: boolean;
  /** Whether `$search` looks into it; undefined where the document is silent. */
  readonly searchable: boolean | undefined;
  readonly mediaType: string | undefined;
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
  /** What reads have: the single values of primitive types, inherited ones included. */
  readonly properties: ReadonlyMap<string, Property>;
  /** All properties with their full types, inherited ones included. */
  readonly structuralProperties?: ReadonlyMap<string, StructuralProperty>;
}

/** An operation of the OpenAPI document, by the name of its field in the mesh. */
export interface Operation {
  readonly id: string;
  /** The operation's path parameters and the key properties that fill them. */
  readonly parameters: readonly OperationParameter[];
  /** The name of the source whose document has the operation. */
  readonly source?: string;
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

/** Changes an entity: by PATCH where the document has one, else by PUT. */
export interface UpdateOperation extends Operation {
  readonly method: 'PATCH' | 'PUT';
}

export interface EntitySet {
  readonly name: string;
  readonly entityType: EntityType;
  readonly list: Operation | undefined;
  readonly read: Operation | undefined;
  readonly insert: InsertOperation | undefined;
  readonly update?: UpdateOperation | undefined;
  readonly delete?: Operation | undefined;
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
