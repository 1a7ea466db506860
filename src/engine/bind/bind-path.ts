import { ownValue, type Value, valueReader } from '../../contract/row.ts';
import { comparableType, type EntityType, isReadable } from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import { bindAggregateFunction } from '../aggregate/aggregate.ts';
import {
  bindHierarchyFunction,
  bindRollupNode,
  hierarchyPredicate,
  isRollupNode,
} from '../aggregate/hierarchy.ts';
import { bindCount, bindFilter, bindLambda, filterItems } from '../operators/bind-operator.ts';
import {
  type BoundExpression,
  type BoundObject,
  type BoundRoot,
  badRequest,
  bind,
  type ComputedProperty,
  call,
  castStructured,
  constant,
  followNavigation,
  notImplemented,
  quote,
  readsOf,
  repeatedCast,
  type Scope,
  spend,
  variableOf,
} from '../scope/scope.ts';
import type {
  Argument,
  Expression,
  LambdaSegment,
  NameSegment,
  PathExpression,
  PathSegment,
} from '../tree/query-tree.ts';
import {
  collectionOf,
  declaredType,
  type ExpressionType,
  isCollection,
  isDynamic,
  isUntyped,
  itemType,
  type ModelType,
  qualifiedName,
  structuredOf,
  structuredType,
  typeName,
  typeOfUse,
} from '../typing/expression-type.ts';
import { parsePrimitive } from '../values/primitive.ts';
import { bindFunctionCall, bindRootCall, dedupeRoot } from './function-calls.ts';

/** firstMemberExpr (5.1.1.15): from the instance, or from what the path names instead, segment by segment. */
export function bindPath(path: PathExpression, scope: Scope): BoundExpression {
  const [start, segments] = startOf(path, scope);
  if (segments.length === 0) return { ...start, position: path.position };
  assertCastOnce(segments, scope);
  return bindSegments(start, segments, scope);
}

/** Refuses a type cast twice in a row, which is a slip: the grammar has one (Part 2, 5.1.1.15). */
function assertCastOnce(segments: readonly PathSegment[], scope: Scope): void {
  const again = segments.find((segment, index) => {
    const before = segments[index - 1];
    const isCast = segment.kind === 'name' && segment.arguments === undefined && segment.name.includes('.');
    return (
      isCast && before?.kind === 'name' && before.name === segment.name && before.arguments === undefined
    );
  });
  if (again?.kind === 'name') throw repeatedCast(again.name, again.position, scope);
}

/** A segment leads on from what the segments before it lead to; a key has one for each of its parts (4.3.6). */
function bindSegments(
  owner: BoundExpression,
  segments: readonly PathSegment[],
  scope: Scope,
): BoundExpression {
  const [segment, ...rest] = segments;
  if (segment === undefined) return owner;
  const type = entityTypeOf(owner);
  const key = type && keySegments(type, segments, scope);
  if (key === undefined || segment.kind !== 'name') {
    return bindSegments(bindSegment(owner, segment, scope), rest, scope);
  }
  const entity = bindKey(owner, { ...segment, arguments: key }, scope);
  return bindSegments(entity, segments.slice(key.length), scope);
}

function startOf(path: PathExpression, scope: Scope): readonly [BoundExpression, readonly PathSegment[]] {
  const { root, alias, segments, position } = path;
  const these = root === '$these' && isAboutAll(segments) ? scope.these : undefined;
  if (these !== undefined) {
    these.isAskedFor = true;
    return [these.variable, segments];
  }
  if (alias !== undefined) return [bind({ kind: 'alias', position, name: alias }, scope), segments];
  if (root === '$root') return bindRoot(path, scope);
  if (root === '$these') {
    throw notImplemented(scope, position, `a path from ${quote(root)}`);
  }
  if (root !== undefined) return [root === '$it' ? scope.it : scope.instance, segments];
  const [first, ...rest] = segments;
  const variable = first?.kind === 'name' ? scope.variables.get(first.name) : undefined;
  return variable === undefined ? [scope.instance, segments] : [variable, rest];
}

/** Whether the path asks something of the instances together, and is not the set itself. */
function isAboutAll([first]: readonly PathSegment[]): boolean {
  return first !== undefined && first.kind !== 'name';
}

