import type { BoundExpression } from '../scope/bound-tree.ts';
import { badRequest, type Scope } from '../scope/scope.ts';

export function operandsDiffer(
  operator: string,
  left: BoundExpression,
  right: BoundExpression,
  scope: Scope,
  position: number,
): Error {
  const found = `${left.type} and ${right.type}`;
  return badRequest(scope, position, `'${operator}' expects operands of one type, found ${found}`);
}
