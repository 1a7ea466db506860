import { type BoundExpression, rowOf } from '../scope/bound-tree.ts';
import type { EntityReads } from '../scope/reads.ts';
import { followNavigation, readsOf } from '../scope/related-reads.ts';
import { badRequest, type ComputedProperty, quote, type Scope } from '../scope/scope.ts';
import { isCombination } from '../typing/combination-type.ts';
import { type ExpressionType, itemType } from '../typing/expression-type.ts';
import { type ModelType, propertiesOf, qualifiedName, structuredType } from '../typing/model-type.ts';
import { dynamicMember, type Members, merged } from './members.ts';
import { heldMembersOfType, isResult, membersOfType, type ResultTypes } from './result-type.ts';

/** The scope of transformations behind one whose results are of the type. Nothing of them has to be fetched. */
export function scopeOfResults(scope: Scope, type: ModelType): Scope {
  return scopeOf(scope, qualifiedName(type), { properties: new Set(), related: new Map() });
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
export function readWhole({ model, instance, reads, related }: Scope): void {
  const type = structuredType(model, instance.type);
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
export function instanceType({ model, instance }: Scope): ModelType {
  const type = structuredType(model, instance.type);
  if (type === undefined) throw new TypeError(`Expected a structured type, found ${instance.type}`);
  return type;
}

/** What names instances have, added properties included. */
export function membersOf(scope: Scope): Members {
  return merged(membersOfType(instanceType(scope)), ...addedMembers(scope));
}

/** What stands in the instances. */
export function heldMembers(scope: Scope): Members {
  return merged(heldMembersOfType(instanceType(scope)), ...addedMembers(scope));
}

/** The properties that transformations have added to the instances. */
export function addedMembers({ model, computed }: Scope): readonly Members[] {
  return [...computed].map(([name, { expression }]) => dynamicMember(model, name, expression.type));
}

/** The qualified name of a type that has all that the instances have, so that others can hold them. */
export function typeOfInstances(scope: Scope, transformation: string, types: ResultTypes): ExpressionType {
  const type = instanceType(scope);
  readWhole(scope);
  return qualifiedName(
    scope.computed.size === 0 ? type : types.extend(type, transformation, heldMembers(scope)),
  );
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
