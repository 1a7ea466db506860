import type { PathExpression } from '../tree/expression-tree.ts';

/** Whether a path anywhere within starts at `root`. */
export function readsFrom(root: NonNullable<PathExpression['root']>, node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return false;
  if ('root' in node && node.root === root) return true;
  const within = node instanceof Map ? [...node.values()] : Object.values(node);
  return within.some((each) => readsFrom(root, each));
}
