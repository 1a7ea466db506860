import type { Row, Rows, Value } from '../../contract/row.ts';
import { finished, type Pace, type Work } from '../../core/work.ts';
import { compileValue, orderingOf } from '../compile/compile.ts';
import { scopeOfItems } from '../results/result-type.ts';
import type { BoundExpression, Scope } from '../scope/scope.ts';
import { type ExpressionType, structuredOf } from '../typing/expression-type.ts';
import { type DecimalValue, parseDecimal } from '../values/decimal.ts';
import { isPrimitiveName } from '../values/primitive.ts';

/** Reduces each group of rows with equal grouping properties to a result, in the order of the first rows. */
export type Groups<Result> = (rows: Rows) => Work<readonly Result[]>;

type ReadKey = (row: Row) => unknown;

/**
 * Compiles the splitting of rows into groups: one pass, with a Map for each grouping property within that
 * of the one before it, so that no keys have to be put together.
 */
export function compileGroups<Result>(
  properties: readonly BoundExpression[],
  scope: Scope,
  gather: NewGroupAccumulator<Result>,
): Groups<Result> {
  const readers = properties.map((property) => groupKeyReader(property, scope));
  const last = readers.pop();
  const pace = scope.current;
  if (last === undefined) return (rows) => ungrouped(rows, gather, pace);
  return function* (rows) {
    const groups: Accumulator<Result>[] = [];
    const root = new Map<unknown, unknown>();
    for (const row of rows) {
      let inner = root;
      for (const read of readers) inner = child(inner, read(row));
      const leaf = inner as Map<unknown, Accumulator<Result>>;
      const key = last(row);
      let group = leaf.get(key);
      if (group === undefined) {
        group = gather(row);
        pace.budget.keep();
        leaf.set(key, group);
        groups.push(group);
      }
      group.add(row);
      if (pace.isDue()) yield;
    }
    return yield* gatheredAll(groups, pace);
  };
}

function* ungrouped<Result>(
  rows: Rows,
  gather: NewGroupAccumulator<Result>,
  pace: Pace,
): Work<readonly Result[]> {
  let group: Accumulator<Result> | undefined;
  for (const row of rows) {
    group ??= gather(row);
    group.add(row);
    if (pace.isDue()) yield;
  }
  return yield* gatheredAll(group === undefined ? [] : [group], pace);
}

function child(map: Map<unknown, unknown>, key: unknown): Map<unknown, unknown> {
  const known = map.get(key) as Map<unknown, unknown> | undefined;
  if (known !== undefined) return known;
  const created = new Map<unknown, unknown>();
  map.set(key, created);
  return created;
}

/** Reads of a row what {@link groupKey} makes of an expression's value. */
export function groupKeyReader(property: BoundExpression, scope: Scope): ReadKey {
  const read: (row: Row) => Value = compileValue(property);
  const key = groupKey(property, scope);
  return key === undefined ? read : (row) => key(read(row));
}

/** Maps a value to a key for a Map. */
export type GroupKey = (value: Value) => unknown;

/**
 * Maps equal values to equal keys, and null to itself; undefined if values need no mapping. Entities are
 * equal if their keys are, which have to be fetched.
 */
export function groupKey(expression: BoundExpression, scope: Scope): GroupKey | undefined {
  const { type } = expression;
  if (type === 'Edm.Decimal') return decimalKey;
  if (isPrimitiveName(type)) return orderedKey(type);
  const structured = structuredOf(type);
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

/** The one form of a number that may come in several: digits that a double holds are a double. */
function decimalKey(value: Value): Value {
  return typeof value === 'number' ? value : (parseDecimal(String(value as DecimalValue)) ?? null);
}

/** Members of enumerations are compared by name, structured values by all members. */
function structuredKey(value: Value): Value {
  if (value === null || typeof value !== 'object') return value;
  return JSON.stringify(value, (_, member: unknown) => (typeof member === 'bigint' ? `${member}n` : member));
}

/** Makes one result of rows that come one after the other, and that it need not keep. */
export interface Accumulator<Result> {
  add(row: Row): void;
  result(): Result;
  /** Makes the result in steps, where that may take long. */
  readonly work?: (() => Work<Result>) | undefined;
}

/** Begins with no rows. */
export type NewAccumulator<Result> = () => Accumulator<Result>;

/** Begins a group, with no rows either: the row that will be its first is given for what all of them share. */
export type NewGroupAccumulator<Result> = (first: Row) => Accumulator<Result>;

export function* gathered<Result>(gather: NewAccumulator<Result>, rows: Rows, pace: Pace): Work<Result> {
  const gathering = gather();
  for (const row of rows) {
    gathering.add(row);
    if (pace.isDue()) yield;
  }
  const { work } = gathering;
  return work === undefined ? gathering.result() : yield* work();
}

/** The results of all groups. */
export function* gatheredAll<Result>(
  groups: readonly Accumulator<Result>[],
  pace: Pace,
): Work<readonly Result[]> {
  const results: Result[] = [];
  for (const group of groups) {
    const { work } = group;
    results.push(work === undefined ? group.result() : yield* work());
    if (pace.isDue()) yield;
  }
  return results;
}

/** An accumulator for what can only be made of all rows at once. */
export function gatherRows<Result>(resultOf: (rows: readonly Row[]) => Work<Result>): NewAccumulator<Result> {
  return () => {
    const rows: Row[] = [];
    const work = () => resultOf(rows);
    return { add: (row) => void rows.push(row), result: () => finished(work()), work };
  };
}

export function gatherThen<Inner, Result>(
  gather: NewAccumulator<Inner>,
  resultOf: (result: Inner) => Result,
): NewAccumulator<Result> {
  return () => gatheringThen(gather(), resultOf);
}

/** Transforms the result of an accumulator. */
export function gatheringThen<Inner, Result>(
  { add, result, work }: Accumulator<Inner>,
  resultOf: (result: Inner) => Result,
): Accumulator<Result> {
  return { add, result: () => resultOf(result()), work: work && (() => mappedWork(work(), resultOf)) };
}

export function* mappedWork<Inner, Result>(
  work: Work<Inner>,
  resultOf: (result: Inner) => Result,
): Work<Result> {
  return resultOf(yield* work);
}
