import type { Row, Value } from '../../contract/row.ts';
import type { Rows } from '../../contract/rows.ts';
import type { Pace, Work } from '../../contract/work.ts';
import { compileValue } from '../compile/compile.ts';
import type { BoundExpression } from '../scope/bound-tree.ts';
import type { Scope } from '../scope/scope.ts';
import { type Accumulator, gatheredAll, type NewGroupAccumulator } from './accumulator.ts';
import { groupKey } from './group-key.ts';

/** What is made of the rows that are equal in all grouping properties, in the order of their first rows. */
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
  const readers = properties.map((property) => keyReader(property, scope));
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

function keyReader(property: BoundExpression, scope: Scope): ReadKey {
  const read: (row: Row) => Value = compileValue(property);
  const key = groupKey(property, scope);
  return key === undefined ? read : (row) => key(read(row));
}
