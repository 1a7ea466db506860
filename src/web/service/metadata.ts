/** The entity data model, as far as the screens are driven by it. */
export interface Metadata {
  readonly entitySets: ReadonlyMap<string, EntitySet>;
}

export interface EntitySet {
  readonly name: string;
  readonly type: StructuredType;
  /** The simple name of its entity type. */
  readonly typeName: string;
  readonly description: string | undefined;
  readonly key: readonly KeyPart[];
  /** Those of the entity type itself; types that derive from it may have more. */
  readonly properties: readonly Property[];
  readonly insertable: boolean;
  readonly searchable: boolean;
}

/** A property that the key is made of. */
export interface KeyPart {
  /** What it is called in a key predicate: an alias, where the property is within another one (CSDL 4.01, 6.5). */
  readonly name: string;
  /** Where it is in an entity: `Metadata/Name`. */
  readonly path: string;
}

/** An entity type or a complex type. */
export interface StructuredType {
  /** With its namespace. */
  readonly name: string;
  /** The simple name in words. */
  readonly label: string;
  /** No value is of this type itself, but of one that derives from it. */
  readonly isAbstract: boolean;
  readonly properties: readonly Property[];
  /** The types that derive from it, at whatever depth. */
  readonly derived: readonly StructuredType[];
}

export interface Property {
  readonly name: string;
  /** The name in words. */
  readonly label: string;
  readonly description: string | undefined;
  readonly type: PropertyType;
  readonly isCollection: boolean;
  readonly nullable: boolean;
  /** What its values, or its items, must keep to. */
  readonly limits: Limits;
  readonly defaultValue: unknown;
  /** Given by the service: a create does not take it. */
  readonly computed: boolean;
  /** Taken by a create, and never shown. */
  readonly writeOnly: boolean;
}

/** Facets (CSDL 4.01, 7.2) and what the vocabulary Validation says. */
export interface Limits {
  readonly maxLength?: number | undefined;
  /** How many decimals there may be. */
  readonly scale?: number | undefined;
  readonly pattern?: string | undefined;
  readonly minimum?: Bound | undefined;
  readonly maximum?: Bound | undefined;
  /** The only values that there may be. */
  readonly allowedValues?: readonly string[] | undefined;
}

export interface Bound {
  readonly value: number;
  readonly isExclusive: boolean;
}

export type PropertyType =
  | { readonly kind: 'primitive'; readonly name: string }
  | {
      readonly kind: 'enum';
      readonly name: string;
      readonly members: readonly string[];
      readonly flags: boolean;
      /** Of flags, the member that is none of them: its value is 0. */
      readonly none?: string | undefined;
    }
  | { readonly kind: 'complex'; readonly name: string; readonly structure: StructuredType };

/** The property at this path, which is its name where it is one of the entities themselves. */
export function propertyOf(
  { properties }: Pick<EntitySet, 'properties'>,
  path: string,
): Property | undefined {
  const [name, ...within] = path.split('/');
  const found = properties.find((property) => property.name === name);
  if (found === undefined || within.length === 0) return found;
  return found.type.kind === 'complex' ? propertyOf(found.type.structure, within.join('/')) : undefined;
}

/** The type itself or the one that derives from it, by its name; undefined where it is neither. */
export function typeNamed(type: StructuredType, name: string): StructuredType | undefined {
  return type.name === name ? type : type.derived.find((derived) => derived.name === name);
}

/** Whether its values can be compared, sorted and filtered. */
export function isComparable({ type, isCollection }: Property): boolean {
  if (isCollection || type.kind === 'complex') return false;
  return type.kind === 'enum' || !/^Edm\.(Binary|Stream|Untyped|Geo.*)$/.test(type.name);
}
