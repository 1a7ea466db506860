import type { ComplexType, EntityType } from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import { isCombination } from '../typing/combination-type.ts';
import type { ModelType } from '../typing/model-type.ts';
import type { Members } from './members.ts';

/** The type of instances that a transformation has made (Data Aggregation 4.0, 3.1): it has what is left. */
export type ResultType = (EntityType | (ComplexType & Pick<EntityType, 'key'>)) & ResultParts;

interface ResultParts {
  /** The type of the model that the instances were of before. */
  readonly origin: ModelType;
  readonly dynamic: ReadonlySet<string>;
  /** What some of the instances do not have. */
  readonly sparse: ReadonlySet<string>;
  /** They are no entities that could be read; else they are what they were, with more in them. */
  readonly transient: boolean;
}

/** The types of one `$apply`, beside those of the model. */
export interface ResultTypes {
  /** The model with the types that have been defined so far. */
  readonly model: Model;
  /** A new type, named after the transformation that it comes from. */
  readonly define: (
    before: ModelType,
    transformation: string,
    members: Members,
    kind?: 'entity' | 'complex',
  ) => ResultType;
  /** A new type of instances that keep what they have and are given more. */
  readonly extend: (before: ModelType, transformation: string, members: Members) => ResultType;
}

export function createResultTypes(model: Model): ResultTypes {
  const entityTypes = new Map(model.entityTypes);
  const complexTypes = new Map<string, ComplexType>(model.complexTypes);
  const define: ResultTypes['define'] = (before, transformation, members, kind = 'entity') => {
    const origin = originOf(before);
    const types = kind === 'complex' ? complexTypes : entityTypes;
    const name = freeName(`${origin.name} after ${transformation}`, types);
    const type = resultType(origin, kind, name, members);
    if (type.kind === 'complex') complexTypes.set(name, type);
    else entityTypes.set(name, type);
    return type;
  };
  return {
    model: { ...model, entityTypes, complexTypes },
    define,
    extend(before, transformation, members) {
      const made = define(before, transformation, members);
      const type = { ...made, key: keyOf(before), transient: isTransient(before) };
      if (type.kind === 'entity') entityTypes.set(type.name, type);
      return type;
    },
  };
}

function keyOf(type: ModelType): readonly string[] {
  return 'key' in type ? type.key : [];
}

function resultType(
  origin: ModelType,
  kind: 'entity' | 'complex',
  name: string,
  members: Members,
): ResultType {
  return {
    kind,
    namespace: origin.namespace,
    name,
    description: undefined,
    key: [],
    structuralProperties: members.properties,
    navigationProperties: members.navigation,
    base: undefined,
    derived: [],
    abstract: false,
    open: false,
    discriminator: undefined,
    origin,
    dynamic: members.dynamic,
    sparse: members.sparse,
    transient: true,
  };
}

/** No name of a model has a space in it. */
function freeName(name: string, types: ReadonlyMap<string, unknown>): string {
  for (let number = 2, free = name; ; free = `${name} ${number++}`) {
    if (!types.has(free)) return free;
  }
}

export function isResult<Type extends ModelType>(type: Type): type is Type & ResultType {
  return 'origin' in type;
}

export function isTransient(type: ModelType): boolean {
  return isResult(type) && type.transient;
}

export function originOf(type: ModelType): ModelType {
  return isResult(type) ? type.origin : type;
}

export function membersOfType(type: ModelType): Members {
  return {
    properties: type.structuralProperties,
    navigation: type.navigationProperties,
    dynamic: isResult(type) ? type.dynamic : new Set(),
    sparse: isResult(type) ? type.sparse : new Set(),
  };
}

/** What stands in instances of the type: what entities of the model are related to does not. */
export function heldMembersOfType(type: ModelType): Members {
  const members = membersOfType(type);
  return isResult(type) || isCombination(type) ? members : { ...members, navigation: new Map() };
}
