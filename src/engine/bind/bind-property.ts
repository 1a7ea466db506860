import type { Row, Value } from '../../contract/row.ts';
import { isReadable } from '../../model/edm.ts';
import { type BoundExpression, type BoundObject, call, constant } from '../scope/bound-tree.ts';
import {
  badRequest,
  type ComputedProperty,
  followNavigation,
  notImplemented,
  quote,
  readsOf,
  type Scope,
  spend,
} from '../scope/scope.ts';
import {
  declaredType,
  type ExpressionType,
  isCollection,
  isDynamic,
  isUntyped,
  type ModelType,
  qualifiedName,
  structuredOf,
  typeName,
  typeOfUse,
} from '../typing/expression-type.ts';

/** A property of a value, or a computed property of the instance. Behind null there is null (5.1.1.15). */
export function bindProperty(
  owner: BoundExpression,
  name: string,
  scope: Scope,
  position: number,
): BoundExpression {
  const computed = owner === scope.instance ? scope.computed.get(name) : undefined;
  if (computed !== undefined) return useComputed(computed, scope, position);
  if (owner.kind === 'object') return bindMember(owner, name, position);
  const type = structuredOf(owner.type);
  if (type === undefined) return bindBehindValue(owner, name, scope, position);
  const declared = declaredType(type, name);
  if (declared === undefined && !isDynamic(type, name)) throw unknownProperty(name, type, scope, position);
  noteRead(owner, type, name, scope, position);
  return declared === undefined
    ? dynamicProperty(owner, name, position)
    : declaredProperty(owner, name, declared, position);
}

/** A member of a JSON object; what it does not have is null. */
function bindMember({ members }: BoundObject, name: string, position: number): BoundExpression {
  const member = members.findLast((candidate) => candidate.name === name);
  return member === undefined ? constant(null, 'null', position) : { ...member.value, position };
}

/** A property of an entity must be asked for; entities that are related to it are fetched beside it. */
function noteRead(
  owner: BoundExpression,
  type: ModelType,
  name: string,
  scope: Scope,
  position: number,
): void {
  const reads = readsOf(owner, scope);
  const navigation = type.navigationProperties.get(name);
  if (navigation === undefined || navigation.origin.kind === 'embedded') reads?.properties.add(name);
  else if (reads === undefined) throw notImplemented(scope, position, `the use of ${quote(name)}`);
  else followNavigation(reads, navigation);
}

/** A part of the key: also one that has no more than an alias, which expressions cannot name (CSDL 4.01, 6.5). */
export function bindKeyPart(name: string, scope: Scope): BoundExpression {
  const type = structuredOf(scope.instance.type);
  const property = type?.structuralProperties.get(name);
  if (property?.aliasOf === undefined) return bindProperty(scope.instance, name, scope, 0);
  scope.reads.add(name);
  return { kind: 'property', name, type: typeOfUse(property), position: 0 };
}

function declaredProperty(
  owner: BoundExpression,
  name: string,
  type: ExpressionType,
  position: number,
): BoundExpression {
  return owner.kind === 'row'
    ? { kind: 'property', name, type, position }
    : call(name, type, position, [owner], (value: Row) => value[name] ?? null);
}

/** The names of undeclared properties are the client's, and must not reach what objects inherit. */
function dynamicProperty(owner: BoundExpression, name: string, position: number): BoundExpression {
  return call(name, 'Edm.Untyped', position, [owner], (value: Value) =>
    isObject(value) && Object.hasOwn(value, name) ? (value[name] ?? null) : null,
  );
}

function isObject(value: Value): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function useComputed(
  { expression, reads, size }: ComputedProperty,
  scope: Scope,
  position: number,
): BoundExpression {
  spend(scope, size, position);
  for (const name of reads) {
    scope.reads.add(name);
  }
  return { ...expression, position };
}

function bindBehindValue(
  owner: BoundExpression,
  name: string,
  scope: Scope,
  position: number,
): BoundExpression {
  if (isUntyped(owner.type)) return dynamicProperty(owner, name, position);
  const expected = isCollection(owner.type)
    ? `'any', 'all' or '$count' after ${typeName(owner.type)}`
    : `nothing after ${typeName(owner.type)}`;
  throw badRequest(scope, position, `expected ${expected}, found ${quote(name)}`);
}

export function isStream({ structuralProperties }: ModelType, name: string): boolean {
  return structuralProperties.get(name)?.type.name === 'Edm.Stream';
}

/** A name that the type does not have, or one whose values expressions cannot reach yet. */
export function unknownProperty(
  name: string,
  type: ModelType,
  scope: Pick<Scope, 'target'>,
  position: number,
): Error {
  const { writeOnly, aliasOf } = type.structuralProperties.get(name) ?? {};
  const exists = (writeOnly === false && aliasOf === undefined) || type.navigationProperties.has(name);
  if (isStream(type, name)) return notImplemented(scope, position, `the use of the stream ${quote(name)}`);
  if (exists) return notImplemented(scope, position, `the use of ${quote(name)}`);
  const expected = `${meantProperty(type, name)} of ${qualifiedName(type)}`;
  return badRequest(scope, position, `expected ${expected}, found ${quote(name)}`);
}

/** Names are case-sensitive (Part 2, 5.1): whoever errs in the case alone is told the right one. */
function meantProperty({ structuralProperties, navigationProperties }: ModelType, name: string): string {
  const lowerCased = name.toLowerCase();
  const readable = [...structuralProperties.values()].filter(isReadable);
  const meant = [...readable, ...navigationProperties.values()]
    .map((property) => property.name)
    .find((each) => each.toLowerCase() === lowerCased);
  return meant === undefined ? 'a property' : `the property ${quote(meant)}`;
}
