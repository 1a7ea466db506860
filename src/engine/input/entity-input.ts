import type { Row } from '../../contract/row.ts';
import type { EntityType, NavigationProperty } from '../../model/edm.ts';
import type { InputObject } from './mistakes.ts';

/** The validated input for an entity. */
export interface EntityInput {
  /** The bytes that the upstream is to get as they came; `values` are empty then, because their names may be others. */
  readonly verbatim?: Uint8Array;
  /** The type that the client names, or else the declared one. */
  readonly entityType: EntityType;
  /** The properties by the model's names, without those that are to be ignored (Part 1, 11.4.2 and 11.4.3). */
  readonly values: Row;
  /** Links to entities that are there already (JSON Format, 8.5). */
  readonly bindings: readonly NavigationBinding[];
  /** Entities to be created with this one (Part 1, 11.4.2.2). */
  readonly nested: readonly NestedEntities[];
  /** The changes of related entities in an update (Part 1, 11.4.3.1). */
  readonly changes: readonly RelatedChanges[];
}

export interface NavigationBinding {
  readonly property: NavigationProperty;
  /** The path in the input. */
  readonly path: string;
  /** None where a single link is taken away. */
  readonly links: readonly WrittenLink[];
}

/** A reference to an entity by URL, absolute or relative to the service root. */
export interface WrittenLink {
  readonly url: string;
  /** The path in the input, for errors. */
  readonly target: string;
}

export interface NestedEntities {
  readonly property: NavigationProperty;
  readonly entities: readonly EntityInput[];
}

/** The changes of entities behind a navigation property that have operations of their own. */
export interface RelatedChanges {
  readonly property: NavigationProperty;
  /** The path in the input. */
  readonly path: string;
  /** The related entities are these and no others; else those that are not named stay as they are. */
  readonly whole: boolean;
  readonly members: readonly MemberChange[];
}

export type MemberChange =
  /** A link to an entity that is there already. */
  | { readonly kind: 'link'; readonly link: WrittenLink }
  /** An entity to be created, whichever there are. */
  | CreatedMember
  /** An entity that is related no more, or is there no more (JSON Format, 15.3). */
  | ({ readonly kind: 'removed'; readonly isDeleted: boolean } & NamedMember)
  | NestedChange;

export interface CreatedMember {
  readonly kind: 'created';
  readonly path: string;
  readonly body: EntityInput;
}

/** An entity to update, or to create if its key is unknown. */
export interface NestedChange extends NamedMember {
  readonly kind: 'entity';
  /** The state in which the entity is to be changed, where the body says that (JSON Format, 4.5.9). */
  readonly etag: string | undefined;
  readonly body: EntityInput;
  /** The input, to be read as a new entity. */
  readonly json: InputObject;
}

/** An entity in a body, and which one it is. */
interface NamedMember {
  readonly path: string;
  readonly link: WrittenLink | undefined;
  /** As far as the body says it. */
  readonly key: Row;
}
