import type { Row, Value } from '../../../contract/entity-source.ts';
import type { BoundExpression } from '../bind/bound-tree.ts';
import type { Scope } from '../bind/scope.ts';
import { compileValue } from '../compile/compile.ts';
import { groupKey } from './group-key.ts';

/** The rows that are equal in all grouping properties, in the order of their first rows. */
export type GroupRows = (rows: readonly Row[]) => readonly (readonly Row[])[];

type ReadKey = (row: Row) => unknown;

/**
 * Compiles the splitting of rows into groups: one pass, with a Map for each grouping property within that
 * of the one before it, so that no keys have to be put together.
 */
export function compileGroupRows(properties: readonly BoundExpression[], scope: Scope): GroupRows {
  const readers = properties.map((property) => keyReader(property, scope));
  const last = readers.pop();
  if (last === undefined) return (rows) => (rows.length === 0 ? [] : [rows]);
  return (rows) => {
    const groups: Row[][] = [];
    const root = new Map<unknown, unknown>();
    for (const row of rows) {
      let inner = root;
      for (const read of readers) inner = child(inner, read(row));
      const leaf = inner as Map<unknown, Row[]>;
      const key = last(row);
      const group = leaf.get(key);
      if (group === undefined) {
        const started = [row];
        leaf.set(key, started);
        groups.push(started);
      } else group.push(row);
    }
    return groups;
  };
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