function bindSegment(owner: BoundExpression, segment: PathSegment, scope: Scope): BoundExpression {
  switch (segment.kind) {
    case 'name':
      return bindName(owner, segment, scope);
    case 'lambda':
      return bindLambda(owner, segment, scope);
    case 'count':
      return bindCount(owner, segment, scope);
    case 'filter':
      return bindFilter(owner, segment, scope);
    case 'aggregate':
      return bindAggregateFunction(owner, segment, scope);
    default:
      throw notImplemented(scope, segment.position, `${quote(segmentName(segment))} in an expression`);
  }
}

function bindName(owner: BoundExpression, segment: NameSegment, scope: Scope): BoundExpression {
  const { name, position } = segment;
  if (segment.arguments !== undefined) {
    const question = owner === scope.instance ? hierarchyPredicate(name) : undefined;
    if (question !== undefined) return bindHierarchyFunction(question, segment, scope);
    if (owner === scope.instance && isRollupNode(name)) return bindRollupNode(segment, scope);
    return structuredOf(owner.type)?.navigationProperties.get(name)?.collection === true
      ? bindKey(bindProperty(owner, name, scope, position), segment, scope)
      : bindFunctionCall(owner, segment, scope);
  }
  if (!NAME.test(name)) throw badRequest(scope, position, `expected a name, found ${quote(name)}`);
  return name.includes('.')
    ? castStructured(owner, name, scope, position)
    : bindProperty(owner, name, scope, position);
}

/** Texts that are probably names; keys contain other characters. */
const NAME = /^[\p{L}\p{Nl}_][^~-]*$/u;

function segmentName(segment: Exclude<PathSegment, NameSegment | LambdaSegment>): string {
  switch (segment.kind) {
    case 'system':
      return `$${segment.name}`;
    case 'annotation':
      return `@${segment.term}`;
    default:
      return `$${segment.kind}`;
  }
}

/** Binds the start of a path from `$root` (Part 2, 5.1.1.14.5), and returns the rest. */
function bindRoot(
  { segments: [first, ...rest], position }: PathExpression,
  scope: Scope,
): readonly [BoundExpression, readonly PathSegment[]] {
  const imported = first?.kind === 'name' ? scope.model.imports.get(first.name) : undefined;
  if (first?.kind === 'name' && imported?.kind === 'function')
    return [bindRootCall(first, imported, scope), rest];
  const entityType = first?.kind === 'name' ? typeAt(first, scope.model) : undefined;
  if (first?.kind !== 'name' || entityType === undefined) throw unknownRoot(first, scope, position);
  const [keyed, behind] = withKeySegment(first, rest, entityType, scope);
  const root = dedupeRoot(keyed, scope) ?? createRoot(keyed, entityType, scope);
  return [root.variable, behind];
}

/** A key may be the segment behind the name of a set (4.3.6). */
function withKeySegment(
  first: NameSegment,
  rest: readonly PathSegment[],
  type: EntityType,
  scope: Scope,
): readonly [NameSegment, readonly PathSegment[]] {
  const isSet = scope.model.entitySets.has(first.name) && first.arguments === undefined;
  const key = isSet ? keySegments(type, rest, scope) : undefined;
  return key === undefined ? [first, rest] : [{ ...first, arguments: key }, rest.slice(key.length)];
}

function typeAt({ name, arguments: key, key: second }: NameSegment, model: Model): EntityType | undefined {
  if (second !== undefined) return undefined;
  const set = model.entitySets.get(name);
  return set?.entityType ?? (key === undefined ? model.singletons.get(name)?.entityType : undefined);
}

function createRoot(segment: NameSegment, entityType: EntityType, scope: Scope): BoundRoot {
  const { aliases, model } = scope;
  const isCollection = model.entitySets.has(segment.name) && segment.arguments === undefined;
  const root: BoundRoot = {
    read: { segment, aliases, entityType, properties: new Set(), related: new Map(), calls: new Map() },
    variable: variableOf(isCollection ? collectionOf(entityType) : entityType, segment.position),
  };
  scope.roots.push(root);
  return root;
}

function unknownRoot(segment: PathSegment | undefined, scope: Scope, position: number): Error {
  const name = segment?.kind === 'name' ? segment.name : '';
  return badRequest(
    scope,
    position,
    `expected an entity set or a singleton after $root, found ${quote(name)}`,
  );
}

/** The entity of a collection with that key (Part 2, 4.3), or null. */
function bindKey(
  collection: BoundExpression,
  { arguments: predicate = [], key, position }: NameSegment,
  scope: Scope,
): BoundExpression {
  const type = entityTypeOf(collection);
  if (type === undefined || key !== undefined) throw badRequest(scope, position, 'expected no key');
  const condition = keyCondition(type, predicate, scope, position);
  const found = filterItems(collection, condition, scope);
  return call(
    '$key',
    itemType(collection.type),
    position,
    [found],
    (items: readonly Value[]) => items[0] ?? null,
  );
}

