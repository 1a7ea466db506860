import { type Row, TYPE, type Value } from '../../contract/row.ts';
import { type EnumerationType, isA } from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import { orderingOf } from '../compile/compile.ts';
import {
  type BoundExpression,
  badRequest,
  call,
  constant,
  isReadAs,
  type OrderOperator,
  plainValue,
  readAs,
  readsOf,
  type Scope,
} from '../scope/scope.ts';
import type { LogicalOperator } from '../tree/query-tree.ts';
import {
  collectionOf,
  type ExpressionType,
  enumerationOf,
  isCollection,
  isEnumeration,
  isFloating,
  isGeography,
  isNumeric,
  isStructured,
  isUntyped,
  itemType,
  type ModelType,
  propertiesOf,
  structuredOf,
  typeName,
  typeOfUse,
  widerType,
} from '../typing/expression-type.ts';
import { compareDecimals, type DecimalValue } from '../values/decimal.ts';
import { enumerationNumber, isNamedOnce } from '../values/enumeration.ts';
import { isPrimitiveName } from '../values/primitive.ts';
import { commonType, readStructure, unify } from './coerce.ts';

/** `eq` and its like (5.1.1.1.1 to 5.1.1.1.6). */
export function bindComparison(
  operator: OrderOperator,
  one: BoundExpression,
  other: BoundExpression,
  scope: Scope,
  position: number,
): BoundExpression {
  if (one.type === 'null' || other.type === 'null') {
    const known = one.type === 'null' ? other : one;
    assertOrder(operator, known, scope, position);
    return comparison(operator, one, other, known.type, position);
  }
  const left = readStructure(one, other.type, scope);
  const right = readStructure(other, one.type, scope);
  if (isStructure(left) || isStructure(right)) {
    return compareStructures(operator, left, right, scope, position);
  }
  if (isUntyped(left.type) !== isUntyped(right.type)) {
    return bindUntypedComparison(operator, left, right, scope, position);
  }
  const unified = unify(left, right, scope);
  if (unified === undefined) {
    throw operandsDiffer(operator, left, right, scope, position);
  }
  assertOrder(operator, unified.left, scope, position);
  assertComparable(unified.type, operator, scope, position);
  const enumeration = enumerationOf(unified.type);
  return enumeration === undefined
    ? comparison(operator, unified.left, unified.right, unified.type, position)
    : compareMembers(operator, unified.left, unified.right, enumeration, position);
}

/** 5.1.1.1.3 to 5.1.1.1.6: what has no order has none to null, either. */
function assertOrder(
  operator: OrderOperator,
  operand: BoundExpression,
  scope: Scope,
  position: number,
): void {
  if (operator === 'eq' || operator === 'ne') return;
  const { type } = operand;
  if (!isStructure(operand) && type !== 'Edm.Binary' && !isGeography(type)) return;
  throw badRequest(
    scope,
    position,
    `'${operator}' expects values that have an order, found ${typeName(type)}`,
  );
}

function comparison(
  operator: OrderOperator,
  left: BoundExpression,
  right: BoundExpression,
  as: ExpressionType,
  position: number,
): BoundExpression {
  return { kind: 'comparison', type: 'Edm.Boolean', position, operator, left, right, as };
}

/** Enumerations are compared by their numbers, which equal names stand for where no two names share one. */
function compareMembers(
  operator: OrderOperator,
  left: BoundExpression,
  right: BoundExpression,
  type: EnumerationType,
  position: number,
): BoundExpression {
  const isByName = (operator === 'eq' || operator === 'ne') && isNamedOnce(type);
  return isByName
    ? comparison(operator, left, right, 'Edm.String', position)
    : comparison(operator, memberNumber(left, type), memberNumber(right, type), 'Edm.Int64', position);
}

/** The number by which an enumeration's value is compared and sorted. */
export function memberNumber(value: BoundExpression, type: EnumerationType): BoundExpression {
  return call('number', 'Edm.Int64', value.position, [value], enumerationNumber(type));
}

/**
 * A value that only itself tells the type of against one of a known type: where it is of another, it is not
 * equal and has no order, so that it must not be taken for null.
 */
