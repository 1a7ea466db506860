import type { FragmentDefinitionNode, GraphQLSchema } from 'graphql';
import type { LimitsOf } from '../../contract/request-limits.ts';
import type { Row } from '../../contract/row.ts';
import type { Expression } from '../../engine/tree/expression-tree.ts';
import type { Face } from './face.ts';

/** A value of an input, with names as GraphQL has them. */
export type Input = Readonly<Record<string, unknown>>;

/** What a document says beside its fields, as a resolver is told of it. */
export interface Asked {
  readonly schema: GraphQLSchema;
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>;
  readonly variableValues: Readonly<Record<string, unknown>>;
}

/** One value that entities are sorted by. */
export interface OrderItem {
  /** The names in the model that lead to it. */
  readonly names: readonly string[];
  /** Its primitive type, or that of the names of an enumeration's members. */
  readonly type: string;
  readonly descending: boolean;
}

/** Cursors of the Relay specification: each says by which values its entity stands where it does in the order. */
export interface Cursors {
  write(ordering: Ordering, row: Row): string;
  /** The condition that entities behind the cursor meet, in that order. One that is not ours, or another list's, is a BadRequest. */
  behind(ordering: Ordering, cursor: unknown, argument: 'after' | 'before'): Expression;
}

/** An order that no two entities share a place in: what the client has asked for, and then the key. */
export interface Ordering {
  /** The list: its type, and what its entities are sorted by. */
  readonly list: string;
  readonly items: readonly OrderItem[];
  /** Where a row has the value of each. */
  readonly names: readonly string[];
}

/** What selections are made into queries with. */
export interface Questions {
  readonly face: Face;
  readonly limits: { readonly url: LimitsOf<'url'> };
  readonly cursors: Cursors;
  readonly asked: Asked;
  /** How many relations this selection lies in. */
  readonly depth: number;
}
