import type { Row, Value } from '../../contract/entity-source.ts';
import type { PrimitiveTypeName } from '../../model/edm.ts';
import { readableProperties } from '../../model/readable-property.ts';
import type { ComputeItem } from '../url/tree.ts';
import { bindExpression } from './bind.ts';
import { compileValue } from './compile.ts';
import type { Evaluator } from './evaluator.ts';
import { isCollection } from './expression-type.ts';
import { badRequest, type ComputedProperty, notImplemented, quote, type Scope } from './scope.ts';

/**
 * Binds `$compute` (Part 1, 11.2.5.3). Each name can be used by the items behind it and by all other
 * options; it must differ from the names of the properties and from those before it.
 */
export function bindCompute(
  items: readonly ComputeItem[],
  scope: Scope,
): ReadonlyMap<string, ComputedProperty> {
  const computed = new Map<string, ComputedProperty>();
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
  if (before.has(alias) || readableProperties(scope.entityType).has(alias)) {
    throw badRequest(scope, position, `expected a new name, found the taken ${quote(alias)}`);
  }
}

function bindItem(item: ComputeItem, scope: Scope): ComputedProperty {
  const before = scope.budget.used;
  // What an expression reads counts when the computed property is used.
  const reads = new Set<string>();
  const expression = bindExpression(item.expression, { ...scope, reads });
  if (isCollection(expression.type)) {
    throw notImplemented(scope, item.position, 'a computed collection');
  }
  return { expression, reads, size: scope.budget.used - before };
}

/** The type of a computed property's values; those of the null literal count as strings. */
export function computedType({ expression }: ComputedProperty): PrimitiveTypeName {
  return expression.type === 'null' ? 'Edm.String' : (expression.type as PrimitiveTypeName);
}

/** Adds computed properties to copies of rows. */
export function compileExtension(computed: ReadonlyMap<string, ComputedProperty>): (row: Row) => Row {
  const evaluators: readonly (readonly [string, Evaluator])[] = [...computed].map(
    ([name, { expression }]) => [name, compileValue(expression)],
  );
  return (row) => {
    const extended: Record<string, Value> = { ...row };
    for (const [name, value] of evaluators) {
      extended[name] = value(row);
    }
    return extended;
  };
}
