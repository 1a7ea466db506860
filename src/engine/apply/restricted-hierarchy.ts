import type { Row } from '../../contract/row.ts';
import { atOnce, type Work } from '../../contract/work.ts';
import { type BoundHierarchy, bindHierarchy } from '../aggregate/hierarchy.ts';
import { bindExpression } from '../bind/bind.ts';
import { badRequest, type Scope } from '../scope/scope.ts';
import type { HierarchyReference, Transformation } from '../tree/apply-tree.ts';
import type { Applying } from './step.ts';

/** The hierarchy whose nodes a transformation says. */
export function boundHierarchy(hierarchy: HierarchyReference, scope: Scope): BoundHierarchy {
  return bindHierarchy(
    { ...hierarchy, nodes: bindExpression(hierarchy.nodes, scope) },
    scope,
    bindExpression,
  );
}

/** The nodes of a hierarchy that a sequence of transformations leaves (Data Aggregation 4.0, 6.2, parameter S). */
export function restrictedNodes(
  { nodes, scope }: BoundHierarchy,
  start: readonly Transformation[] | undefined,
  position: number,
  applying: Applying,
): () => Work<readonly Row[]> {
  if (start === undefined) return () => atOnce(nodes);
  const left = applying.sequence(start, scope);
  if (left.scope.instance.type !== scope.instance.type) {
    throw badRequest(
      scope,
      position,
      'expected transformations that leave nodes of the hierarchy as they are',
    );
  }
  return () => left.run(nodes());
}