/** The type of the entities in a collection; undefined where it is something else. */
function entityTypeOf({ type }: BoundExpression): EntityType | undefined {
  const found = isCollection(type) ? structuredOf(itemType(type)) : undefined;
  return found?.kind === 'entity' ? found : undefined;
}

/** The condition that each property of the key has its value: a single one may do without its name (4.3.1). */
function keyCondition(
  type: EntityType,
  predicate: readonly Argument[],
  scope: Scope,
  position: number,
): Expression {
  const [only] = type.key;
  const named = predicate.map((argument) => ({ ...argument, name: argument.name ?? only }));
  const isWhole = type.key.every((part) => named.some(({ name }) => name === part));
  if (!isWhole || named.length !== type.key.length) throw wrongKey(type, scope, position);
  return named.map((argument) => equals(argument, scope)).reduce(both);
}

function equals({ name = '', value, position }: Argument, scope: Scope): Expression {
  if (value.kind !== 'literal' && value.kind !== 'alias')
    throw notImplemented(scope, position, 'a computed key');
  const segment = { kind: 'name', position, name, arguments: undefined } as const;
  const left = { kind: 'path', position, root: undefined, segments: [segment] } as const;
  return { kind: 'binary', position, operator: 'eq', left, right: value };
}

function both(left: Expression, right: Expression): Expression {
  return { kind: 'binary', position: left.position, operator: 'and', left, right };
}

/**
 * The key in the segments after a collection, one per key property (4.3.6); undefined for other segments.
 * Names of properties do not count, because `any` is probably meant.
 */
function keySegments(
  type: EntityType,
  segments: readonly PathSegment[],
  scope: Scope,
): readonly Argument[] | undefined {
  const [first] = segments;
  if (!isKeyPart(first)) return undefined;
  const { name, position } = first;
  const isMember = type.structuralProperties.has(name) || type.navigationProperties.has(name);
  if (isMember || structuredType(scope.model, name) !== undefined) return undefined;
  if (type.key.length === 0) throw wrongKey(type, scope, position);
  return type.key.map((part, index) => {
    const segment = segments[index];
    if (!isKeyPart(segment)) throw wrongKey(type, scope, position);
    return keyPart(type, part, segment, scope);
  });
}

function isKeyPart(segment: PathSegment | undefined): segment is NameSegment {
  return segment?.kind === 'name' && segment.arguments === undefined;
}

function keyPart(
  type: EntityType,
  part: string,
  { name: text, position }: NameSegment,
  scope: Scope,
): Argument {
  const read = comparableType(type.structuralProperties.get(part)) ?? 'Edm.String';
  if (parsePrimitive(read, text) === undefined) {
    throw badRequest(scope, position, `expected a key of ${qualifiedName(type)}, found ${quote(text)}`);
  }
  // A single one goes without its name: the same key in parentheses is read once with it.
  const name = type.key.length === 1 ? undefined : part;
  return { name, position, value: { kind: 'literal', position, type: read, text } };
}

function wrongKey(type: EntityType, scope: Scope, position: number): Error {
  const key = type.key.join(' and ');
  return badRequest(scope, position, `expected a value for ${key} of ${qualifiedName(type)}, each once`);
}

/** A property of a value, or a computed property of the instance. Behind null there is null (5.1.1.15). */
function bindProperty(owner: BoundExpression, name: string, scope: Scope, position: number): BoundExpression {
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
    : call(name, type, position, [owner], valueReader(name));
}

/** The names of undeclared properties are the client's, and must not reach what objects inherit. */
function dynamicProperty(owner: BoundExpression, name: string, position: number): BoundExpression {
  return call(name, 'Edm.Untyped', position, [owner], (value: Value) => ownValue(value, name));
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

/** Suggests the name in the right case, because names are case-sensitive (Part 2, 5.1). */
function meantProperty({ structuralProperties, navigationProperties }: ModelType, name: string): string {
  const lowerCased = name.toLowerCase();
  const readable = [...structuralProperties.values()].filter(isReadable);
  const meant = [...readable, ...navigationProperties.values()]
    .map((property) => property.name)
    .find((each) => each.toLowerCase() === lowerCased);
  return meant === undefined ? 'a property' : `the property ${quote(meant)}`;
}
