import type { BindExpression } from '../scope/bind-expression.ts';
import { type BoundExpression, variableOf } from '../scope/bound-tree.ts';
import { badRequest, type InputSet, quote, type Scope } from '../scope/scope.ts';
import type { NameSegment } from '../tree/expression-tree.ts';
import type { BoundHierarchy } from './hierarchy.ts';
import { hierarchyFunction } from './hierarchy-function.ts';

/** What `Aggregation.rollupnode()` stands for while the instances below a node of the hierarchy are transformed. */
export function rollupNode({ scope }: BoundHierarchy, position: number): InputSet {
  const { instance, reads, related, calls } = scope;
  return {
    variable: variableOf(instance.type, position),
    reads: { properties: reads, related, calls },
    isAskedFor: false,
  };
}

/** Whether a name is that of the function that says the node (Data Aggregation 4.0, 6.3). */
export function isRollupNode(name: string): boolean {
  return hierarchyFunction(name) === 'rollupnode';
}

/** Binds `Aggregation.rollupnode(Position=2)`: the node of that one of the `rolluprecursive` around, or of the first. */
export function bindRollupNode(
  { name, arguments: given = [], position }: NameSegment,
  scope: Scope,
  bind: BindExpression,
): BoundExpression {
  const { rollupNodes } = scope;
  if (rollupNodes === undefined) {
    const place = "in what 'groupby' does with the nodes of 'rolluprecursive'";
    throw badRequest(scope, position, `${quote(name)} has a value ${place} alone, found it elsewhere`);
  }
  const [first, ...others] = given;
  const isKnown = others.length === 0 && (first === undefined || first.name === 'Position');
  const node = isKnown ? rollupNodes[numberOf(first && bind(first.value, scope)) - 1] : undefined;
  if (node === undefined) {
    const most = rollupNodes.length === 1 ? '1' : `from 1 to ${rollupNodes.length}`;
    throw badRequest(
      scope,
      position,
      `${quote(name)} expects no parameter or Position, which is ${most} here`,
    );
  }
  node.isAskedFor = true;
  return node.variable;
}

function numberOf(place: BoundExpression | undefined): number {
  if (place === undefined) return 1;
  return place.kind === 'constant' && typeof place.value === 'number' ? place.value : Number.NaN;
}
