import type { Pace, Work } from '../../contract/work.ts';
import type { NodeKey, Tree } from '../aggregate/hierarchy.ts';

/** The nodes at that distance at most, level by level: each is looked at once, even where the data leads in a circle. */
export function* relatives(
  kind: 'ancestors' | 'descendants',
  { parentOf, childrenOf }: Tree,
  start: ReadonlySet<NodeKey>,
  distance: number,
  pace: Pace,
): Work<ReadonlySet<NodeKey>> {
  const taken = new Set<NodeKey>();
  let level: readonly NodeKey[] = [...start];
  for (let step = 0; step < distance && level.length > 0; step += 1) {
    const next: NodeKey[] = [];
    for (const node of level) {
      for (const each of kind === 'ancestors' ? [parentOf(node)] : childrenOf(node)) {
        if (each === null || taken.has(each)) continue;
        taken.add(each);
        next.push(each);
      }
      if (pace.isDue()) yield;
    }
    level = next;
  }
  return taken;
}

/** The nodes below the roots, which have no parent. Nothing is called for each level: a tree may be as deep as it has nodes. */
export function* traversed(
  { childrenOf }: Tree,
  order: 'preorder' | 'postorder',
  pace: Pace,
): Work<readonly NodeKey[]> {
  const met: NodeKey[] = [];
  const open: NodeKey[] = [...childrenOf(null)];
  // A node's descendants in postorder are those in preorder with siblings the other way round, reversed.
  if (order === 'preorder') open.reverse();
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    met.push(node);
    const children = childrenOf(node);
    for (const child of order === 'preorder' ? children.toReversed() : children) open.push(child);
    if (pace.isDue()) yield;
  }
  return order === 'preorder' ? met : met.reverse();
}
