import type { Value } from '../../contract/row.ts';
import type { EntityType } from '../../model/edm.ts';
import { comparableType } from '../../model/readable-property.ts';
import { filterItems } from '../operators/bind-collection.ts';
import type { BindExpression } from '../scope/bind-expression.ts';
import type { BoundExpression } from '../scope/bound-tree.ts';
import { call } from '../scope/call.ts';
import { badRequest, notImplemented, quote, type Scope } from '../scope/scope.ts';
import type { Argument, Expression, NameSegment, PathSegment } from '../tree/expression-tree.ts';
import { isCollection, itemType } from '../typing/expression-type.ts';
import { qualifiedName, structuredType } from '../typing/model-type.ts';
import { parsePrimitive } from '../values/primitive.ts';

/** The entity of a collection that has the key (Part 2, 4.3); null where there is none. */
export function bindKey(
  collection: BoundExpression,
  { arguments: predicate = [], key, position }: NameSegment,
  scope: Scope,
  bind: BindExpression,
): BoundExpression {
  const type = entityTypeOf(collection, scope);
  if (type === undefined || key !== undefined) throw badRequest(scope, position, 'expected no key');
  const condition = keyCondition(type, predicate, scope, position);
  const found = filterItems(collection, condition, scope, bind);
  return call(
    '$key',
    itemType(collection.type),
    position,
    [found],
    (items: readonly Value[]) => items[0] ?? null,
  );
}

/** The type of the entities in a collection; undefined where it is something else. */
export function entityTypeOf({ type }: BoundExpression, { model }: Scope): EntityType | undefined {
  const found = isCollection(type) ? structuredType(model, itemType(type)) : undefined;
  return found?.kind === 'entity' ? found : undefined;
}

/** That each property of the key has its value: a single one may do without its name (4.3.1). */
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
 * The key that segments behind a collection of entities are, one for each of its parts (4.3.6); undefined where they
 * are something else. The name of a property is none: it is more often meant for `any`.
 */
export function keySegments(
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