function bindUntypedComparison(
  operator: OrderOperator,
  left: BoundExpression,
  right: BoundExpression,
  scope: Scope,
  position: number,
): BoundExpression {
  const [untyped, other] = isUntyped(left.type) ? [left, right] : [right, left];
  assertOrder(operator, other, scope, position);
  assertComparable(other.type, operator, scope, position);
  const type = untypedOperandOf(other.type);
  const compared = bindComparison(
    operator,
    typedOperand(left, type),
    typedOperand(right, type),
    scope,
    position,
  );
  if (other.kind === 'constant' || (operator !== 'eq' && operator !== 'ne')) {
    return compared;
  }
  const isNull = comparison('eq', untyped, constant(null, 'null', position), 'null', position);
  const fits = logical('or', [isNull, isReadAs(untyped, type)], position);
  const equal = logical('and', [fits, operator === 'eq' ? compared : negated(compared, position)], position);
  return operator === 'eq' ? equal : negated(equal, position);
}

/** What the other operand is read as: any number where this one is a number, an enumeration by its name. */
function untypedOperandOf(type: ExpressionType): ExpressionType {
  if (isNumeric(type)) return widerType('Edm.Decimal', type);
  return !isEnumeration(type) ? type : 'Edm.String';
}

function typedOperand(operand: BoundExpression, type: ExpressionType): BoundExpression {
  const isMember = isEnumeration(operand.type);
  return isMember ? { ...operand, type } : readAs(operand, type);
}

function negated(operand: BoundExpression, position: number): BoundExpression {
  return { kind: 'not', type: 'Edm.Boolean', position, operand };
}

export function logical(
  operator: LogicalOperator,
  operands: readonly BoundExpression[],
  position: number,
): BoundExpression {
  return { kind: 'logical', type: 'Edm.Boolean', position, operator, operands };
}

/** 5.1.1.1: binary and geography can only be compared to null. */
export function assertComparable(
  type: ExpressionType,
  operator: string,
  scope: Scope,
  position: number,
): void {
  if (type === 'Edm.Binary' || isGeography(type)) {
    throw badRequest(
      scope,
      position,
      `'${operator}' compares ${typeName(type)} only to null, found ${typeName(type)}`,
    );
  }
}

/** Whether it is a collection, an entity or a complex value: those are equal or not, and have no order. */
export function isStructure({ kind, type }: BoundExpression): boolean {
  return kind === 'object' || isCollection(type) || isStructured(type);
}

/** `eq` and `ne` of structures (5.1.1.1.1 and 5.1.1.1.2); all other operators are a BadRequest. */
function compareStructures(
  operator: OrderOperator,
  left: BoundExpression,
  right: BoundExpression,
  scope: Scope,
  position: number,
): BoundExpression {
  if (operator !== 'eq' && operator !== 'ne') {
    const found = isStructure(left) ? left.type : right.type;
    throw badRequest(
      scope,
      position,
      `'${operator}' expects values that have an order, found ${typeName(found)}`,
    );
  }
  const as = sharedType(left.type, right.type, scope.model);
  if (as === undefined) throw operandsDiffer(operator, left, right, scope, position);
  for (const operand of [left, right]) noteKey(operand, as, scope);
  const same = equalityOf(as, scope.model);
  return { kind: 'comparison', type: 'Edm.Boolean', position, operator, left, right, as, same };
}

/** The type that both are compared as; undefined where no value of the one can be one of the other. */
function sharedType(left: ExpressionType, right: ExpressionType, model: Model): ExpressionType | undefined {
  if (isUntyped(left) || isUntyped(right)) return 'Edm.Untyped';
  if (isCollection(left) && isCollection(right)) {
    const items = sharedType(itemType(left), itemType(right), model);
    return items && collectionOf(items);
  }
  const [one, other] = [structuredOf(left), structuredOf(right)];
  if (one === undefined || other === undefined) return commonType(left, right);
  if (isA(one, other)) return other;
  return isA(other, one) ? one : undefined;
}

/** Entities are told apart by their keys, which have to be fetched. */
function noteKey(operand: BoundExpression, as: ExpressionType, scope: Scope): void {
  const type = structuredOf(itemType(as));
  if (type === undefined || !('key' in type)) return;
  const reads = readsOf(operand, scope);
  for (const name of type.key) reads?.properties.add(name);
}

