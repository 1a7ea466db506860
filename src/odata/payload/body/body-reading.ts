import type { Row } from '../../../contract/entity-source.ts';
import type { EntityType, Model } from '../../../model/edm.ts';
import type { NavigationProperty } from '../../../model/structured-type.ts';
import type { BodyType } from './body-types.ts';
import type { BodyKind } from './entity-body.ts';
import type { Mistakes } from './mistakes.ts';

/** One reading of a body. */
export interface Reading {
  readonly model: Model;
  readonly kind: BodyKind;
  readonly mistakes: Mistakes;
}

/** What an object of the body says. Where there are mistakes, it says less. */
export interface ReadObject<Type extends BodyType> {
  readonly declared: Type;
  readonly type: Type;
  readonly values: Row;
  readonly bindings: readonly ReadBinding[];
  readonly nested: readonly ReadNested[];
}

export interface ReadBinding {
  readonly property: NavigationProperty;
  /** Where it stands in the body. */
  readonly path: string;
  readonly urls: readonly string[];
}

export interface ReadNested {
  readonly property: NavigationProperty;
  readonly entities: readonly ReadObject<EntityType>[];
}
