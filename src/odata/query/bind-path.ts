import type { EntityType, PrimitiveTypeName } from '../../model/edm.ts';
import { comparableType, isReadable } from '../../model/readable-property.ts';
import type { ComplexType, StructuralProperty } from '../../model/structured-type.ts';
import type { NameSegment, PathExpression, PathSegment } from '../url/tree.ts';
import type { BoundExpression } from './bound-tree.ts';
import { PRIMITIVE_TYPES } from './primitive.ts';
import { badRequest, type ComputedProperty, notImplemented, quote, type Scope, spend } from './scope.ts';

/** firstMemberExpr (5.1.1.15): a property, or a computed property, of the entity. */
export function bindPath(path: PathExpression, scope: Scope): BoundExpression {
  if (path.alias !== undefined || (path.root !== undefined && path.root !== '$it')) {
    throw notImplemented(scope, path.position, `a path from ${quote(path.root ?? `@${path.alias}`)}`);
  }
  const [first, ...rest] = withoutTypeCast(path.segments, scope.entityType);
  if (first === undefined) {
    throw badRequest(scope, path.position, 'expected a property, found the entity itself');
  }
  const member = bindComplexMember(first, rest, scope);
  if (member !== undefined) {
    return member;
  }
  const expression = bindFirst(first, scope);
  return rest.reduce<BoundExpression>((found, segment) => bindMember(found, segment, scope), expression);
}

/** A path through single complex values to a primitive one; undefined for any other path. */
function bindComplexMember(
  first: PathSegment,
  rest: readonly PathSegment[],
  scope: Scope,
): BoundExpression | undefined {
  if (first.kind !== 'name' || first.arguments !== undefined) {
    return undefined;
  }
  let property = scope.entityType.structuralProperties.get(first.name);
  const names = [first.name];
  for (const segment of rest) {
    const type = complexTypeOf(property, scope);
    if (type === undefined || segment.kind !== 'name' || segment.arguments !== undefined) {
      return undefined;
    }
    property = memberOf(type, segment, scope);
    names.push(segment.name);
  }
  if (names.length < 2 || property?.type.kind !== 'primitive' || property.collection) {
    return undefined;
  }
  if (!PRIMITIVE_TYPES.has(property.type.name)) {
    return undefined;
  }
  scope.reads.add(first.name);
  const type = property.type.name as PrimitiveTypeName;
  return { kind: 'member', names, type, position: first.position };
}

function complexTypeOf(property: StructuralProperty | undefined, { model }: Scope): ComplexType | undefined {
  const isSingle = property?.type.kind === 'complex' && !property.collection && !property.writeOnly;
  return isSingle ? model.complexTypes.get(property.type.name) : undefined;
}

function memberOf(type: ComplexType, { name, position }: NameSegment, scope: Scope): StructuralProperty {
  const property = type.structuralProperties.get(name);
  if (property !== undefined && isReadable(property)) {
    return property;
  }
  const owner = `${type.namespace}.${type.name}`;
  throw type.open || name.includes('.')
    ? notImplemented(scope, position, `the use of ${quote(name)}`)
    : badRequest(scope, position, `expected a property of ${owner}, found ${quote(name)}`);
}

export function qualifiedName(type: EntityType): string {
  return `${type.namespace}.${type.name}`;
}

/** A cast to the entity's own type changes nothing. */
function withoutTypeCast(segments: readonly PathSegment[], type: EntityType): readonly PathSegment[] {
  const [first] = segments;
  return first?.kind === 'name' && first.name === qualifiedName(type) && first.arguments === undefined
    ? segments.slice(1)
    : segments;
}

function bindFirst(segment: PathSegment, scope: Scope): BoundExpression {
  switch (segment.kind) {
    case 'name':
      return bindName(segment, scope);
    case 'lambda':
      throw badRequest(scope, segment.position, `expected a collection before '${segment.operator}'`);
    default:
      throw notImplemented(scope, segment.position, `${quote(segmentName(segment))} in an expression`);
  }
}

function bindName(segment: NameSegment, scope: Scope): BoundExpression {
  const { name, position } = segment;
  if (segment.arguments !== undefined) {
    throw badRequest(scope, position, `expected a property, found the unknown function ${quote(name)}`);
  }
  const computed = scope.computed.get(name);
  if (computed !== undefined) {
    return useComputed(computed, scope, position);
  }
  const type = comparableType(scope.entityType.structuralProperties.get(name));
  if (type === undefined) {
    throw unknownProperty(name, scope, position);
  }
  scope.reads.add(name);
  return { kind: 'property', name, type, position };
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

/** A name that the type does not have, or one whose values expressions cannot reach yet. */
export function unknownProperty(
  name: string,
  scope: Pick<Scope, 'entityType' | 'target'>,
  position: number,
): Error {
  const { entityType } = scope;
  const structural = entityType.structuralProperties.get(name);
  const exists = structural?.writeOnly === false || entityType.navigationProperties.has(name) === true;
  return exists
    ? notImplemented(scope, position, `the use of ${quote(name)}`)
    : badRequest(
        scope,
        position,
        `expected a property of ${qualifiedName(entityType)}, found ${quote(name)}`,
      );
}

/** A segment behind a value. So far every value is primitive and single, and leads no further. */
function bindMember(owner: BoundExpression, segment: PathSegment, scope: Scope): never {
  const { position } = segment;
  switch (segment.kind) {
    case 'name':
      throw badRequest(
        scope,
        position,
        `expected nothing behind ${owner.type}, found ${quote(segment.name)}`,
      );
    case 'lambda':
      throw badRequest(scope, position, `'${segment.operator}' expects a collection, found ${owner.type}`);
    case 'count':
    case 'filter':
      throw badRequest(
        scope,
        position,
        `'${segmentName(segment)}' expects a collection, found ${owner.type}`,
      );
    default:
      throw notImplemented(scope, position, `${quote(segmentName(segment))} in an expression`);
  }
}

function segmentName(segment: Exclude<PathSegment, NameSegment>): string {
  switch (segment.kind) {
    case 'system':
      return `$${segment.name}`;
    case 'annotation':
      return `@${segment.term}`;
    case 'lambda':
      return segment.operator;
    default:
      return `$${segment.kind}`;
  }
}
