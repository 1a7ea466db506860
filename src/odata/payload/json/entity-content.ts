import type { Row } from '../../../contract/row.ts';
import type { EntityType, TypeUse } from '../../../model/edm.ts';
import type { JsonObject } from './value-writers.ts';

/** The shown content of entities, at the top level or expanded. */
export interface EntityContent {
  /** The declared type of the rows. */
  readonly entityType: EntityType;
  /**
   * The canonical URL of an entity, relative to the service root. Undefined for transient entities, and for
   * contained entities, whose URLs derive from their owner's.
   */
  readonly canonical: ((row: Row) => string) | undefined;
  /** The types of computed properties. */
  readonly computed: ReadonlyMap<string, Pick<TypeUse, 'type' | 'collection'>>;
  /** The shown properties, in order; each entity has those of its type. */
  readonly shown: readonly string[];
  /** True if the rows have exactly the shown properties, in that order. */
  readonly exact: boolean;
  /** True if missing properties are omitted, because rows come from different transformations. */
  readonly partial?: boolean;
  /** True if undeclared properties are shown. */
  readonly dynamic?: boolean;
  /**
   * The navigation and stream properties whose links are shown in full metadata, `*` for all streams;
   * undefined for all links.
   */
  readonly links?: readonly string[];
  /** The operations shown in full metadata, by qualified name or `Namespace.*`; undefined for all. */
  readonly operations?: readonly string[];
  /** Collections that are shown in part, with their number of items in the row as `Name@count`. */
  readonly counted?: readonly string[];
  readonly expanded?: ReadonlyMap<string, Expansion>;
  /** Expanded content within complex properties, by name. */
  readonly within?: ReadonlyMap<string, WithinContent>;
  /** Streams that are part of the rows. */
  readonly streams?: readonly string[] | undefined;
  /** The quoted ETag; undefined for entities without one. */
  readonly etag?: ((row: Row) => string | undefined) | undefined;
  /** True if the entities can be changed at their URLs. */
  readonly editable?: boolean;
  /** Paths at which bound operations may be called: names in a resource path without keys. */
  readonly places?: readonly string[];
}

/** Related entities in the rows, under the navigation property's name. */
export interface Expansion extends EntityContent {
  readonly collection: boolean;
  /** True if only the count is shown: `$expand=Items/$count` (Part 1, 11.2.5.2). */
  readonly countOnly?: boolean;
  /** True if only references are shown. */
  readonly referencesOnly?: boolean;
  /** The control information of the collection of an owner. */
  readonly control?: (owner: Row) => CollectionControl;
}

/** Expanded content within a complex value. */
export type WithinContent = Pick<EntityContent, 'expanded' | 'within'>;

/** Control information of a collection. */
export interface CollectionControl {
  /** The collection's type, for full metadata (JSON Format, 4.5.3). */
  readonly type?: string | undefined;
  /** The number of items on all pages. */
  readonly count?: number | undefined;
  /** The URL of the next page (Part 1, 11.2.6.7). */
  readonly nextLink?: string | undefined;
  /** The operations bound to the collection, for full metadata (JSON Format, 16 and 17). */
  readonly operations?: JsonObject | undefined;
  /** The URL of later changes (Part 1, 11.3). */
  readonly deltaLink?: string | undefined;
}
