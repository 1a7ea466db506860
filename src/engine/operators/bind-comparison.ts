import type { EnumerationType } from '../../model/edm.ts';
import { type BoundExpression, constant, type OrderOperator } from '../scope/bound-tree.ts';
import { call } from '../scope/call.ts';
import { badRequest, type Scope } from '../scope/scope.ts';
import { isReadAs, readAs } from '../scope/untyped.ts';
import type { LogicalOperator } from '../tree/expression-tree.ts';
import {
  type ExpressionType,
  isGeography,
  isNumeric,
  isUntyped,
  widerType,
} from '../typing/expression-type.ts';
import { enumerationType } from '../typing/model-type.ts';
import { enumerationNumber, isNamedOnce } from '../values/enumeration.ts';
import { compareStructures, isStructure } from './bind-equality.ts';
import { unify } from './coerce.ts';
import { operandsDiffer } from './operands-differ.ts';
import { readStructure } from './structured-literal.ts';

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
    demandOrder(operator, known, scope, position);
    return comparison(operator, one, other, known.type, position);
  }
  const left = readStructure(one, other.type, scope);
  const right = readStructure(other, one.type, scope);
  if (isStructure(left, scope) || isStructure(right, scope)) {
    return compareStructures(operator, left, right, scope, position);
  }
  if (isUntyped(left.type) !== isUntyped(right.type)) {
    return bindUntypedComparison(operator, left, right, scope, position);
  }
  const unified = unify(left, right, scope);
  if (unified === undefined) {
    throw operandsDiffer(operator, left, right, scope, position);
  }
  demandOrder(operator, unified.left, scope, position);
  requireComparable(unified.type, operator, scope, position);
  const enumeration = enumerationType(scope.model, unified.type);
  return enumeration === undefined
    ? comparison(operator, unified.left, unified.right, unified.type, position)
    : compareMembers(operator, unified.left, unified.right, enumeration, position);
}

/** 5.1.1.1.3 to 5.1.1.1.6: what has no order has none to null, either. */
function demandOrder(
  operator: OrderOperator,
  operand: BoundExpression,
  scope: Scope,
  position: number,
): void {
  if (operator === 'eq' || operator === 'ne') return;
  const { type } = operand;
  if (!isStructure(operand, scope) && type !== 'Edm.Binary' && !isGeography(type)) return;
  throw badRequest(scope, position, `'${operator}' expects values that have an order, found ${type}`);
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
  demandOrder(operator, other, scope, position);
  requireComparable(other.type, operator, scope, position);
  const type = untypedOperandOf(other.type, scope);
  const compared = bindComparison(
    operator,
    typedOperand(left, type, scope),
    typedOperand(right, type, scope),
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
function untypedOperandOf(type: ExpressionType, { model }: Scope): ExpressionType {
  if (isNumeric(type)) return widerType('Edm.Decimal', type);
  return enumerationType(model, type) === undefined ? type : 'Edm.String';
}

function typedOperand(operand: BoundExpression, type: ExpressionType, { model }: Scope): BoundExpression {
  const isMember = enumerationType(model, operand.type) !== undefined;
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
export function requireComparable(
  type: ExpressionType,
  operator: string,
  scope: Scope,
  position: number,
): void {
  if (type === 'Edm.Binary' || isGeography(type)) {
    throw badRequest(scope, position, `'${operator}' compares ${type} only to null, found ${type}`);
  }
}
