import { bindExpression } from '../bind/bind.ts';
import type { BoundExpression } from '../scope/bound-tree.ts';
import { badRequest, type ComputedProperty, notImplemented, quote, type Scope } from '../scope/scope.ts';
import type { ComputeItem } from '../tree/expression-tree.ts';
import { propertiesOf, structuredType, useOfType } from '../typing/model-type.ts';

/**
 * Binds `$compute` (Part 1, 11.2.5.3). Each name can be used by the items behind it and by all other
 * options; it must differ from the names of the properties and from those before it. What the scope has
 * already stays in front.
 */
export function bindCompute(
  items: readonly ComputeItem[],
  scope: Scope,
): ReadonlyMap<string, ComputedProperty> {
  const computed = new Map(scope.computed);
  for (const item of items) {
    requireNewName(item, computed, scope);
    computed.set(item.alias, bindItem(item, { ...scope, computed }));
  }
  return computed;
}

function requireNewName(
  { alias, position }: ComputeItem,
  before: ReadonlyMap<string, ComputedProperty>,
  scope: Scope,
): void {
  // An object cannot have a property of its own with this name by assignment.
  if (alias === '__proto__') {
    throw badRequest(scope, position, `expected a name, found ${quote(alias)}`);
  }
  const type = structuredType(scope.model, scope.instance.type);
  const isTaken =
    type !== undefined && (propertiesOf(type).has(alias) || type.navigationProperties.has(alias));
  if (isTaken || before.has(alias)) {
    throw badRequest(scope, position, `expected a new name, found the taken ${quote(alias)}`);
  }
}

function bindItem(item: ComputeItem, scope: Scope): ComputedProperty {
  const before = scope.nodes.used;
  // What an expression reads counts when the computed property is used.
  const reads = new Set<string>();
  const expression = bindExpression(item.expression, { ...scope, reads });
  requireValue(expression, item, scope);
  return { expression, reads, size: scope.nodes.used - before };
}

/** Entities come from elsewhere than values. */
function requireValue({ type }: BoundExpression, { position }: ComputeItem, scope: Scope): void {
  if (useOfType(type, scope.model).type.kind === 'entity') {
    throw notImplemented(scope, position, `a computed property of type ${type}`);
  }
}
