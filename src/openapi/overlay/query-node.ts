import type { JsonPathQuery } from 'jsonpath-rfc9535/parser';

/** Where a query has arrived. */
export interface QueryNode {
  readonly value: unknown;
  /** The name or the index that leads to it from the node above; both undefined at the root. */
  readonly name: string | number | undefined;
  readonly above: QueryNode | undefined;
}

export type Segments = JsonPathQuery['segments'];

/** The value of what has none, such as of a query that finds nothing (RFC 9535, section 2.3.5.1). */
export const NOTHING: unique symbol = Symbol('nothing');

/** A query that cannot be understood, with the reason in words for its author. */
export class JsonPathMistake extends Error {}
