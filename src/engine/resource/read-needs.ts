import type { Arguments, ListPart } from '../../contract/entity-source.ts';
import type { RequestBudget } from '../../contract/request-budget.ts';
import type { Row, Rows, Value } from '../../contract/row.ts';
import type { QueryResult } from '../query/pipeline.ts';

/**
 * The options that a list operation applies by the document's declarations: it answers with less, and the rest is
 * applied to that. All options are applied again but those that are marked here.
 */
export interface PushDown {
  /** For the list operation's parameters that filter and order. */
  readonly arguments: Arguments;
  /** The part of the list that `$top` and `$skip` leave; undefined for all of it. */
  readonly part: ListPart | undefined;
  /** `$top` and `$skip` are then done, and `$count` is the total of the list. */
  readonly isPaged: boolean;
  /** `$count` asks for that total. */
  readonly isCounted: boolean;
  /** No option needs all of the list: an answer may begin with a page of it, and lead on from there. */
  readonly goesOn: boolean;
  /** The document describes pages. A list without such a description is mostly whole on its first page. */
  readonly tellsPages: boolean;
}

/** The arguments of a list operation, once for each call; undefined if a filter leaves open a parameter that it must fix. */
export type FixedArguments = readonly Arguments[] | undefined;

/** A condition on one property that each entity of a result meets. */
export type PropertyCondition =
  /** The property has one of the values, none of which is null. */
  | {
      readonly kind: 'in';
      readonly path: readonly string[];
      readonly values: readonly Value[];
      /** The property is an array: one of its elements is one of the values. */
      readonly ofElements?: true;
    }
  /** The property is at least or at most the value. */
  | {
      readonly kind: 'lower' | 'upper';
      readonly path: readonly string[];
      readonly value: Value;
      /** The value itself meets the condition. */
      readonly inclusive: boolean;
    };

/** The first property that a result is sorted by. */
export interface FirstOrder {
  readonly property: string;
  readonly descending: boolean;
}

/** The needs of a query over a collection, from which a plan is made for each read. */
export interface ReadNeeds {
  /** Undefined if the query needs the whole list, as the API returns it. */
  readonly pushed: PushDown | undefined;
  readonly fixed: FixedArguments;
  /** The arguments, one call each, for parameters with a default whose values the query fixes. */
  readonly chosen: FixedArguments;
  /** Every entity of the result has one of these keys: values of the parameters of the read by key. */
  readonly keys: readonly Row[] | undefined;
  /** The keys stand in the query, and not in rows of the API. */
  readonly isWritten: boolean;
  /** Every entity of the result meets all of these. */
  readonly conditions: readonly PropertyCondition[];
  /** The conditions are all that the query demands of an entity. */
  readonly isWholeFilter: boolean;
  readonly order: FirstOrder | undefined;
  /**
   * The rows that are wanted: all of them, or those at some places in the order of the list, or of `$orderby`. Equal ones
   * are then in the order of their keys, so that the pages of a result fit together whichever plans they have.
   */
  readonly places: 'all' | 'listed' | 'sorted';
  /** No option needs entities behind those that are shown. */
  readonly mayEnd: boolean;
  /** The number of entities after which no further one is needed; undefined if all are. */
  readonly end: number | undefined;
  /** The number of entities alone is wanted. */
  readonly isCount: boolean;
  /** That number is wanted with the entities: of a list that is passed on, before its end. */
  readonly isCounted?: boolean;
  /** Selects the rows of a page that meet all conditions; undefined if that takes more than the rows. */
  readonly accept: AcceptRows | undefined;
  /** Runs the query over a list whose rows come portion by portion; undefined if the query needs to hold them. */
  readonly fold?: FoldRows | undefined;
  /**
   * Creates a function that returns, for the accepted rows of each page, whether the read can end; undefined if only the number of rows
   * ends it.
   */
  readonly enough?: (() => (accepted: readonly Row[]) => boolean) | undefined;
  /** Properties that the list lacks and the query reads by key. */
  readonly completed: readonly string[];
}

/** Runs a query over the rows of a long list, which come while it runs. */
export type FoldRows = (budget: RequestBudget, rows: Rows) => Promise<QueryResult>;

export type AcceptRows = (budget: RequestBudget, rows: Rows) => Promise<readonly Row[]>;

/** The selection of a query without conditions. */
export const ALL_ROWS: AcceptRows = (budget, rows) => budget.rows(rows);
