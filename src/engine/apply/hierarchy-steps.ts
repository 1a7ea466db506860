import type { Row, Value } from '../../contract/row.ts';
import { nestedRow } from '../../contract/row.ts';
import { atOnce, groupedBy, type Pace, rowsAtOnce, type Work } from '../../core/work.ts';
import { bindNames } from '../aggregate/aggregate.ts';
import {
  type BoundHierarchy,
  bindHierarchy,
  bindNodePath,
  type NodeKey,
  rollupNode,
  type Tree,
} from '../aggregate/hierarchy.ts';
import { bindExpression } from '../bind/bind-expression.ts';
import { compileOrder, sortRows } from '../query/order.ts';
import {
  heldMembers,
  instanceType,
  membersOfType,
  readWhole,
  scopeOfResults,
  withDynamic,
} from '../results/result-type.ts';
import { badRequest, type InputSet, type Scope, withValue } from '../scope/scope.ts';
import type { HierarchyReference, RecursiveGrouping, Transformation } from '../tree/query-tree.ts';
import { type ExpressionType, isStructured, typeOfUse } from '../typing/expression-type.ts';
import {
  type ApplyContext,
  type CompiledTransformation,
  mergeInstances,
  mergeMembers,
  overArray,
} from './compiled-transformation.ts';
import { groupingMembers, groupingTree } from './grouping-tree.ts';

type Relatives = Extract<Transformation, { kind: 'ancestors' | 'descendants' }>;
type Traverse = Extract<Transformation, { kind: 'traverse' }>;

/**
 * ancestors, descendants (Data Aggregation 4.0, 6.2.1): the instances whose nodes are above or below those of the
 * instances that a sequence leaves.
 */
