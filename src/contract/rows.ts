import type { Row } from './row.ts';

/**
 * The entities of a list: an array, or rows that are made while they are gone through, and made anew each
 * time. Going through them may fail with the GatewayError that reading them would have failed with.
 */
export interface Rows extends Iterable<Row> {
  readonly length: number;
}

/** All of them at once, for what goes through them more than once or looks at some by their place. */
export function arrayOf(rows: Rows): readonly Row[] {
  return Array.isArray(rows) ? rows : [...rows];
}

/** What the function makes of each of the rows, while somebody goes through them. */
export function mappedRows(rows: Rows, map: (row: Row) => Row): Rows {
  return { length: rows.length, [Symbol.iterator]: () => Iterator.from(rows).map(map) };
}

/** The rows from one place to before another; the same where these are all. */
export function rowsBetween(rows: Rows, begin: number, end: number): Rows {
  if (begin === 0 && end >= rows.length) return rows;
  if (Array.isArray(rows)) return rows.slice(begin, end);
  const length = Math.max(0, Math.min(end, rows.length) - begin);
  return { length, [Symbol.iterator]: () => Iterator.from(rows).drop(begin).take(length) };
}
