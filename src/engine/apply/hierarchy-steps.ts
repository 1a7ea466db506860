import type { Row } from '../../contract/entity-source.ts';
import { groupedBy, type Pace, rowsAtOnce, type Work } from '../../contract/work.ts';
import { bindExpression } from '../bind/bind.ts';
import { notImplemented, type Scope } from '../bind/scope.ts';
import { compileOrder } from '../query/order.ts';
import { sortRows } from '../query/sort.ts';
import type { HierarchyReference, Transformation } from '../tree/apply-tree.ts';
import { type BoundHierarchy, bindHierarchy, bindNodePath, type NodeKey, type Tree } from './hierarchy.ts';
import type { Applying, Step } from './step.ts';

type Relatives = Extract<Transformation, { kind: 'ancestors' | 'descendants' }>;
type Traverse = Extract<Transformation, { kind: 'traverse' }>;

/**
 * ancestors, descendants (Data Aggregation 4.0, 6.2.1): the instances whose nodes are above or below those of the
 * instances that a sequence leaves.
 */
export function compileRelatives(
  { kind, hierarchy, then, distance = Number.POSITIVE_INFINITY, keepStart }: Relatives,
  scope: Scope,
  applying: Applying,
): Step {
  const { nodes, tree } = boundHierarchy(hierarchy, scope);
  const inner = applying.sequence(then, scope);
  const nodeOf = bindNodePath(hierarchy, scope, bindExpression);
  const startOf = bindNodePath(hierarchy, inner.scope, bindExpression);
  const { current } = scope;
  return {
    *run(rows) {
      const all = yield* rowsAtOnce(rows, current);
      const found = yield* tree(nodes());
      const start = new Set((yield* inner.run(all)).map(startOf).filter((node) => found.nodes.has(node)));
      const taken = yield* relatives(kind, found, start, distance, current);
      return all.filter((row) => isTaken(nodeOf(row), taken, keepStart ? start : NO_NODES));
    },
    scope,
  };
}

/** The hierarchy whose nodes the transformation says. */
function boundHierarchy(hierarchy: HierarchyReference, scope: Scope): BoundHierarchy {
  return bindHierarchy(
    { ...hierarchy, nodes: bindExpression(hierarchy.nodes, scope) },
    scope,
    bindExpression,
  );
}

const NO_NODES: ReadonlySet<NodeKey> = new Set();

function isTaken(node: NodeKey, taken: ReadonlySet<NodeKey>, start: ReadonlySet<NodeKey>): boolean {
  return taken.has(node) || start.has(node);
}

/** The nodes at that distance at most, level by level: each is looked at once, even where the data leads in a circle. */
function* relatives(
  kind: Relatives['kind'],
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

/** traverse (Data Aggregation 4.0, 6.2.2): the instances in the order in which their nodes are met from the roots on. */
export function compileTraverse(
  { hierarchy, order, start, orderBy, position }: Traverse,
  scope: Scope,
): Step {
  if (start !== undefined) throw notImplemented(scope, position, "a sequence of start nodes of 'traverse'");
  const bound = boundHierarchy(hierarchy, scope);
  const nodeOf = bindNodePath(hierarchy, scope, bindExpression);
  const sorted = compileOrder(orderBy, [], bound.scope);
  const { current } = scope;
  return {
    *run(rows) {
      const nodes = bound.nodes();
      const inOrder =
        sorted === undefined ? nodes : yield* sortRows(nodes, [sorted.first, ...sorted.rest], current);
      const tree = yield* bound.tree(inOrder);
      const instances = yield* groupedBy(rows, current, nodeOf);
      const met: Row[] = [];
      for (const node of yield* traversed(tree, order, current)) {
        for (const instance of instances.get(node) ?? []) met.push(instance);
      }
      return met;
    },
    scope,
  };
}

/** The nodes below the roots, which have no parent. Nothing is called for each level: a tree may be as deep as it has nodes. */
function* traversed({ childrenOf }: Tree, order: Traverse['order'], pace: Pace): Work<readonly NodeKey[]> {
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
