import type { BoundExpression } from '../scope/bound-tree.ts';
import { badRequest, quote, type Scope } from '../scope/scope.ts';
import { readAs } from '../scope/untyped.ts';
import { isCollection, isGeography, isNumeric } from '../typing/expression-type.ts';
import { structuredType } from '../typing/model-type.ts';

/** What can be added up. */
export function requireNumber(
  method: string,
  found: BoundExpression,
  scope: Scope,
  position: number,
): BoundExpression {
  const expression = readAs(found, 'Edm.Decimal');
  if (!isNumeric(expression.type)) throw unfit(method, 'a number', expression, scope, position);
  return expression;
}

/** What can be told apart. */
export function requireSingle(
  method: string,
  expression: BoundExpression,
  scope: Scope,
  position: number,
): BoundExpression {
  if (isCollection(expression.type)) throw unfit(method, 'a single value', expression, scope, position);
  return expression;
}

/** What has an order. */
export function requireOrdered(
  method: string,
  expression: BoundExpression,
  scope: Scope,
  position: number,
): BoundExpression {
  const { type } = expression;
  const hasNone = isCollection(type) || isGeography(type) || structuredType(scope.model, type) !== undefined;
  if (hasNone) throw unfit(method, 'a primitive value', expression, scope, position);
  return expression;
}

function unfit(
  method: string,
  expected: string,
  { type }: BoundExpression,
  scope: Scope,
  position: number,
): Error {
  return badRequest(scope, position, `${quote(method)} expects ${expected}, found ${type}`);
}
