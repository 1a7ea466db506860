import type { Row, Value } from '../../contract/row.ts';

/** An instance with the values of both; values that both have in part are merged, too. */
export function mergeInstances(shared: Row, row: Row): Row {
  const merged: Record<string, Value> = { ...shared };
  for (const name of Object.keys(row)) {
    merged[name] = mergeValues(shared[name], row[name] ?? null);
  }
  return merged;
}

function mergeValues(shared: Value | undefined, value: Value): Value {
  return isInstance(shared) && isInstance(value) ? mergeInstances(shared, value) : value;
}

function isInstance(value: Value | undefined): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Number);
}
