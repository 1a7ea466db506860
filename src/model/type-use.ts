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

/** Whether single values of the type can be compared with each other. */
export function isComparable(name: PrimitiveTypeName | OpaqueTypeName): name is PrimitiveTypeName {
  return name !== 'Edm.Stream' && name !== 'Edm.Untyped' && !name.startsWith('Edm.Geography');
}

/** A type that has a value of its own in JSON, by its qualified name. */
export interface PrimitiveType {
  readonly kind: 'primitive';
  readonly name: PrimitiveTypeName | OpaqueTypeName;
}

/** What a value is in JSON. */
export type JsonType = 'array' | 'boolean' | 'integer' | 'number' | 'object' | 'string';

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
  /** All values that there may be beside null: the upstream's, where they are not those of an enumeration type. */
  readonly allowedValues?: readonly (string | number | boolean)[] | undefined;
}

/** Whether JSON has values of the primitive type as numbers (JSON Format 4.01, 7.1). */
export function isNumeric(type: string): boolean {
  return NUMBERS.has(type);
}

const NUMBERS: ReadonlySet<string> = new Set([
  'Edm.Byte',
  'Edm.Decimal',
  'Edm.Double',
  'Edm.Int16',
  'Edm.Int32',
  'Edm.Int64',
  'Edm.SByte',
  'Edm.Single',
]);
