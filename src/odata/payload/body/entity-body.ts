import type { Row } from '../../../contract/entity-source.ts';
import type { EntityType } from '../../../model/edm.ts';
import type { SentType } from '../../../model/sent-type.ts';
import type { NavigationProperty } from '../../../model/structured-type.ts';
import type { ODataVersion } from '../negotiation/version.ts';
import type { BodyObject } from './body-json.ts';

/** What a request is to do with an entity or a complex value: Part 1, 11.4.2, 11.4.3 and 11.4.4. */
export type BodyKind = 'insert' | 'update' | 'replace';

export interface BodyOptions {
  readonly kind: BodyKind;
  /**
   * The upstream gets the client's bytes as they are: names may be the upstream's in any case, others are
   * passed on, and only what is surely wrong is refused.
   */
  readonly verbatim: boolean;
  /** In which version of the protocol it is written. */
  readonly version: ODataVersion;
  /** What the operation takes; undefined where the document does not say. */
  readonly sent: SentType | undefined;
  /** The key in the URL of an insert that was to be a change, also by deltas (Part 1, 11.4.4). */
  readonly upsertKey?: Row;
  /** What the URL says of the entity. */
  readonly given?: Row;
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
  /** What is to become of related entities with a change of this one (Part 1, 11.4.3.1). */
  readonly changes: readonly RelatedChanges[];
}

export interface NavigationBinding {
  readonly property: NavigationProperty;
  /** Where it stands in the body. */
  readonly path: string;
  /** None where a single link is taken away. */
  readonly links: readonly WrittenLink[];
}

/** The URL of an entity as a body has it: absolute, or relative to the service root. */
export interface WrittenLink {
  readonly url: string;
  /** Where it stands in the body: errors name that. */
  readonly target: string;
}

export interface NestedEntities {
  readonly property: NavigationProperty;
  readonly entities: readonly EntityBody[];
}

/** What a change of an entity says of those behind a navigation property, all of which have operations of their own. */
export interface RelatedChanges {
  readonly property: NavigationProperty;
  /** Where they stand in the body. */
  readonly path: string;
  /** The related entities are these and no others; else those that are not named stay as they are. */
  readonly whole: boolean;
  readonly members: readonly MemberChange[];
}

export type MemberChange =
  /** A link to an entity that is there already. */
  | { readonly kind: 'link'; readonly link: WrittenLink }
  /** An entity that is related no more, or is there no more (JSON Format, 15.3). */
  | ({ readonly kind: 'removed'; readonly isDeleted: boolean } & NamedMember)
  | NestedChange;

/** An entity to be changed, or to be created where there is none with that key. */
export interface NestedChange extends NamedMember {
  readonly kind: 'entity';
  /** The state in which the entity is to be changed, where the body says that (JSON Format, 4.5.9). */
  readonly etag: string | undefined;
  readonly body: EntityBody;
  /** What stands in the body, to be read as a new entity. */
  readonly json: BodyObject;
}

/** An entity in a body, and which one it is. */
interface NamedMember {
  readonly path: string;
  readonly link: WrittenLink | undefined;
  /** As far as the body says it. */
  readonly key: Row;
}
