import type { NavigationProperty, StructuralProperty } from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import { embeddedNavigation, plainProperty } from '../../model/plain-property.ts';
import type { ExpressionType } from '../typing/expression-type.ts';
import { useOfType } from '../typing/model-type.ts';

/** What instances have: the properties of a type, and those that transformations have added to them. */
export interface Members {
  readonly properties: ReadonlyMap<string, StructuralProperty>;
  readonly navigation: ReadonlyMap<string, NavigationProperty>;
  /** Names of properties that transformations made: no type declares them. */
  readonly dynamic: ReadonlySet<string>;
  /** Names of what some of the instances do not have. */
  readonly sparse: ReadonlySet<string>;
}

export const NO_MEMBERS: Members = {
  properties: new Map(),
  navigation: new Map(),
  dynamic: new Set(),
  sparse: new Set(),
};

/** Merges members; of those with the same name the last one stays. */
export function merged(...all: readonly Members[]): Members {
  return {
    properties: new Map(all.flatMap(({ properties }) => [...properties])),
    navigation: new Map(all.flatMap(({ navigation }) => [...navigation])),
    dynamic: new Set(all.flatMap(({ dynamic }) => [...dynamic])),
    sparse: new Set(all.flatMap(({ sparse }) => [...sparse])),
  };
}

/** A property that a transformation makes. */
export function dynamicMember(model: Model, name: string, type: ExpressionType): Members {
  const found = memberOf(model, name, type);
  return { ...found, dynamic: new Set([name]) };
}

/** A property of a type, or one that leads to entities within the row. */
export function memberOf(model: Model, name: string, type: ExpressionType): Members {
  const use = useOfType(type, model);
  return use.type.kind === 'entity'
    ? {
        ...NO_MEMBERS,
        navigation: new Map([[name, embeddedNavigation(name, use.type, use.collection)]]),
      }
    : { ...NO_MEMBERS, properties: new Map([[name, { ...plainProperty(name, use), computed: true }]]) };
}
