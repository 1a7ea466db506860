import { type BoundExpression, constant, type OrderOperator } from '../scope/bound-tree.ts';
import { badRequest, type Scope } from '../scope/scope.ts';
import { readAs } from '../scope/untyped.ts';
import type { BinaryExpression, LogicalOperator, UnaryExpression } from '../tree/expression-tree.ts';
import { type ExpressionType, isFloating } from '../typing/expression-type.ts';
import { bindArithmetic, bindNegation } from './arithmetic.ts';
import { bindComparison } from './bind-comparison.ts';
import { bindHas, bindIn } from './bind-membership.ts';

/** `not` and `-` over a bound operand. */
export function bindUnary(node: UnaryExpression, operand: BoundExpression, scope: Scope): BoundExpression {
  const { operator, position } = node;
  if (operator === 'not') {
    return { kind: 'not', type: 'Edm.Boolean', position, operand: requireBoolean(operand, `'not'`, scope) };
  }
  if (operand.type === 'null') {
    return operand;
  }
  const negation = bindNegation(readAs(operand, 'Edm.Decimal'), scope, position);
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
      return bindHas(left, right, scope, node.position);
    default:
      return bindCalculation(node.operator, left, right, scope, node.position);
  }
}

/** Lets Boolean expressions and the null literal pass. */
export function requireBoolean(found: BoundExpression, who: string, scope: Scope): BoundExpression {
  const expression = readAs(found, 'Edm.Boolean');
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
  const arithmetic = bindArithmetic(
    operator,
    readAs(left, untypedOperand(right.type, operator)),
    readAs(right, untypedOperand(left.type, operator)),
    scope,
    position,
  );
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

/** What a value of no declared type is read as in arithmetic: a number, or what can be added to a date. */
function untypedOperand(other: ExpressionType, operator: string): ExpressionType {
  const isTemporal = other === 'Edm.Date' || other === 'Edm.DateTimeOffset' || other === 'Edm.Duration';
  if (isTemporal && (operator === 'add' || operator === 'sub')) return 'Edm.Duration';
  return isFloating(other) ? other : 'Edm.Decimal';
}
