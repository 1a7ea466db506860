import type {
  AggregateItem,
  ComputeItem,
  Expression,
  Node,
  OrderByItem,
  SearchExpression,
} from './expression-tree.ts';

/** A grouping property of `groupby`, or a hierarchy of them in `rollup`. */
export interface GroupingItem extends Node {
  readonly rollup: boolean;
  readonly paths: readonly (readonly string[])[];
}

/** A recursive hierarchy in the grouping properties of `groupby` (Data Aggregation 4.0, 6.3). */
export interface RecursiveGrouping extends Node {
  readonly recursive: HierarchyReference;
  /** Leaves the nodes that count; undefined for all of them. */
  readonly start?: readonly Transformation[];
}

/** A sequence of `nest` or `addnested`, and the alias of its results. */
export interface NestItem {
  readonly alias: string;
  readonly then: readonly Transformation[];
}

/** Nodes of a recursive hierarchy, and the path from an instance to its node (Data Aggregation 4.0, 6.1). */
export interface HierarchyReference extends Node {
  readonly nodes: Expression;
  readonly qualifier: string;
  readonly path: readonly string[];
}

/** One step of `$apply` (Data Aggregation 4.0, section 3). */
export type Transformation =
  | (Node & { readonly kind: 'aggregate'; readonly items: readonly AggregateItem[] })
  | (Node & {
      readonly kind: 'groupby';
      readonly items: readonly (GroupingItem | RecursiveGrouping)[];
      readonly then: readonly Transformation[];
    })
  | (Node & { readonly kind: 'filter'; readonly predicate: Expression })
  | (Node & { readonly kind: 'search'; readonly search: SearchExpression })
  | (Node & { readonly kind: 'compute'; readonly items: readonly ComputeItem[] })
  | (Node & { readonly kind: 'orderby'; readonly items: readonly OrderByItem[] })
  | (Node & { readonly kind: 'top' | 'skip'; readonly count: number })
  | (Node & { readonly kind: 'identity' })
  | (Node & { readonly kind: 'concat'; readonly sequences: readonly (readonly Transformation[])[] })
  | (Node & {
      readonly kind: 'rank';
      readonly method: 'topcount' | 'bottomcount' | 'topsum' | 'bottomsum' | 'toppercent' | 'bottompercent';
      readonly amount: Expression;
      readonly by: Expression;
    })
  | (Node & {
      readonly kind: 'join' | 'outerjoin';
      readonly path: readonly string[];
      readonly alias: string;
      readonly then: readonly Transformation[];
    })
  | (Node & { readonly kind: 'nest'; readonly items: readonly NestItem[] })
  | (Node & {
      readonly kind: 'addnested';
      readonly path: readonly string[];
      readonly items: readonly NestItem[];
    })
  | (Node & {
      readonly kind: 'ancestors' | 'descendants';
      readonly hierarchy: HierarchyReference;
      readonly then: readonly Transformation[];
      /** How many levels away they may be; undefined for any number. */
      readonly distance?: number;
      readonly keepStart: boolean;
    })
  | (Node & {
      readonly kind: 'traverse';
      readonly hierarchy: HierarchyReference;
      readonly order: 'preorder' | 'postorder';
      /** Leaves the nodes that count; undefined for all of them. */
      readonly start?: readonly Transformation[];
      readonly orderBy: readonly OrderByItem[];
    })
  /** A transformation of the grammar that is not evaluated here: a function of the service. */
  | (Node & { readonly kind: 'other'; readonly name: string });
