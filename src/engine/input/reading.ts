import type { Row } from '../../contract/row.ts';
import type { EntityType, NavigationProperty } from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import type { SentType } from '../../model/operation.ts';
import type { OpaqueTypeName, PrimitiveTypeName } from '../../model/type-use.ts';
import type { MemberChange, NavigationBinding, NestedChange, RelatedChanges } from './entity-input.ts';
import type { InputObject } from './input-value.ts';
import type { Mistakes } from './mistakes.ts';
import type { InputType } from './type-of-object.ts';

/** What is done with an entity or a complex value: Part 1, 11.4.2, 11.4.3 and 11.4.4. */
export type InputKind = 'insert' | 'update' | 'replace';

/** Says which JSON value a text stands for that was given for a value of the type; undefined where each stands for itself. */
export type TextReader = (type: PrimitiveTypeName | OpaqueTypeName, text: string) => unknown;

/** One reading of what a client says. */
export interface Reading {
  readonly model: Model;
  readonly kind: InputKind;
  readonly mistakes: Mistakes;
  readonly ofText: TextReader | undefined;
  /** What the operation takes at that place of its body. */
  readonly sent: SentType | undefined;
  /** What is new turned out to be so: the body was to change it. */
  readonly isUpsert?: boolean;
}

/** What an object says. Where there are mistakes, it says less. */
export interface ReadObject<Type extends InputType> {
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
  object: InputObject,
  path: string,
  given?: readonly string[],
) => ReadObject<EntityType>;
