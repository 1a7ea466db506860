import type { DocumentSource } from '../../model/from-openapi/document-source.ts';
import { readInheritance } from '../../model/from-openapi/inheritance.ts';
import {
  isObjectSchema,
  type Schema,
  type SchemaReader,
  schemaProperties,
} from '../../model/from-openapi/schema.ts';

/** Which types of objects are derived from which, as the model has it. */
export interface Hierarchy {
  /** All types derived from a type, at any remove; none where no property of their values tells them apart. */
  readonly descendants: (schema: Schema) => readonly Schema[];
  /** The property that tells the types apart, by the upstream's name. */
  readonly property: (schema: Schema) => string | undefined;
  /** The values of that property that stand for the type. */
  readonly values: (schema: Schema) => readonly string[];
}

export function readHierarchy(source: DocumentSource, read: SchemaReader): Hierarchy {
  const inheritance = readInheritance(source, read);
  const property = (schema: Schema) => inheritance.discriminator(schema)?.upstreamName;
  const below = (schema: Schema): readonly Schema[] =>
    inheritance
      .derivedFrom(schema)
      .filter((derived) => !derived.hidden && isRecord(derived))
      .flatMap((derived) => [derived, ...below(derived)]);
  return {
    descendants: (schema) => (isRecord(schema) && property(schema) !== undefined ? below(schema) : []),
    property,
    values: (schema) => {
      const { value, otherValues = [] } = inheritance.discriminator(schema) ?? {};
      return value === undefined ? otherValues : [value, ...otherValues];
    },
  };
}

/** An object with properties that are known. */
export function isRecord(schema: Schema): boolean {
  return isObjectSchema(schema) && schemaProperties(schema).size > 0;
}
