import type { EnumerationType } from '../../model/structured-type.ts';
import type { LogicalOperator } from '../url/tree.ts';
import { type BoundExpression, constant, type OrderOperator, variableOf } from './bound-tree.ts';
import { call } from './call.ts';
import { castLiteral, commonType, promote, unify } from './coerce.ts';
import { enumerationNumber, hasFlags, isNamedOnce } from './enumeration.ts';
import {
  type ExpressionType,
  isCollection,
  isGeography,
  isNumeric,
  isUntyped,
  itemType,
  widerType,
} from './expression-type.ts';
import { enumerationType, structuredType } from './model-type.ts';
import { badRequest, notImplemented, type Scope } from './scope.ts';
import { isReadAs, readAs } from './untyped.ts';

/** `eq` and its like (5.1.1.1.1 to 5.1.1.1.6). */
export function bindComparison(
  operator: OrderOperator,
  left: BoundExpression,
  right: BoundExpression,
  scope: Scope,
  position: number,
): BoundExpression {
  if (left.type === 'null' || right.type === 'null') {
    return comparison(operator, left, right, left.type === 'null' ? right.type : left.type, position);
  }
  if (isUntyped(left.type) !== isUntyped(right.type)) {
    return bindUntypedComparison(operator, left, right, scope, position);
  }
  const unified = unify(left, right, scope);
  if (unified === undefined) {
    throw operandsDiffer(operator, left, right, scope, position);
  }
  requireComparable(unified.type, operator, scope, position);
  const enumeration = enumerationType(scope.model, unified.type);
  return enumeration === undefined
    ? comparison(operator, unified.left, unified.right, unified.type, position)
    : compareMembers(operator, unified.left, unified.right, enumeration, position);
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

function logical(
  operator: LogicalOperator,
  operands: readonly BoundExpression[],
  position: number,
): BoundExpression {
  return { kind: 'logical', type: 'Edm.Boolean', position, operator, operands };
}

function operandsDiffer(
  operator: string,
  left: BoundExpression,
  right: BoundExpression,
  scope: Scope,
  position: number,
): Error {
  const found = `${left.type} and ${right.type}`;
  return badRequest(scope, position, `'${operator}' expects operands of one type, found ${found}`);
}

/** 5.1.1.1: binary, geography and structured values can only be compared to null. */
function requireComparable(type: ExpressionType, operator: string, scope: Scope, position: number): void {
  if (isCollection(type)) {
    throw notImplemented(scope, position, `'${operator}' on collections`);
  }
  const isStructured = structuredType(scope.model, type) !== undefined;
  if (type === 'Edm.Binary' || isGeography(type) || isStructured) {
    throw badRequest(scope, position, `'${operator}' compares ${type} only to null, found ${type}`);
  }
}

/** `has` (5.1.1.1.10): null where an operand is. */
export function bindHas(
  left: BoundExpression,
  right: BoundExpression,
  scope: Scope,
  position: number,
): BoundExpression {
  const type = left.type === 'null' ? right.type : left.type;
  const enumeration = enumerationType(scope.model, type);
  if (enumeration === undefined) {
    throw badRequest(scope, position, `'has' expects an enumeration, found ${left.type}`);
  }
  const flags = castLiteral(right, type, scope);
  if (commonType(left.type, flags.type) === undefined) {
    throw operandsDiffer('has', left, flags, scope, position);
  }
  const operands = [memberNumber(left, enumeration), memberNumber(flags, enumeration)];
  return call('has', 'Edm.Boolean', position, operands, hasFlags);
}

/** `in` (5.1.1.1.12): one of a list, or of the items of a collection. */
export function bindIn(
  left: BoundExpression,
  right: BoundExpression,
  scope: Scope,
  position: number,
): BoundExpression {
  if (right.kind !== 'list') {
    return bindInCollection(left, readAs(right, 'Collection(Edm.Untyped)'), scope, position);
  }
  if (isUntyped(left.type) || right.items.some(({ type }) => isUntyped(type))) {
    const equal = right.items.map((item) => bindComparison('eq', left, item, scope, item.position));
    return logical('or', [constant(false, 'Edm.Boolean', position), ...equal], position);
  }
  const type = right.items.reduce((common, item) => {
    const shared = commonType(common, castLiteral(item, left.type, scope).type);
    if (shared === undefined || isCollection(shared)) {
      throw operandsDiffer('in', left, item, scope, item.position);
    }
    return shared;
  }, left.type);
  requireComparable(type, 'in', scope, position);
  const items = right.items.map((item) => promote(castLiteral(item, left.type, scope), type));
  return inList(promote(left, type), items, type, scope, position);
}

function inList(
  operand: BoundExpression,
  items: readonly BoundExpression[],
  as: ExpressionType,
  { model }: Scope,
  position: number,
): BoundExpression {
  const enumeration = enumerationType(model, as);
  const node = { kind: 'in', type: 'Edm.Boolean', position } as const;
  return enumeration === undefined
    ? { ...node, operand, items, as }
    : {
        ...node,
        operand: memberNumber(operand, enumeration),
        items: items.map((item) => memberNumber(item, enumeration)),
        as: 'Edm.Int64',
      };
}

function bindInCollection(
  left: BoundExpression,
  collection: BoundExpression,
  scope: Scope,
  position: number,
): BoundExpression {
  if (!isCollection(collection.type)) {
    throw badRequest(scope, collection.position, `'in' expects a list, found ${collection.type}`);
  }
  const variable = variableOf(itemType(collection.type), position);
  const predicate = bindComparison('eq', left, variable, scope, position);
  return { kind: 'lambda', type: 'Edm.Boolean', position, operator: 'any', collection, variable, predicate };
}
