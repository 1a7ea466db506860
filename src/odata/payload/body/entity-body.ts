import type { Row } from '../../../contract/entity-source.ts';
import type { EntityType } from '../../../model/edm.ts';
import type { NavigationProperty } from '../../../model/structured-type.ts';

/** What a request is to do with an entity or a complex value: Part 1, 11.4.2, 11.4.3 and 11.4.4. */
export type BodyKind = 'insert' | 'update' | 'replace';

export interface BodyOptions {
  readonly kind: BodyKind;
  /**
   * The upstream gets the client's bytes as they are: names may be the upstream's in any case, others are
   * passed on, and only what is surely wrong is refused.
   */
  readonly verbatim: boolean;
}

/** What the body of a request says of an entity, checked against the model. */
export interface EntityBody {
  /**
   * For the upstream: the client's bytes where they are forwarded verbatim, else `values` as JSON, and those of
   * the `nested` entities within it that are within the entity's JSON upstream, too.
   */
  readonly bytes: Uint8Array;
  /** The type that the body names, or else the declared one. */
  readonly entityType: EntityType;
  /**
   * The properties by the model's names, without those that are to be ignored (Part 1, 11.4.2 and 11.4.3).
   * Empty for a verbatim body, whose names may be others.
   */
  readonly values: Row;
  /** Links to entities that are there already (JSON Format, 8.5). */
  readonly bindings: readonly NavigationBinding[];
  /** Entities to be created with this one (Part 1, 11.4.2.2). */
  readonly nested: readonly NestedEntities[];
}

export interface NavigationBinding {
  readonly property: NavigationProperty;
  /** Where it stands in the body. */
  readonly path: string;
  /** As they were written: absolute, or relative to the service root. None where a single link is taken away. */
  readonly urls: readonly string[];
}

export interface NestedEntities {
  readonly property: NavigationProperty;
  readonly entities: readonly EntityBody[];
}
