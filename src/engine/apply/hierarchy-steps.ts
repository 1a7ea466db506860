import type { Row } from '../../contract/row.ts';
import { groupedBy, rowsAtOnce } from '../../contract/work.ts';
import { bindNodePath, type NodeKey } from '../aggregate/hierarchy.ts';
import { bindExpression } from '../bind/bind.ts';
import { compileOrder } from '../query/order.ts';
import { sortRows } from '../query/sort.ts';
import type { Scope } from '../scope/scope.ts';
import type { Transformation } from '../tree/apply-tree.ts';
import { boundHierarchy, restrictedNodes } from './restricted-hierarchy.ts';
import type { Applying, Step } from './step.ts';
import { relatives, traversed } from './tree-walk.ts';

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

const NO_NODES: ReadonlySet<NodeKey> = new Set();

function isTaken(node: NodeKey, taken: ReadonlySet<NodeKey>, start: ReadonlySet<NodeKey>): boolean {
  return taken.has(node) || start.has(node);
}

/** traverse (Data Aggregation 4.0, 6.2.2): the instances in the order in which their nodes are met from the roots on. */
export function compileTraverse(
  { hierarchy, order, start, orderBy, position }: Traverse,
  scope: Scope,
  applying: Applying,
): Step {
  const bound = boundHierarchy(hierarchy, scope);
  const nodesOf = restrictedNodes(bound, start, position, applying);
  const nodeOf = bindNodePath(hierarchy, scope, bindExpression);
  const sorted = compileOrder(orderBy, [], bound.scope);
  const { current } = scope;
  return {
    *run(rows) {
      const nodes = yield* nodesOf();
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
