/** What a prepared document has no words for that Mesh would understand: it is put into the schema afterwards. */
export interface SchemaPatches {
  readonly families: readonly TypeFamily[];
  readonly remarks: readonly FieldRemark[];
}

/**
 * A type that others are derived from. Mesh has a union by its name, of the object types that its values are
 * of.
 */
export interface TypeFamily {
  readonly name: string;
  /** The object type of values that are of no derived type. */
  readonly plain: string;
  /** The property that tells the type, by the upstream's name. */
  readonly discriminator: string;
  /** The object types by the values of that property. */
  readonly objects: ReadonlyMap<string, string>;
}

/** What is said of a property beside its reference. */
export interface FieldRemark {
  /** The name of the object type; the input object type is named after it. */
  readonly type: string;
  readonly field: string;
  readonly description: string | undefined;
  readonly deprecated: boolean;
}

/** What names the schemas of what is sent, where they differ from those of what comes. */
export const SENT_SUFFIX = '_request';
