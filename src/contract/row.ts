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
