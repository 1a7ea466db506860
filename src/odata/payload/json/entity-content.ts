import type { Row } from '../../../contract/row.ts';
import type { EntityType, TypeUse } from '../../../model/edm.ts';
import type { JsonObject } from './value-writers.ts';

/** What is shown of entities, whether they are the answer itself or expanded within others. */
export interface EntityContent {
  /** The declared type of the rows. */
  readonly entityType: EntityType;
  /**
   * The canonical URL of an entity, relative to the service root. Undefined where it has none, because it is
   * transient, or where it is contained in the entity that it is expanded in, whose URL its own follows from.
   */
  readonly canonical: ((row: Row) => string) | undefined;
  /** What the computed properties that are shown hold. */
  readonly computed: ReadonlyMap<string, Pick<TypeUse, 'type' | 'collection'>>;
  /** The properties that are shown, in this order; each entity has those of its type. */
  readonly shown: readonly string[];
  /** The rows have the shown properties in that order, and no others. */
  readonly exact: boolean;
  /** Shown properties that a row lacks are left out: the rows are results of different transformations. */
  readonly partial?: boolean;
  /** Properties that no type declares are shown, too. */
  readonly dynamic?: boolean;
  /**
   * The navigation and stream properties whose links are shown where the format asks for them, `*` for those of all
   * streams; undefined for all.
   */
  readonly links?: readonly string[];
  /**
   * The operations that are shown where the format asks for them, by their qualified names, or `Namespace.*`;
   * undefined for all.
   */
  readonly operations?: readonly string[];
  /** Collections of which a part is shown, and whose number of items rows have as `Name@count`. */
  readonly counted?: readonly string[];
  readonly expanded?: ReadonlyMap<string, Expansion>;
  /** What is expanded within the values of complex properties, by their names. */
  readonly within?: ReadonlyMap<string, WithinContent>;
  /** Streams that stand in the rows under their names. */
  readonly streams?: readonly string[] | undefined;
  /** The ETag, in quotes; undefined where an entity has none. */
  readonly etag?: ((row: Row) => string | undefined) | undefined;
  /** The entities can be changed at their URLs. */
  readonly editable?: boolean;
  /** Where operations on them may be, as the model names its places: the names in a resource path without keys. */
  readonly places?: readonly string[];
}

/** Related entities that stand in the rows under the navigation property's name. */
export interface Expansion extends EntityContent {
  readonly collection: boolean;
  /** Only the number of the related entities is shown: `$expand=Items/$count` (Part 1, 11.2.5.2). */
  readonly countOnly?: boolean;
  /** The references of the entities are shown, and nothing else of them. */
  readonly referencesOnly?: boolean;
  /** What is said of the collection within that entity. */
  readonly control?: (owner: Row) => CollectionControl;
}

/** What is expanded in a complex value, and within the complex values in it. */
export type WithinContent = Pick<EntityContent, 'expanded' | 'within'>;

/** What is said of a collection beside its items. */
export interface CollectionControl {
  /** The type of all of it, as full metadata has it (JSON Format, 4.5.3). */
  readonly type?: string | undefined;
  /** How many there are on all pages. */
  readonly count?: number | undefined;
  /** The URL of the rest where this is a part (Part 1, 11.2.6.7). */
  readonly nextLink?: string | undefined;
  /** The functions and actions that are bound to it, as full metadata has them (JSON Format, 16 and 17). */
  readonly operations?: JsonObject | undefined;
  /** The URL of the changes since this answer (Part 1, 11.3). */
  readonly deltaLink?: string | undefined;
}
