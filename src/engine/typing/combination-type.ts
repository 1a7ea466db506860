import type { EntitySet, EntityType, NavigationProperty } from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import type { ModelType } from './model-type.ts';

/** The type of a cross join's combinations: it has a navigation property for the entity of each set. */
interface CombinationType extends EntityType {
  readonly combines: readonly string[];
}

export function isCombination<Type extends ModelType>(type: Type): type is Type & CombinationType {
  return 'combines' in type;
}

/**
 * The model with a type for the combinations of sets. Where the entities stand in the combinations' own rows,
 * `origin` says so; else what options read of them is noted by their names.
 */
export function withCombinations<Set extends EntitySet>(
  model: Model,
  sets: readonly Set[],
  origin: (set: Set) => NavigationProperty['origin'],
): { readonly model: Model; readonly type: CombinationType } {
  const names = sets.map(({ name }) => name);
  const type: CombinationType = {
    kind: 'entity',
    namespace: 'Edm',
    // No name of a model has a sign in it.
    name: `$crossjoin(${names.join(',')})`,
    description: undefined,
    key: [],
    structuralProperties: new Map(),
    navigationProperties: new Map(sets.map((set) => [set.name, entityOfSet(set, origin(set))])),
    base: undefined,
    derived: [],
    abstract: false,
    open: false,
    discriminator: undefined,
    combines: names,
  };
  return { model: { ...model, entityTypes: new Map([...model.entityTypes, [type.name, type]]) }, type };
}

function entityOfSet(set: EntitySet, origin: NavigationProperty['origin']): NavigationProperty {
  return {
    name: set.name,
    description: undefined,
    entityType: set.entityType,
    collection: false,
    nullable: false,
    containsTarget: false,
    target: set,
    partner: undefined,
    constraints: [],
    origin,
    addReference: undefined,
    removeReference: undefined,
  };
}
