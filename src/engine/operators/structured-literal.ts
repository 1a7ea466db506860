import type { TypeUse } from '../../model/edm.ts';
import { isA } from '../../model/edm.ts';
import { type BoundExpression, type BoundList, type BoundObject, constant } from '../scope/bound-tree.ts';
import { badRequest, quote, type Scope } from '../scope/scope.ts';
import {
  collectionOf,
  type ExpressionType,
  isCollection,
  isUntyped,
  itemType,
} from '../typing/expression-type.ts';
import { type ModelType, qualifiedName, structuredType, typeOfUse } from '../typing/model-type.ts';
import { castLiteral, commonType } from './coerce.ts';

/** What names the type of a JSON object, in 4.0 and in 4.01 (JSON Format, 4.6.3). */
const TYPE_MEMBERS = ['@odata.type', '@type'];

/**
 * Reads the JSON of a URL as a value of the type that is expected in its place, and string literals as
 * {@link castLiteral} does; leaves everything else alone. JSON that is no such value is a BadRequest.
 */
export function readStructure(
  expression: BoundExpression,
  type: ExpressionType,
  scope: Scope,
): BoundExpression {
  if (expression.kind === 'list') return isCollection(type) ? readItems(expression, type, scope) : expression;
  if (expression.kind !== 'object') return castLiteral(expression, type, scope);
  const target = structuredType(scope.model, type);
  return target === undefined ? expression : readObject(expression, target, scope);
}

function readItems(list: BoundList, type: ExpressionType, scope: Scope): BoundExpression {
  const items = list.items.map((item) => readStructure(item, itemType(type), scope));
  const found = items.reduce(
    (common: ExpressionType, item) => commonType(common, item.type) ?? common,
    'null',
  );
  return { ...list, type: collectionOf(found), items };
}

/** Properties that are left out are null; there are no others but those of an open type. */
function readObject(object: BoundObject, expected: ModelType, scope: Scope): BoundExpression {
  const type = namedType(object, expected, scope);
  const { structuralProperties: properties, open } = type;
  const given = object.members.filter(({ name }) => !name.includes('@'));
  const unknown = given.find(({ name }) => !properties.has(name));
  if (unknown !== undefined && !open) {
    const { name, value } = unknown;
    throw badRequest(
      scope,
      value.position,
      `expected properties of ${qualifiedName(type)}, found ${quote(name)}`,
    );
  }
  const declared = [...properties.values()].map((property) => {
    const member = given.findLast(({ name }) => name === property.name)?.value;
    const value = member ?? constant(null, 'null', object.position);
    return { name: property.name, value: readMember(value, property, scope) };
  });
  const others = given.filter(({ name }) => !properties.has(name));
  const derived = type === expected ? {} : { derived: type.name };
  return { ...object, type: qualifiedName(expected), members: [...declared, ...others], ...derived };
}

function namedType(object: BoundObject, expected: ModelType, scope: Scope): ModelType {
  const member = object.members.find(({ name }) => TYPE_MEMBERS.includes(name))?.value;
  if (member === undefined) return expected;
  const name = member.kind === 'constant' ? String(member.value) : '';
  const type = structuredType(scope.model, name.slice(name.lastIndexOf('#') + 1));
  if (type !== undefined && isA(type, expected)) return type;
  const wanted = `${qualifiedName(expected)} or a type derived from it`;
  throw badRequest(scope, member.position, `expected ${wanted}, found ${quote(name)}`);
}

function readMember(
  member: BoundExpression,
  property: Pick<TypeUse, 'type' | 'collection'>,
  scope: Scope,
): BoundExpression {
  const type = typeOfUse(property);
  const value = readStructure(member, type, scope);
  const fits =
    isUntyped(type) || (value.type === 'Edm.Untyped' ? value.kind !== 'object' : isAlike(type, value.type));
  if (!fits) throw badRequest(scope, member.position, `expected ${type}, found ${member.type}`);
  return value;
}

function isAlike(type: ExpressionType, found: ExpressionType): boolean {
  if (isCollection(type) && isCollection(found)) return isAlike(itemType(type), itemType(found));
  return commonType(type, found) !== undefined;
}

/**
 * Brings two collections to items of one type, or gives undefined where they have none in common: literals
 * in a list become values of the other's type.
 */
export function unifyCollections(
  left: BoundExpression,
  right: BoundExpression,
  scope: Scope,
): readonly [BoundExpression, BoundExpression] | undefined {
  const first = readStructure(left, right.type, scope);
  const second = readStructure(right, left.type, scope);
  const type = commonType(itemType(first.type), itemType(second.type));
  return type === undefined ? undefined : [first, second];
}