export function operandsDiffer(
  operator: string,
  left: BoundExpression,
  right: BoundExpression,
  scope: Scope,
  position: number,
): Error {
  const found = `${typeName(left.type)} and ${typeName(right.type)}`;
  return badRequest(scope, position, `'${operator}' expects operands of one type, found ${found}`);
}

/** Whether two values of a type, neither of them null, are equal. */
export type Same = (left: Value, right: Value) => boolean;

/**
 * `eq` of what is no single primitive value (5.1.1.1.1): entities are equal where they are the same entity,
 * complex values where they have the same structure and the same values, collections where each item is
 * equal to the one at its place. The items of a JSON array have an order.
 */
export function equalityOf(type: ExpressionType, model: Model): Same {
  if (isCollection(type)) return sameItems(equalityOf(itemType(type), model));
  const structured = structuredOf(type);
  if (structured !== undefined) return sameStructure(structured, model);
  const enumeration = enumerationOf(type);
  if (enumeration !== undefined) return sameBy(enumerationNumber(enumeration) as (value: Value) => Value);
  if (isFloating(type)) return sameBy(Number);
  if (isNumeric(type)) {
    return (left, right) => compareDecimals(left as DecimalValue, right as DecimalValue) === 0;
  }
  const { key } = orderingOf(type);
  return isPrimitiveName(type) && key !== undefined ? sameBy(key) : sameJson;
}

function sameBy(key: (value: Value) => Value): Same {
  return (left, right) => key(left) === key(right);
}

/** Null is equal to itself, and only to itself. */
function orBothNull(same: Same, left: Value, right: Value): boolean {
  return left === null || right === null ? left === right : same(left, right);
}

function sameItems(same: Same): Same {
  return (left, right) => {
    const [items, others] = [left as readonly Value[], right as readonly Value[]];
    return (
      items.length === others.length && items.every((item, at) => orBothNull(same, item, others[at] ?? null))
    );
  };
}

function sameStructure(type: ModelType, model: Model): Same {
  const isEntity = 'key' in type && type.key.length > 0;
  const sameMembers = membersEquality(type, model, isEntity ? type.key : undefined);
  return isEntity
    ? sameMembers
    : (left, right) => (left as Row)[TYPE] === (right as Row)[TYPE] && sameMembers(left, right);
}

/** Types may contain themselves: what the members are equal by is found when the first two values are compared. */
function membersEquality(type: ModelType, model: Model, only: readonly string[] | undefined): Same {
  let found: ReadonlyMap<string, Same> | undefined;
  return (left, right) => {
    found ??= equalitiesOf(type, model);
    const [one, other] = [left as Row, right as Row];
    const names = only ?? new Set([...found.keys(), ...Object.keys(one), ...Object.keys(other)]);
    return [...names].every((name) =>
      orBothNull(found?.get(name) ?? sameJson, one[name] ?? null, other[name] ?? null),
    );
  };
}

function equalitiesOf(type: ModelType, model: Model): ReadonlyMap<string, Same> {
  return new Map(
    [...propertiesOf(type)].map(([name, property]) => [name, equalityOf(typeOfUse(property), model)]),
  );
}

/** Values that have no type of the model: numbers by what they amount to, all else by its form. */
function sameJson(left: Value, right: Value): boolean {
  const [one, other] = [plainValue(left), plainValue(right)];
  if (isDecimal(one) && isDecimal(other)) return compareDecimals(one, other) === 0;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return one === other;
  if (Array.isArray(one) || Array.isArray(other)) {
    return Array.isArray(one) && Array.isArray(other) && sameItems(sameJson)(one, other);
  }
  const [row, against] = [one as Row, other as Row];
  return [...new Set([...Object.keys(row), ...Object.keys(against)])].every((name) =>
    orBothNull(sameJson, ownValue(row, name), ownValue(against, name)),
  );
}

function isDecimal(value: Value): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** The names are the client's, and must not reach what objects inherit. */
function ownValue(row: Row, name: string): Value {
  return Object.hasOwn(row, name) ? (row[name] ?? null) : null;
}
