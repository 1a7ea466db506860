/**
 * The value of a property.
 *
 * Edm.String, dates, times, durations, Guid, Binary and enumerations are strings in their OData form;
 * Int64 and Decimal are bigint and string only where a number would not be exact.
 */
export type Value = string | number | bigint | boolean | null | readonly Value[] | Row;

/** Where a value says that its type is derived from the declared one; no JSON shows it. */
export const TYPE: unique symbol = Symbol('duogate.type');

/** Where an entity that was written says which entity tag the upstream has given it; no JSON shows it. */
export const TAG: unique symbol = Symbol('duogate.tag');

/** Where an entity that was created says that the upstream has told its key alone, by its URL; no JSON shows it. */
export const PARTIAL: unique symbol = Symbol('duogate.partial');

/** An entity or a complex value: OData property names to values. Rows are shared: never change one. */
export interface Row {
  readonly [property: string]: Value;
  /** The simple name of the type, where it is derived from the one that the model declares at this place. */
  readonly [TYPE]?: string;
  readonly [TAG]?: string;
  readonly [PARTIAL]?: true;
}

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