export function compileRelatives(
  { kind, hierarchy, then, distance = Number.POSITIVE_INFINITY, keepStart }: Relatives,
  scope: Scope,
  context: ApplyContext,
): CompiledTransformation {
  const { nodes, tree } = boundHierarchy(hierarchy, scope);
  const inner = context.sequence(then, scope);
  const nodeOf = bindNodePath(hierarchy, scope);
  const startOf = bindNodePath(hierarchy, inner.scope);
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
  context: ApplyContext,
): CompiledTransformation {
  const bound = boundHierarchy(hierarchy, scope);
  const nodesOf = restrictedNodes(bound, start, position, context);
  const nodeOf = bindNodePath(hierarchy, scope);
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

/** The hierarchy whose nodes a transformation says. */
function boundHierarchy(hierarchy: HierarchyReference, scope: Scope): BoundHierarchy {
  return bindHierarchy({ ...hierarchy, nodes: bindExpression(hierarchy.nodes, scope) }, scope);
}

/** The nodes of a hierarchy that a sequence of transformations leaves (Data Aggregation 4.0, 6.2, parameter S). */
function restrictedNodes(
  { nodes, scope }: BoundHierarchy,
  start: readonly Transformation[] | undefined,
  position: number,
  context: ApplyContext,
): () => Work<readonly Row[]> {
  if (start === undefined) return () => atOnce(nodes);
  const left = context.sequence(start, scope);
  if (left.scope.instance.type !== scope.instance.type) {
    throw badRequest(
      scope,
      position,
      'expected transformations that leave nodes of the hierarchy as they are',
    );
  }
  return () => left.run(nodes());
}

/** The nodes at that distance at most, level by level: each is looked at once, even where the data is circular. */
function* relatives(
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
function* traversed(
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

/** A hierarchy for grouping, and the variable for its current node. */
interface Rollup {
  readonly grouping: RecursiveGrouping;
  readonly hierarchy: BoundHierarchy;
  readonly node: InputSet;
}

export function bindRollup(grouping: RecursiveGrouping, scope: Scope): Rollup {
  const hierarchy = boundHierarchy(grouping.recursive, scope);
  return { grouping, hierarchy, node: rollupNode(hierarchy, grouping.position) };
}

/**
 * rolluprecursive (Data Aggregation 4.0, 6.3): for each node, applies a step to the instances of the node and
 * its descendants, and adds the identification of the node.
 */
export function rollupRecursive(
  rollup: Rollup,
  step: CompiledTransformation,
  scope: Scope,
  context: ApplyContext,
): CompiledTransformation {
  const { hierarchy, node: current } = rollup;
  const { recursive, start, position } = rollup.grouping;
  const nodesOf = restrictedNodes(hierarchy, start, position, context);
  const nodeOf = bindNodePath(recursive, scope);
  const shown = shownNode(rollup, step.scope, scope, context);
  const pace = scope.current;
  return {
    run: overArray(pace, function* (rows) {
      const tree = yield* hierarchy.tree(yield* nodesOf());
      const places = yield* groupedBy(rows.keys(), pace, (place) => nodeOf(rows[place] ?? {}));
      const results: Row[] = [];
      for (const node of yield* traversed(tree, 'preorder', pace)) {
        const portion = yield* below(node, tree, places, rows, scope);
        const own = tree.nodes.get(node) ?? {};
        const found = yield* current.isAskedFor
          ? withValue(current, own, () => step.run(portion))
          : step.run(portion);
        pace.budget.chargeRows(found.length);
        for (const row of found) results.push(shown.merge(row, own));
      }
      return results;
    }),
    scope: shown.scope,
  };
}

/** The rows of the node and of those below it, in the order that they have. */
function* below(
  node: NodeKey,
  tree: Tree,
  places: ReadonlyMap<NodeKey, readonly number[]>,
  rows: readonly Row[],
  { current }: Scope,
): Work<readonly Row[]> {
  const nodes = yield* relatives('descendants', tree, new Set([node]), Number.POSITIVE_INFINITY, current);
  current.budget.chargeRows(nodes.size);
  const found: number[] = [];
  for (const each of new Set([node, ...nodes])) {
    const own = places.get(each) ?? [];
    // What a deep tree makes many of is charged before it is put together.
    current.budget.chargeRows(own.length);
    for (const place of own) found.push(place);
    if (current.isDue()) yield;
  }
  return found.sort((one, other) => one - other).map((place) => rows[place] ?? {});
}

interface ShownNode {
  readonly merge: (result: Row, node: Row) => Row;
  readonly scope: Scope;
}

/**
 * The representation of the node in results: the whole node if instances are nodes, the related entity if the
 * path leads over a navigation property to a node, and its identifier otherwise (6.2.2.2, the cases of σ).
 */
function shownNode(
  { grouping, hierarchy }: Rollup,
  results: Scope,
  scope: Scope,
  context: ApplyContext,
): ShownNode {
  const { path } = grouping.recursive;
  const nodeType = hierarchy.scope.instance.type;
  const isOwn = path.length === 1 && path[0] === hierarchy.node;
  readWhole(results);
  if (isOwn && scope.instance.type === nodeType) {
    readWhole(hierarchy.scope);
    return {
      merge: (result, node) => ({ ...result, ...node }),
      scope: withResults(hierarchy.scope, results),
    };
  }
  const before = path.slice(0, -1);
  const isRelated =
    path.at(-1) === hierarchy.node && before.length > 0 && typeBehind(before, scope) === nodeType;
  if (isRelated) readWhole(hierarchy.scope);
  const shown = (isRelated ? before : path).filter((name) => !name.includes('.'));
  // What is shown comes from the nodes, so that nothing of it has to be read with the instances.
  const unread: Scope = {
    ...scope,
    nodes: { limit: Number.POSITIVE_INFINITY, used: 0 },
    reads: new Set(),
    related: new Map(),
  };
  const members = groupingMembers(groupingTree([shown], unread), [[shown]], unread, context.types);
  const all = mergeMembers(
    [members, heldMembers(results)],
    'groupby',
    scope,
    context.types,
    grouping.position,
  );
  const shownOf = (node: Row): Value => (isRelated ? node : (node[hierarchy.node] ?? null));
  return {
    merge: (result, node) => mergeInstances(result, nestedRow(shown, shownOf(node))),
    scope: scopeOfResults(scope, context.types.define(instanceType(scope), 'groupby', all)),
  };
}

/** A node that has what was made of its portion, but under names that it has itself. */
function withResults(scope: Scope, results: Scope): Scope {
  const { properties, navigation } = heldMembers(results);
  const own = membersOfType(instanceType(scope));
  const uses = [
    ...[...properties].map(([name, property]) => [name, typeOfUse(property)] as const),
    ...[...navigation].map(
      ([name, { entityType, collection }]) => [name, typeOfUse({ type: entityType, collection })] as const,
    ),
  ];
  return uses
    .filter(([name]) => !own.properties.has(name) && !own.navigation.has(name))
    .reduce((before, [name, type]) => withDynamic(before, name, type), scope);
}

/** The type of the entity that a path leads to; undefined where it leads to none. */
function typeBehind(path: readonly string[], scope: Scope): ExpressionType | undefined {
  const { type } = bindNames(path, 0, scope);
  return isStructured(type) && 'key' in type ? type : undefined;
}
