import type { CallContext } from './exchange.ts';

/**
 * The value of a property.
 *
 * Edm.String, dates, times, durations, Guid, Binary and enumerations are strings in their OData form;
 * Int64 and Decimal are bigint and string only where a number would not be exact.
 */
export type Value = string | number | bigint | boolean | null | readonly Value[] | Row;

/** An entity or a complex value: OData property names to values. Rows are shared: never change one. */
export interface Row {
  readonly [property: string]: Value;
}

/** Data as it was read from the upstream. */
export interface Snapshot<Data> {
  readonly data: Data;
  /**
   * Names this state of the data: whoever made something of an earlier snapshot with the same version
   * may use it again. Undefined where the source cannot tell.
   */
  readonly version: number | undefined;
}

export interface CollectionRead {
  readonly entitySet: string;
  /** The properties that are needed; the rows have these and no others, in this order. */
  readonly properties: readonly string[];
}

export interface EntityRead extends CollectionRead {
  /** The key's properties and their values, in the order of the model. */
  readonly key: Row;
}

export interface EntityInsert extends CollectionRead {
  /** The body as the client sent it. */
  readonly body: Uint8Array;
}

/**
 * Where the entities come from. Whatever cannot be had is a GatewayError; a source never gives less
 * than all of the data.
 */
export interface EntitySource {
  readCollection(read: CollectionRead, call: CallContext): Promise<Snapshot<readonly Row[]>>;
  /** The entity with that key, or undefined where there is none. */
  readEntity(read: EntityRead, call: CallContext): Promise<Snapshot<Row> | undefined>;
  /** The created entity. What the upstream's answer leaves out is null. */
  insert(insert: EntityInsert, call: CallContext): Promise<Row>;
}
