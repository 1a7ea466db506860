import type { Row, Value } from '../../contract/row.ts';
import { orderingOf } from '../compile/compare.ts';
import { scopeOfItems } from '../results/result-scope.ts';
import type { BoundExpression } from '../scope/bound-tree.ts';
import type { Scope } from '../scope/scope.ts';
import type { ExpressionType } from '../typing/expression-type.ts';
import { structuredType } from '../typing/model-type.ts';
import { type DecimalValue, parseDecimal } from '../values/decimal.ts';
import { isPrimitiveName } from '../values/primitive.ts';

/** What a Map tells values apart by. */
export type GroupKey = (value: Value) => unknown;

/**
 * Makes of values what is the same where they are equal, null being equal to itself; undefined where values
 * are told apart as they are. Entities are equal where their keys are, which have to be fetched.
 */
export function groupKey(expression: BoundExpression, scope: Scope): GroupKey | undefined {
  const { type } = expression;
  if (type === 'Edm.Decimal') return decimalKey;
  if (isPrimitiveName(type)) return orderedKey(type);
  const structured = structuredType(scope.model, type);
  if (structured === undefined || !('key' in structured) || structured.key.length === 0) return structuredKey;
  const { reads } = scopeOfItems(scope, expression);
  for (const name of structured.key) reads.add(name);
  return entityKey(structured.key);
}

function orderedKey(type: ExpressionType): GroupKey | undefined {
  const { key } = orderingOf(type);
  return key && ((value) => (value === null ? null : key(value)));
}

function entityKey(names: readonly string[]): GroupKey {
  return (value) => {
    const row = value as Row | null;
    return row && structuredKey(names.map((name) => row[name] ?? null));
  };
}

/** The same number has one form only: digits that a double holds are a double. */
function decimalKey(value: Value): Value {
  return typeof value === 'number' ? value : (parseDecimal(String(value as DecimalValue)) ?? null);
}

/** Members of enumerations are told apart by their names, structured values by all that they have. */
function structuredKey(value: Value): Value {
  if (value === null || typeof value !== 'object') return value;
  return JSON.stringify(value, (_, member: unknown) => (typeof member === 'bigint' ? `${member}n` : member));
}
