import type { Transformation } from './apply-tree.ts';
import type { ComputeItem, Expression, Node, OrderByItem, SearchExpression } from './expression-tree.ts';

/** A path in `$select`: `*`, `Namespace.*`, `Address/City`, with the options in its parentheses. */
export interface SelectItem extends Node {
  readonly path: readonly string[];
  /** The parameters' names of one overload of a function: `Sales.Best(Size,Color)`. */
  readonly parameters?: readonly string[];
  readonly options: SystemQueryOptions | undefined;
}

/** A path in `$expand`, with `/$ref`, `/$count`, `$levels` and nested options. */
export interface ExpandItem extends Node {
  readonly path: readonly string[];
  readonly form: 'entities' | 'ref' | 'count' | 'stream';
  /** `$levels`; of `max`, as many as there may be. */
  readonly levels: number | undefined;
  readonly options: SystemQueryOptions | undefined;
  /** Under which name entities hold what is expanded, where it is not that of the navigation property. */
  readonly alias?: string;
  /** The nested options with `$levels`, each as it was written: `$top=2`. */
  readonly written?: readonly string[];
}

/**
 * The system query options of one resource, or those in the parentheses of `$select` and `$expand`.
 * What was not given is absent.
 */
export interface SystemQueryOptions {
  readonly filter?: Expression;
  readonly orderBy?: readonly OrderByItem[];
  readonly select?: readonly SelectItem[];
  readonly expand?: readonly ExpandItem[];
  readonly search?: SearchExpression;
  readonly compute?: readonly ComputeItem[];
  readonly apply?: readonly Transformation[];
  readonly top?: number;
  readonly skip?: number;
  readonly count?: boolean;
  readonly index?: number;
  readonly format?: string;
  readonly skipToken?: string;
  readonly deltaToken?: string;
  readonly schemaVersion?: string;
  readonly id?: string;
  /** Parameter aliases, `@name=value`, without the sign. One without a value is null (Part 1, 11.2.6.1.3). */
  readonly aliases?: ReadonlyMap<string, Expression>;
}

/** The query of a whole request: its options, its parameter aliases and its custom options. */
export interface QueryOptions extends SystemQueryOptions {
  readonly aliases: ReadonlyMap<string, Expression>;
  /**
   * Names and values that are no system query option (5.2). To be ignored, but for a function's parameters
   * that are given in this way (5.3).
   */
  readonly custom?: ReadonlyMap<string, string>;
}
