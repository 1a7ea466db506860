import type { BoundExpression } from './bound-tree.ts';

/** Whether a part of the expression, or all of it, is such a node. */
export function someExpression(
  expression: BoundExpression,
  isSuch: (node: BoundExpression) => boolean,
): boolean {
  return someWithin(expression, isSuch);
}

/** How many nodes the expression has, itself included. */
export function countNodes(expression: BoundExpression): number {
  let count = 0;
  someExpression(expression, () => {
    count += 1;
    return false;
  });
  return count;
}

function someWithin(part: unknown, isSuch: (node: BoundExpression) => boolean): boolean {
  if (typeof part !== 'object' || part === null) return false;
  if (isNode(part) && isSuch(part)) return true;
  // What a variable stands for is a value and no expression.
  return Object.entries(part).some(([name, member]) => name !== 'cell' && someWithin(member, isSuch));
}

function isNode(part: object): part is BoundExpression {
  return 'kind' in part && 'type' in part && 'position' in part;
}
