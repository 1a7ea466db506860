import {
  embeddedNavigation,
  type NavigationProperty,
  plainProperty,
  type StructuralProperty,
} from '../../model/edm.ts';
import {
  type BoundExpression,
  badRequest,
  type ComputedProperty,
  type EntityReads,
  followNavigation,
  quote,
  readsOf,
  rowOf,
  type Scope,
  type ValueUse,
} from '../scope/scope.ts';
import {
  type ExpressionType,
  isCombination,
  isResult,
  itemType,
  type ModelType,
  propertiesOf,
  type ResultType,
  structuredOf,
  typeName,
  useOfType,
} from '../typing/expression-type.ts';

/** The types of one `$apply`, beside those of the model. */
export interface ResultTypes {
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

export function createResultTypes(): ResultTypes {
  const names = new Set<string>();
  const define: ResultTypes['define'] = (before, transformation, members, kind = 'entity') => {
    const origin = originOf(before);
    const name = freeName(`${origin.name} after ${transformation}`, names);
    names.add(name);
    return resultType(origin, kind, name, members);
  };
  return {
    define,
    extend(before, transformation, members) {
      const made = define(before, transformation, members);
      return { ...made, key: 'key' in before ? before.key : [], transient: isTransient(before) };
    },
  };
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
    boundCallables: [],
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
function freeName(name: string, taken: ReadonlySet<string>): string {
  for (let number = 2, free = name; ; free = `${name} ${number++}`) {
    if (!taken.has(free)) return free;
  }
}

function isTransient(type: ModelType): boolean {
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

/** The members stored in instances, which excludes the relations of entities. */
function heldMembersOfType(type: ModelType): Members {
  const members = membersOfType(type);
  return isResult(type) || isCombination(type) ? members : { ...members, navigation: new Map() };
}

/** The members of instances: those of a type, and those that transformations added. */
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
export function dynamicMember(name: string, type: ExpressionType): Members {
  const found = memberOf(name, type);
  return { ...found, dynamic: new Set([name]) };
}

/** A property of a type, or one that leads to entities within the row. */
export function memberOf(name: string, type: ExpressionType): Members {
  const use = useOfType(type);
  return use.type.kind === 'entity'
    ? {
        ...NO_MEMBERS,
        navigation: new Map([[name, embeddedNavigation(name, use.type, use.collection)]]),
      }
    : { ...NO_MEMBERS, properties: new Map([[name, { ...plainProperty(name, use), computed: true }]]) };
}

/** The scope of transformations behind one whose results are of the type. Nothing of them has to be fetched. */
export function scopeOfResults(scope: Scope, type: ModelType): Scope {
  return scopeOf(scope, type, { properties: new Set(), related: new Map() });
}

/** The scope of what is said about the items of a collection, or about a single value, in the rows. */
export function scopeOfItems(scope: Scope, collection: BoundExpression): Scope {
  const reads = readsOf(collection, scope) ?? { properties: new Set(), related: new Map() };
  return scopeOf(scope, itemType(collection.type), reads);
}

function scopeOf(scope: Scope, type: ExpressionType, { properties, related, calls }: EntityReads): Scope {
  const instance = rowOf(type);
  return {
    ...scope,
    instance,
    row: instance,
    it: instance,
    outer: undefined,
    variables: new Map(),
    computed: new Map(),
    reads: properties,
    related,
    calls,
  };
}

/** Instances that others hold need all that stands in them. */
export function readWhole({ instance, reads, related }: Scope): void {
  const type = structuredOf(instance.type);
  if (type === undefined || isResult(type)) return;
  readAll(type, { properties: reads, related });
}

function readAll(type: ModelType, reads: EntityReads): void {
  for (const name of propertiesOf(type).keys()) reads.properties.add(name);
  for (const navigation of type.navigationProperties.values()) {
    if (navigation.origin.kind === 'embedded') reads.properties.add(navigation.name);
    if (isCombination(type)) readAll(navigation.entityType, followNavigation(reads, navigation));
  }
}

/** The type of the instances; what a scope is about without one is a value. */
export function instanceType({ instance }: Scope): ModelType {
  const type = structuredOf(instance.type);
  if (type === undefined) throw new TypeError(`Expected a structured type, found ${typeName(instance.type)}`);
  return type;
}

/** All members of instances, including added ones. */
export function membersOf(scope: Scope): Members {
  return merged(membersOfType(instanceType(scope)), ...addedMembers(scope));
}

/** The members stored in the instances. */
export function heldMembers(scope: Scope): Members {
  return merged(heldMembersOfType(instanceType(scope)), ...addedMembers(scope));
}

/** The properties that transformations have added to the instances. */
function addedMembers({ computed }: Scope): readonly Members[] {
  return [...computed].map(([name, { expression }]) => dynamicMember(name, expression.type));
}

/** A type that has all that the instances have, so that others can hold them. */
export function typeOfInstances(scope: Scope, transformation: string, types: ResultTypes): ExpressionType {
  const type = instanceType(scope);
  readWhole(scope);
  return scope.computed.size === 0 ? type : types.extend(type, transformation, heldMembers(scope));
}

/** Instances that keep their type, with a property more that is in the rows. */
export function withDynamic(scope: Scope, name: string, type: ExpressionType): Scope {
  const expression: BoundExpression = { kind: 'property', name, type, position: 0 };
  const added: ComputedProperty = { expression, reads: new Set(), size: 0 };
  return { ...scope, computed: new Map([...scope.computed, [name, added]]) };
}

/** An alias must be a name that the instances do not have yet. */
export function assertNewName(
  name: string,
  { properties, navigation }: Members,
  scope: Scope,
  position: number,
): void {
  // An object cannot have a property of its own with this name by assignment.
  if (name === '__proto__') throw badRequest(scope, position, `expected a name, found ${quote(name)}`);
  if (properties.has(name) || navigation.has(name)) {
    throw badRequest(scope, position, `expected an unused name, found ${quote(name)}`);
  }
}

/** The shown content of instances that `$apply` created or nested. */
export interface ResultContent {
  /** True if the instances are not readable entities. */
  readonly transient: boolean;
  /** The primitive values that all of them have, as a context URL names them; `*` for all that their type declares. */
  readonly paths: readonly string[];
  /** The types of undeclared properties. */
  readonly computed: ReadonlyMap<string, ValueUse>;
  /** Properties that hold instances. */
  readonly nested: ReadonlyMap<string, NestedContent>;
}

/** The content of nested instances. */
export interface NestedContent extends ResultContent {
  /** The type that the model declares them to be of. */
  readonly type: ModelType;
  readonly collection: boolean;
  readonly shown: readonly string[];
  /** True if some instances lack it. */
  readonly sparse: boolean;
}

/** The shown content of `$apply` results, limited to the selected properties. */
export function contentOfResults(scope: Scope, isShown: (name: string) => boolean): ResultContent {
  const type = instanceType(scope);
  const own = isResult(type) ? [membersOfType(type)] : [];
  return contentOfMembers(shownOf(merged(...own, ...addedMembers(scope)), isShown), type);
}

function shownOf(
  { properties, navigation, dynamic, sparse }: Members,
  isShown: (name: string) => boolean,
): Members {
  return {
    properties: new Map([...properties].filter(([name]) => isShown(name))),
    navigation: new Map([...navigation].filter(([name]) => isShown(name))),
    dynamic,
    sparse,
  };
}

function contentOfMembers(
  { properties, navigation, dynamic, sparse }: Members,
  type: ModelType,
): ResultContent {
  const declared = originOf(type).structuralProperties;
  const undeclared = [...properties].filter(([name]) => dynamic.has(name) || !declared.has(name));
  const named = isTransient(type) ? [...properties] : undeclared;
  const paths = named.filter(([name]) => !sparse.has(name)).flatMap(([, property]) => pathsOf(property));
  return {
    transient: isTransient(type),
    paths: isTransient(type) ? paths : ['*', ...paths],
    computed: new Map(undeclared.map(([name, property]) => [name, useOf(property)])),
    nested: new Map(
      [...navigation].map(([name, { entityType, collection }]) => [
        name,
        { ...nestedContent(entityType, collection), sparse: sparse.has(name) },
      ]),
    ),
  };
}

function nestedContent(type: ModelType, collection: boolean): Omit<NestedContent, 'sparse'> {
  const held = heldMembersOfType(type);
  const members = isResult(type) ? held : { ...held, properties: new Map() };
  const origin = originOf(type);
  const kept = isTransient(type) ? [] : propertiesOf(origin).keys();
  const shown = [...new Set([...kept, ...propertiesOf(type).keys()])];
  const content = contentOfMembers(members, type);
  // A combination has nothing but its entities.
  const paths = isCombination(origin) ? content.paths.filter((path) => path !== '*') : content.paths;
  return { ...content, paths, type: origin, collection, shown };
}

/** A value of which only a part is left is named by what is left. */
function pathsOf({ name, type }: StructuralProperty): readonly string[] {
  if (type.kind !== 'complex' || !isResult(type)) return [name];
  const parts = [...type.structuralProperties.values()].filter((part) => !type.sparse.has(part.name));
  return parts.flatMap((part) => pathsOf(part)).map((path) => `${name}/${path}`);
}

/** A part of a complex value is of the complex type. */
function useOf({ type, collection }: StructuralProperty): ValueUse {
  return { type: type.kind === 'complex' ? originOf(type) : type, collection };
}
