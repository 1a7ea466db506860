import type { DescribedStructuralProperty } from './description.ts';
import type { ReferentialConstraint } from './edm.ts';

/** A property that has, or may have, keys of the entities of a set. Plain data. */
export interface FoundRelation {
  /** The source whose document has the property. */
  readonly source: string;
  /** The JSON pointer of the schema that has the property, in the document as the gateway reads it. */
  readonly schema: string;
  readonly entityType: string;
  /** The path of the property: `CustomerId`, `Customer/Id`. */
  readonly property: string;
  /** The name of the property in `x-odata.references`; undefined for a relation that a link of the document declares. */
  readonly written: string | undefined;
  readonly target: string;
  /** Other sets that the values may be keys of, by their names. */
  readonly alternatives: readonly string[];
  /** Served relations are declared by the document or its overlay, or derived; others are not served. */
  readonly state: 'declared' | 'derived' | 'suggested' | 'refused';
  /** The part of the document that shows or suggests the relation, for people. */
  readonly foundBy: string;
  /** The property that may name the type of the related entity: `OwnerType` beside `OwnerId`. */
  readonly typedBy: string | undefined;
  /** The owner's property for each part of the target's key. */
  readonly constraints: readonly ReferentialConstraint[];
  /** The property of the last constraint, if the entity type has it for this relation alone. */
  readonly alias: DescribedStructuralProperty | undefined;
}
