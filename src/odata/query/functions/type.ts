import type { CallExpression, Expression } from '../../url/tree.ts';
import type { BoundExpression } from '../bound-tree.ts';
import { notImplemented, type Scope } from '../scope.ts';

export function isTypeFunction(name: string): boolean {
  return name === 'cast' || name === 'isof';
}

export function bindTypeFunction(
  node: CallExpression,
  scope: Scope,
  _bind: (node: Expression, scope: Scope) => BoundExpression,
): BoundExpression {
  throw notImplemented(scope, node.position, node.name);
}
