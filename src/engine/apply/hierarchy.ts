import type { Row } from '../../contract/entity-source.ts';
import { groupedBy, type Work } from '../../contract/work.ts';
import { recursiveHierarchies } from '../../model/recursive-hierarchy.ts';
import { bindExpression } from '../bind/bind.ts';
import { requireCollection } from '../bind/bind-collection.ts';
import type { BoundExpression } from '../bind/bound-tree.ts';
import { isCollection, itemType } from '../bind/expression-type.ts';
import { structuredType } from '../bind/model-type.ts';
import { badRequest, notImplemented, quote, type Scope } from '../bind/scope.ts';
import { compileValue } from '../compile/compile.ts';
import type { HierarchyReference } from '../tree/apply-tree.ts';
import { bindNames } from './aggregate.ts';
import { groupKey } from './group-key.ts';
import { scopeOfItems } from './result-scope.ts';

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
  /** What names mean in expressions about a node. */
  readonly scope: Scope;
  /** Its nodes, as they are. */
  readonly nodes: () => readonly Row[];
  readonly tree: (nodes: readonly Row[]) => Work<Tree>;
}

/**
 * Binds the nodes of a recursive hierarchy and its qualifier (Data Aggregation 4.0, 6.1). Each node says which one it
 * is below, so that there is no more than one way up from it; where the data leads in a circle, each node of it counts
 * once, and none of them is below a root.
 */
export function bindHierarchy(
  { nodes, qualifier, position }: HierarchyReference,
  scope: Scope,
): BoundHierarchy {
  const collection = requireCollection(bindExpression(nodes, scope), 'a hierarchy', scope, position);
  const type = structuredType(scope.model, itemType(collection.type));
  const known = type !== undefined && 'key' in type ? recursiveHierarchies(type) : [];
  const hierarchy = known.find((each) => each.qualifier === qualifier);
  if (hierarchy === undefined) throw unknownHierarchy(qualifier, known, scope, position);
  const inner = scopeOfItems(scope, collection);
  const read = (name: string) => keyReader(bindNames([name], position, inner, bindExpression), inner);
  const [nodeOf, parentOf] = [read(hierarchy.node), read(hierarchy.parent)] as const;
  const rows = compileValue(collection);
  const { current } = scope;
  return {
    scope: inner,
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
export function bindNodePath({ path, position }: HierarchyReference, scope: Scope): (row: Row) => NodeKey {
  const found = bindNames(path, position, scope, bindExpression);
  if (isCollection(found.type))
    throw notImplemented(scope, position, 'a path to several nodes of a hierarchy');
  return keyReader(found, scope);
}

function keyReader(expression: BoundExpression, scope: Scope): (row: Row) => NodeKey {
  const value = compileValue(expression);
  const key = groupKey(expression, scope);
  return (row) => {
    const found = value(row);
    return found === null || key === undefined ? found : key(found);
  };
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
