/** The entity data model, as far as the screens are driven by it. */
export interface Metadata {
  readonly entitySets: ReadonlyMap<string, EntitySet>;
}

export interface EntitySet {
  readonly name: string;
  /** The simple name of its entity type. */
  readonly typeName: string;
  readonly description: string | undefined;
  readonly key: readonly string[];
  readonly properties: readonly Property[];
  readonly insertable: boolean;
  readonly searchable: boolean;
}

export interface Property {
  readonly name: string;
  /** The name in words. */
  readonly label: string;
  readonly description: string | undefined;
  readonly type: PropertyType;
  readonly isCollection: boolean;
  readonly nullable: boolean;
  readonly maxLength: number | undefined;
  /** Whether its texts have a form of their own, such as that of a postal code. */
  readonly hasPattern: boolean;
  readonly defaultValue: unknown;
  /** Given by the service: a create does not take it. */
  readonly computed: boolean;
  /** Taken by a create, and never shown. */
  readonly writeOnly: boolean;
}

export type PropertyType =
  | { readonly kind: 'primitive'; readonly name: string }
  | {
      readonly kind: 'enum';
      readonly name: string;
      readonly members: readonly string[];
      readonly flags: boolean;
    }
  | { readonly kind: 'complex'; readonly name: string; readonly properties: readonly Property[] };

/** The property with this name. */
export function propertyOf(entitySet: EntitySet, name: string): Property | undefined {
  return entitySet.properties.find((property) => property.name === name);
}

/** Whether its values can be compared, sorted and filtered. */
export function isComparable({ type, isCollection }: Property): boolean {
  if (isCollection || type.kind === 'complex') return false;
  return type.kind === 'enum' || !/^Edm\.(Binary|Stream|Untyped|Geo.*)$/.test(type.name);
}
