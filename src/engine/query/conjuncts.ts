import type { Expression } from '../tree/expression-tree.ts';

/** The conditions that are joined by `and`: all of them must be true. */
export function conjuncts(expression: Expression): readonly Expression[] {
  if (expression.kind !== 'binary' || expression.operator !== 'and') return [expression];
  return [...conjuncts(expression.left), ...conjuncts(expression.right)];
}
