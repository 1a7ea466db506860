import type { Row, Value } from '../../contract/row.ts';
import { groupedBy, type Work } from '../../contract/work.ts';
import { recursiveHierarchies } from '../../model/recursive-hierarchy.ts';
import { compileValue } from '../compile/compile.ts';
import { requireCollection } from '../operators/bind-collection.ts';
import { scopeOfItems } from '../results/result-scope.ts';
import type { BindExpression } from '../scope/bind-expression.ts';
import type { BoundExpression } from '../scope/bound-tree.ts';
import { badRequest, notImplemented, quote, type Scope } from '../scope/scope.ts';
import type { HierarchyReference } from '../tree/apply-tree.ts';
import { isCollection, itemType } from '../typing/expression-type.ts';
import { structuredType } from '../typing/model-type.ts';
import { bindNames } from './aggregate.ts';
import { groupKey } from './group-key.ts';

/** What tells a node of a hierarchy apart from the others; null where there is none. */
export type NodeKey = unknown;

/** The nodes of a hierarchy in one run. A parent that is not among the nodes is none. */
export interface Tree {
  readonly nodes: ReadonlyMap<NodeKey, Row>;
  readonly parentOf: (node: NodeKey) => NodeKey;
  /** In the order that the nodes have. */
  readonly childrenOf: (node: NodeKey) => readonly NodeKey[];
}

/** A hierarchy that a transformation names, compiled. */
export interface BoundHierarchy {
  /** The name of the property that tells nodes apart. */
  readonly node: string;
  /** What names mean in expressions about a node. */
  readonly scope: Scope;
  /** Its nodes, as they are. */
  readonly nodes: () => readonly Row[];
  /** What a value of the property that identifies nodes is told apart by. */
  readonly keyOf: (value: Value) => NodeKey;
  readonly tree: (nodes: readonly Row[]) => Work<Tree>;
}

/** Nodes, and the hierarchy of their type that is meant. */
interface NamedHierarchy extends Pick<HierarchyReference, 'qualifier' | 'position'> {
  readonly nodes: BoundExpression;
}

/**
 * Compiles the tree that nodes of a recursive hierarchy make (Data Aggregation 4.0, 6.1). Each node says which one it
 * is below, so that there is no more than one way up from it; where the data leads in a circle, each node of it counts
 * once, and none of them is below a root.
 */
export function bindHierarchy(
  { nodes, qualifier, position }: NamedHierarchy,
  scope: Scope,
  bind: BindExpression,
): BoundHierarchy {
  const collection = requireCollection(nodes, 'a hierarchy', scope, position);
  const type = structuredType(scope.model, itemType(collection.type));
  const known = type !== undefined && 'key' in type ? recursiveHierarchies(type) : [];
  const hierarchy = known.find((each) => each.qualifier === qualifier);
  if (hierarchy === undefined) throw unknownHierarchy(qualifier, known, scope, position);
  const inner = scopeOfItems(scope, collection);
  const read = (name: string) => keyReader(bindNames([name], position, inner, bind), inner);
  const [nodeOf, parentOf] = [read(hierarchy.node), read(hierarchy.parent)] as const;
  const rows = compileValue(collection);
  const { current } = scope;
  return {
    node: hierarchy.node,
    scope: inner,
    keyOf: keyOfValues(bindNames([hierarchy.node], position, inner, bind), inner),
    nodes: () => (rows({}) ?? []) as readonly Row[],
    *tree(found) {
      current.budget.chargeRows(found.length);
      const byKey = new Map<NodeKey, Row>();
      for (const row of found) {
        byKey.set(nodeOf(row), row);
        if (current.isDue()) yield;
      }
      const parent = (node: NodeKey): NodeKey => {
        const row = byKey.get(node);
        const above = row === undefined ? undefined : parentOf(row);
        return byKey.has(above) ? above : null;
      };
      const children = yield* groupedBy(byKey.keys(), current, parent);
      return { nodes: byKey, parentOf: parent, childrenOf: (node) => children.get(node) ?? [] };
    },
  };
}

/** Binds the path from an instance to the node that it belongs to. */
export function bindNodePath(
  { path, position }: HierarchyReference,
  scope: Scope,
  bind: BindExpression,
): (row: Row) => NodeKey {
  const found = bindNames(path, position, scope, bind);
  if (isCollection(found.type))
    throw notImplemented(scope, position, 'a path to several nodes of a hierarchy');
  return keyReader(found, scope);
}

/** What tells nodes apart, read by an expression. */
function keyReader(expression: BoundExpression, scope: Scope): (row: Row) => NodeKey {
  const value = compileValue(expression);
  const key = keyOfValues(expression, scope);
  return (row) => key(value(row));
}

function keyOfValues(expression: BoundExpression, scope: Scope): (value: Value) => NodeKey {
  const key = groupKey(expression, scope);
  return (value) => (value === null || key === undefined ? value : key(value));
}

function unknownHierarchy(
  qualifier: string,
  known: readonly { readonly qualifier: string }[],
  scope: Scope,
  position: number,
): Error {
  const names = known.map((each) => quote(each.qualifier)).join(', ');
  const expected = names === '' ? 'entities that have a parent of their own type' : `the hierarchy ${names}`;
  return badRequest(scope, position, `expected ${expected}, found ${quote(qualifier)}`);
}
