import type { BinaryExpression, LogicalOperator, UnaryExpression } from '../url/tree.ts';
import { bindArithmetic, bindNegation } from './arithmetic.ts';
import { type BoundExpression, constant, type OrderOperator } from './bound-tree.ts';
import { castLiteral, commonType, promote, unify } from './coerce.ts';
import { type ExpressionType, isCollection } from './expression-type.ts';
import { badRequest, notImplemented, type Scope } from './scope.ts';

/** `not` and `-` over a bound operand. */
export function bindUnary(node: UnaryExpression, operand: BoundExpression, scope: Scope): BoundExpression {
  const { operator, position } = node;
  if (operator === 'not') {
    return { kind: 'not', type: 'Edm.Boolean', position, operand: requireBoolean(operand, `'not'`, scope) };
  }
  if (operand.type === 'null') {
    return operand;
  }
  const negation = bindNegation(operand, scope, position);
  if (negation === undefined) {
    throw badRequest(scope, position, `'-' expects a number or a duration, found ${operand.type}`);
  }
  return negation;
}

/** An operator over bound operands (5.1.1.1 and 5.1.1.2). */
export function bindBinary(
  node: BinaryExpression,
  left: BoundExpression,
  right: BoundExpression,
  scope: Scope,
): BoundExpression {
  switch (node.operator) {
    case 'and':
    case 'or':
      return bindLogical(node.operator, left, right, scope, node.position);
    case 'eq':
    case 'ne':
    case 'gt':
    case 'ge':
    case 'lt':
    case 'le':
      return bindComparison(node.operator, left, right, scope, node.position);
    case 'in':
      return bindIn(left, right, scope, node.position);
    case 'has':
      throw badRequest(scope, node.position, `'has' expects an enumeration, found ${left.type}`);
    default:
      return bindCalculation(node.operator, left, right, scope, node.position);
  }
}

/** Lets Boolean expressions and the null literal pass. */
export function requireBoolean(expression: BoundExpression, who: string, scope: Scope): BoundExpression {
  if (expression.type !== 'Edm.Boolean' && expression.type !== 'null') {
    throw badRequest(scope, expression.position, `${who} expects Edm.Boolean, found ${expression.type}`);
  }
  return expression;
}

function bindLogical(
  operator: LogicalOperator,
  left: BoundExpression,
  right: BoundExpression,
  scope: Scope,
  position: number,
): BoundExpression {
  const first = operandsOf(requireBoolean(left, `'${operator}'`, scope), operator);
  const last = requireBoolean(right, `'${operator}'`, scope);
  return { kind: 'logical', type: 'Edm.Boolean', position, operator, operands: [...first, last] };
}

function operandsOf(expression: BoundExpression, operator: LogicalOperator): readonly BoundExpression[] {
  return expression.kind === 'logical' && expression.operator === operator
    ? expression.operands
    : [expression];
}

function bindComparison(
  operator: OrderOperator,
  left: BoundExpression,
  right: BoundExpression,
  scope: Scope,
  position: number,
): BoundExpression {
  const unified = unify(left, right, scope);
  if (unified === undefined) {
    throw operandsDiffer(operator, left, right, scope, position);
  }
  if (left.type !== 'null' && right.type !== 'null') {
    requireComparable(unified.type, operator, scope, position);
  }
  const operands = { left: unified.left, right: unified.right };
  return { kind: 'comparison', type: 'Edm.Boolean', position, operator, ...operands, as: unified.type };
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

/** 5.1.1.1: binary values can only be compared to null. */
function requireComparable(type: ExpressionType, operator: string, scope: Scope, position: number): void {
  if (isCollection(type)) {
    throw notImplemented(scope, position, `'${operator}' on collections`);
  }
  if (type === 'Edm.Binary') {
    throw badRequest(scope, position, `'${operator}' compares Edm.Binary only to null, found Edm.Binary`);
  }
}

function bindIn(
  left: BoundExpression,
  right: BoundExpression,
  scope: Scope,
  position: number,
): BoundExpression {
  if (right.kind !== 'list') {
    throw badRequest(scope, right.position, `'in' expects a list, found ${right.type}`);
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
  return { kind: 'in', type: 'Edm.Boolean', position, operand: promote(left, type), items, as: type };
}

function bindCalculation(
  operator: Exclude<BinaryExpression['operator'], LogicalOperator | OrderOperator | 'in' | 'has'>,
  left: BoundExpression,
  right: BoundExpression,
  scope: Scope,
  position: number,
): BoundExpression {
  if (left.type === 'null' || right.type === 'null') {
    return constant(null, 'null', position);
  }
  const arithmetic = bindArithmetic(operator, left, right, scope, position);
  if (arithmetic === undefined) {
    const found = `${left.type} and ${right.type}`;
    throw badRequest(
      scope,
      position,
      `'${operator}' expects numbers, or dates and durations, found ${found}`,
    );
  }
  return arithmetic;
}
