import type { BoundExpression } from '../scope/bound-tree.ts';
import { call } from '../scope/call.ts';
import { badRequest, type Scope } from '../scope/scope.ts';
import type { ArithmeticOperator } from '../tree/expression-tree.ts';
import { isNumeric, widerType } from '../typing/expression-type.ts';
import { promote } from './coerce.ts';
import { negateDuration, temporalOperation } from './date-arithmetic.ts';
import { type Failure, negation, numericOperation } from './numeric-arithmetic.ts';

/**
 * An arithmetic operator over bound operands (5.1.1.2), or undefined where it has no meaning for their
 * types. Evaluation is a BadRequest at the operator where a result is beyond its type, and for a division
 * by zero that is not one of doubles.
 */
export function bindArithmetic(
  operator: ArithmeticOperator,
  left: BoundExpression,
  right: BoundExpression,
  scope: Scope,
  position: number,
): BoundExpression | undefined {
  const fail = failureAt(scope, position);
  if (isNumeric(left.type) && isNumeric(right.type)) {
    const common = widerType(left.type, right.type);
    const { type, evaluate } = numericOperation(operator, common, fail);
    return call(operator, type, position, [promote(left, common), promote(right, common)], evaluate);
  }
  const operation = temporalOperation(operator, left.type, right.type, fail);
  return operation && call(operator, operation.type, position, [left, right], operation.evaluate);
}

/** `-x` (5.1.1.2.3), or undefined where that has no meaning. */
export function bindNegation(
  operand: BoundExpression,
  scope: Scope,
  position: number,
): BoundExpression | undefined {
  if (operand.type === 'Edm.Duration') {
    return call('negate', operand.type, position, [operand], negateDuration);
  }
  if (!isNumeric(operand.type)) {
    return undefined;
  }
  const { type, evaluate } = negation(operand.type, failureAt(scope, position));
  return call('negate', type, position, [operand], evaluate);
}

function failureAt(scope: Scope, position: number): Failure {
  return (message) => {
    throw badRequest(scope, position, message);
  };
}
