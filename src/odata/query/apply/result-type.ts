import type { EntityType, Model } from '../../../model/edm.ts';
import type { ComplexType, NavigationProperty, StructuralProperty } from '../../../model/structured-type.ts';
import { type BoundExpression, rowOf } from '../bound-tree.ts';
import { type ExpressionType, itemType } from '../expression-type.ts';
import { type ModelType, propertiesOf, qualifiedName, structuredType, useOfType } from '../model-type.ts';
import { type EntityReads, readsOf } from '../related-reads.ts';
import { badRequest, type ComputedProperty, quote, type Scope, type ValueUse } from '../scope.ts';

/** What instances have: the properties of a type, and those that transformations have added to them. */
export interface Members {
  readonly properties: ReadonlyMap<string, StructuralProperty>;
  readonly navigation: ReadonlyMap<string, NavigationProperty>;
  /** Names of properties that transformations made: no type declares them. */
  readonly dynamic: ReadonlySet<string>;
}

export const NO_MEMBERS: Members = { properties: new Map(), navigation: new Map(), dynamic: new Set() };

/**
 * The type of instances that a transformation has made (Data Aggregation 4.0, 3.1): it has the properties
 * that are left, and no key, because the instances are no entities that could be read.
 */
export interface ResultType extends EntityType {
  /** The type of the model that the instances were of before. */
  readonly origin: ModelType;
  readonly dynamic: ReadonlySet<string>;
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
}

export function createResultTypes(model: Model): ResultTypes {
  const entityTypes = new Map(model.entityTypes);
  const complexTypes = new Map<string, ComplexType>(model.complexTypes);
  return {
    model: { ...model, entityTypes, complexTypes },
    define(before, transformation, members, kind = 'entity') {
      const origin = originOf(before);
      const types: Map<string, ComplexType> = kind === 'complex' ? complexTypes : entityTypes;
      const type = resultType(origin, freeName(`${origin.name} after ${transformation}`, types), members);
      types.set(type.name, type);
      return type;
    },
  };
}

function resultType(origin: ModelType, name: string, members: Members): ResultType {
  return {
    namespace: origin.namespace,
    name,
    description: undefined,
    key: [],
    structuralProperties: members.properties,
    navigationProperties: members.navigation,
    baseType: undefined,
    abstract: false,
    open: false,
    discriminator: undefined,
    origin,
    dynamic: members.dynamic,
  };
}

/** No name of a model has a space in it. */
function freeName(name: string, types: ReadonlyMap<string, unknown>): string {
  for (let number = 2, free = name; ; free = `${name} ${number++}`) {
    if (!types.has(free)) return free;
  }
}

/** What the model declares as a complex type, or a part of it. */
export function kindOf({ complexTypes }: Model, type: ModelType): 'entity' | 'complex' {
  return complexTypes.get(type.name) === type ? 'complex' : 'entity';
}

export function isResult<Type extends ModelType>(type: Type): type is Type & ResultType {
  return 'origin' in type;
}

export function originOf(type: ModelType): ModelType {
  return isResult(type) ? type.origin : type;
}

/** The scope of transformations behind one whose results are of the type. Nothing of them has to be fetched. */
export function scopeOfResults(scope: Scope, type: ModelType): Scope {
  return scopeOf(scope, qualifiedName(type), { properties: new Set(), related: new Map() });
}

/** The scope of what is said about the items of a collection, or about a single value, in the rows. */
export function scopeOfItems(scope: Scope, collection: BoundExpression): Scope {
  const reads = readsOf(collection, scope) ?? { properties: new Set(), related: new Map() };
  return scopeOf(scope, itemType(collection.type), reads);
}

function scopeOf(scope: Scope, type: ExpressionType, { properties, related }: EntityReads): Scope {
  const instance = rowOf(type);
  return {
    ...scope,
    instance,
    it: instance,
    variables: new Map(),
    computed: new Map(),
    reads: properties,
    related,
  };
}

/** Instances that are shown whole need all of their properties. */
export function readWhole({ model, instance, reads }: Scope): void {
  const type = structuredType(model, instance.type);
  if (type === undefined || isResult(type)) return;
  for (const name of propertiesOf(model, type).keys()) reads.add(name);
}

/** The type of the instances; what a scope is about without one is a value. */
export function instanceType({ model, instance }: Scope): ModelType {
  const type = structuredType(model, instance.type);
  if (type === undefined) throw new TypeError(`Expected a structured type, found ${instance.type}`);
  return type;
}

/** What instances have, added properties included. */
export function membersOf(scope: Scope): Members {
  return merged(
    membersOfType(instanceType(scope)),
    ...[...scope.computed].map(([name, { expression }]) => dynamicMember(scope.model, name, expression.type)),
  );
}

export function membersOfType(type: ModelType): Members {
  return {
    properties: type.structuralProperties,
    navigation: type.navigationProperties,
    dynamic: isResult(type) ? type.dynamic : new Set(),
  };
}

/** The same members in one; of those with the same name the last. */
export function merged(...all: readonly Members[]): Members {
  return {
    properties: new Map(all.flatMap(({ properties }) => [...properties])),
    navigation: new Map(all.flatMap(({ navigation }) => [...navigation])),
    dynamic: new Set(all.flatMap(({ dynamic }) => [...dynamic])),
  };
}

/** The qualified name of a type that has all that the instances have, so that others can hold them. */
export function typeOfInstances(scope: Scope, transformation: string, types: ResultTypes): ExpressionType {
  const type = instanceType(scope);
  readWhole(scope);
  return qualifiedName(
    scope.computed.size === 0 ? type : types.define(type, transformation, membersOf(scope)),
  );
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
    ? { ...NO_MEMBERS, navigation: new Map([[name, navigation(name, use.type.name, use.collection)]]) }
    : { ...NO_MEMBERS, properties: new Map([[name, property(name, use)]]) };
}

function property(name: string, use: ValueUse): StructuralProperty {
  return {
    name,
    upstreamName: name,
    upstreamTypes: [],
    ...use,
    nullable: true,
    facets: {},
    description: undefined,
    defaultValue: undefined,
    computed: true,
    writeOnly: false,
    immutable: false,
    deprecated: false,
    searchable: undefined,
    mediaType: undefined,
  };
}

function navigation(name: string, entityType: string, collection: boolean): NavigationProperty {
  return {
    name,
    description: undefined,
    entityType,
    collection,
    nullable: true,
    containsTarget: false,
    target: undefined,
    partner: undefined,
    constraints: [],
    origin: { kind: 'embedded', upstreamName: name },
    addReference: undefined,
    removeReference: undefined,
  };
}

/** Instances that keep their type, with a property more that is in the rows. */
export function withDynamic(scope: Scope, name: string, type: ExpressionType): Scope {
  const expression: BoundExpression = { kind: 'property', name, type, position: 0 };
  const added: ComputedProperty = { expression, reads: new Set(), size: 0 };
  return { ...scope, computed: new Map([...scope.computed, [name, added]]) };
}

/** An alias must be a name that the instances do not have yet. */
export function requireNewName(
  name: string,
  { properties, navigation }: Members,
  scope: Scope,
  position: number,
): void {
  // An object cannot have a property of its own with this name by assignment.
  if (name === '__proto__') throw badRequest(scope, position, `expected a name, found ${quote(name)}`);
  if (properties.has(name) || navigation.has(name)) {
    throw badRequest(scope, position, `expected a new name, found the taken ${quote(name)}`);
  }
}
