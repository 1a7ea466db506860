import type { Value } from '../../contract/row.ts';
import type { BindExpression } from '../scope/bind-expression.ts';
import { type BoundExpression, constant } from '../scope/bound-tree.ts';
import { call } from '../scope/call.ts';
import { badRequest, type Scope } from '../scope/scope.ts';
import type { CallExpression } from '../tree/expression-tree.ts';

/**
 * isdefined (Data Aggregation 4.0, 5.2): whether an instance has the property, be it null. Instances of
 * different levels of a rollup, or of different parts of a concat, have different properties.
 */
export function bindIsDefined(
  { arguments: [path], position }: CallExpression,
  scope: Scope,
  bind: BindExpression,
): BoundExpression {
  const last = path?.kind === 'path' ? path.segments.at(-1) : undefined;
  if (path?.kind !== 'path' || last?.kind !== 'name') {
    throw badRequest(scope, position, `'isdefined' expects a path to a property`);
  }
  const { name } = last;
  const owner = bind({ ...path, segments: path.segments.slice(0, -1) }, scope);
  const property = bind(path, scope);
  const yes = constant(true, 'Edm.Boolean', position);
  // What $compute adds is not in the row, and always there.
  if (owner.kind === 'row' && !isInRow(property, name)) return yes;
  const left = call('has', 'Edm.Boolean', position, [owner], (value: Value) => has(value, name));
  return {
    kind: 'comparison',
    type: 'Edm.Boolean',
    position,
    operator: 'eq',
    left,
    right: yes,
    as: 'Edm.Boolean',
  };
}

function isInRow(property: BoundExpression, name: string): boolean {
  return property.kind === 'property' && property.name === name;
}

function has(value: Value, name: string): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name);
}
