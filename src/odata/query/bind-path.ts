import type { EntityType } from '../../model/edm.ts';
import type { NameSegment, PathExpression, PathSegment } from '../url/tree.ts';
import type { BoundExpression } from './bound-tree.ts';
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
  const expression = bindFirst(first, scope);
  return rest.reduce<BoundExpression>((found, segment) => bindMember(found, segment, scope), expression);
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
  const property = scope.entityType.properties.get(name);
  if (property === undefined) {
    throw unknownProperty(name, scope, position);
  }
  scope.reads.add(name);
  return { kind: 'property', name, type: property.type, position };
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
  const structural = entityType.structuralProperties?.get(name);
  const exists = structural?.writeOnly === false || entityType.navigationProperties?.has(name) === true;
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
