import type { Row } from '../../../contract/entity-source.ts';
import type { EntityType, Model } from '../../../model/edm.ts';
import type { SentType } from '../../../model/sent-type.ts';
import type { NavigationProperty } from '../../../model/structured-type.ts';
import type { ODataVersion } from '../negotiation/version.ts';
import type { BodyObject } from './body-json.ts';
import type { BodyType } from './body-types.ts';
import type {
  BodyKind,
  MemberChange,
  NavigationBinding,
  NestedChange,
  RelatedChanges,
} from './entity-body.ts';
import type { Mistakes } from './mistakes.ts';

/** One reading of a body. */
export interface Reading {
  readonly model: Model;
  readonly kind: BodyKind;
  readonly mistakes: Mistakes;
  /** In which version of the protocol it is written. */
  readonly version: ODataVersion;
  /** What the operation takes at that place of its body. */
  readonly sent: SentType | undefined;
  /** What is new turned out to be so: the body was to change it. */
  readonly isUpsert?: boolean;
}

/** What an object of the body says. Where there are mistakes, it says less. */
export interface ReadObject<Type extends BodyType> {
  readonly declared: Type;
  readonly type: Type;
  readonly values: Row;
  readonly bindings: readonly NavigationBinding[];
  readonly nested: readonly ReadNested[];
  readonly changes: readonly ReadChanges[];
}

export interface ReadNested {
  readonly property: NavigationProperty;
  readonly entities: readonly ReadObject<EntityType>[];
}

export interface ReadChanges extends Omit<RelatedChanges, 'members'> {
  readonly members: readonly ReadMember[];
}

export type ReadMember =
  | Exclude<MemberChange, NestedChange>
  | (Omit<NestedChange, 'body'> & { readonly entity: ReadObject<EntityType> });

/** How an entity within another one is read. */
export type ReadEntity = (
  reading: Reading,
  declared: EntityType,
  object: BodyObject,
  path: string,
  given?: readonly string[],
) => ReadObject<EntityType>;
