import type { PrimitiveTypeName } from '../../model/edm.ts';

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
   * Names and all their values that are no system query option (5.2). To be ignored, but for a function's parameters
   * that are given in this way (5.3).
   */
  readonly custom?: ReadonlyMap<string, readonly string[]>;
}

/**
 * The trees that the parsers make of a URL (OData 4.01 Part 2 and its ABNF).
 *
 * They hold names as they were written and know no model: binding names is the query's work. Every
 * node has the position of its first character in the decoded text that it was parsed from.
 */
interface Node {
  readonly position: number;
}

/** The types that a literal's form alone can tell. */
export type LiteralType =
  | PrimitiveTypeName
  | 'Edm.Geography'
  | 'Edm.Geometry'
  | 'null'
  /** A duration, enumeration member or the like with its type's name in front: `Sales.Pattern'Yellow'`. */
  | 'qualified';

/**
 * primitiveLiteral. Numbers get the narrowest type that holds them: Int32, Int64, Decimal, then Double.
 */
export interface Literal extends Node {
  readonly kind: 'literal';
  readonly type: LiteralType;
  /** The literal's value: quotes and prefixes are gone, doubled quotes are single. */
  readonly text: string;
  /** The name in front of a `qualified` literal. */
  readonly typeName?: string;
}

/** listExpr and the JSON arrays of parameter aliases. */
export interface ListExpression extends Node {
  readonly kind: 'list';
  readonly items: readonly Expression[];
}

/** A JSON object, as the value of a parameter alias or of a function's parameter. */
export interface ObjectExpression extends Node {
  readonly kind: 'object';
  readonly members: readonly { readonly name: string; readonly value: Expression }[];
}

/** A parameter alias, `@name`. */
export interface AliasExpression extends Node {
  readonly kind: 'alias';
  readonly name: string;
}

/** firstMemberExpr: where it starts, and the segments that lead on from there. */
export interface PathExpression extends Node {
  readonly kind: 'path';
  /** Undefined: the instance itself, or a lambda variable where the first name is one. */
  readonly root: '$it' | '$this' | '$these' | '$root' | undefined;
  /** The name of the parameter alias that the path starts at, as in `@p/Name`. */
  readonly alias?: string;
  readonly segments: readonly PathSegment[];
}

export type UnaryOperator = 'not' | 'negate';

export interface UnaryExpression extends Node {
  readonly kind: 'unary';
  readonly operator: UnaryOperator;
  readonly operand: Expression;
}

export type ComparisonOperator = 'eq' | 'ne' | 'gt' | 'ge' | 'lt' | 'le' | 'has' | 'in';
export type ArithmeticOperator = 'add' | 'sub' | 'mul' | 'div' | 'divby' | 'mod';
export type LogicalOperator = 'and' | 'or';
export type BinaryOperator = ComparisonOperator | ArithmeticOperator | LogicalOperator;

/** Its position is that of the operator, which is what an error about it points at. */
export interface BinaryExpression extends Node {
  readonly kind: 'binary';
  readonly operator: BinaryOperator;
  readonly left: Expression;
  readonly right: Expression;
}

/** A canonical function. Its name is in lower case: 4.01 allows any. */
export interface CallExpression extends Node {
  readonly kind: 'call';
  readonly name: string;
  readonly arguments: readonly Expression[];
}

/** The type that `cast` and `isof` name. */
export interface TypeExpression extends Node {
  readonly kind: 'type';
  readonly name: string;
  readonly collection: boolean;
}

/** `case(condition:value,…)`, 5.1.1.12. */
export interface CaseExpression extends Node {
  readonly kind: 'case';
  readonly branches: readonly { readonly condition: Expression; readonly value: Expression }[];
}

export type Expression =
  | Literal
  | ListExpression
  | ObjectExpression
  | AliasExpression
  | PathExpression
  | UnaryExpression
  | BinaryExpression
  | CallExpression
  | TypeExpression
  | CaseExpression;

/** `name=value` in a key or in a function's parameters; without a name for a single key or key-as-segment. */
export interface Argument extends Node {
  readonly name: string | undefined;
  readonly value: Expression;
}

/**
 * A name in a path: property, navigation property, entity set, type cast, function, action or lambda
 * variable, whichever the model says.
 *
 * In a resource path it may be a key or an ordinal instead (4.3.6, 4.10), and then any text.
 */
export interface NameSegment extends Node {
  readonly kind: 'name';
  /** With its namespace where that was written. */
  readonly name: string;
  /** The content of parentheses: a key or parameters. `()` is an empty list. */
  readonly arguments: readonly Argument[] | undefined;
  /** The key in a second pair of parentheses, into what a function returns: `Best(Size=3)(1)`. */
  readonly key?: readonly Argument[];
}

/** `any` and `all`, 5.1.1.13. `any()` has neither variable nor predicate. */
export interface LambdaSegment extends Node {
  readonly kind: 'lambda';
  readonly operator: 'any' | 'all';
  readonly variable: string | undefined;
  readonly predicate: Expression | undefined;
}

/** `/$count`, with `$filter` and `$search` in parentheses. */
export interface CountSegment extends Node {
  readonly kind: 'count';
  readonly filter: Expression | undefined;
  readonly search: SearchExpression | undefined;
}

/** `/$filter(…)` of a resource path or of an expression (5.1.1.15, 4.12). */
export interface FilterSegment extends Node {
  readonly kind: 'filter';
  readonly predicate: Expression;
  /** The key of one of the accepted entities, in a resource path: `$filter(Size gt 3)(1)`. */
  readonly key?: readonly Argument[];
}

/** An annotation: `@Core.Messages`, `@Measures.Unit#qualifier`. */
export interface AnnotationSegment extends Node {
  readonly kind: 'annotation';
  readonly term: string;
}

/** `$value`, `$ref`, `$each`, `$query` and their like, without the dollar sign. */
export interface SystemSegment extends Node {
  readonly kind: 'system';
  readonly name: 'value' | 'ref' | 'each' | 'query';
}

/** `/aggregate(…)` in an expression (Data Aggregation 4.0, section 5.1): one aggregate without alias. */
interface AggregateSegment extends Node {
  readonly kind: 'aggregate';
  readonly item: AggregateItem;
}

export type PathSegment =
  | NameSegment
  | LambdaSegment
  | AggregateSegment
  | CountSegment
  | FilterSegment
  | AnnotationSegment
  | SystemSegment;

/** searchExpr, 5.1.8. A phrase is a term, too. */
export type SearchExpression =
  | (Node & { readonly kind: 'term'; readonly text: string })
  | (Node & { readonly kind: 'searchNot'; readonly operand: SearchExpression })
  | (Node & {
      readonly kind: 'searchAnd' | 'searchOr';
      readonly left: SearchExpression;
      readonly right: SearchExpression;
    });

export interface OrderByItem extends Node {
  readonly expression: Expression;
  readonly descending: boolean;
}

export interface ComputeItem extends Node {
  readonly expression: Expression;
  readonly alias: string;
}

/** An aggregate of `$apply`: a path or expression, the method, and the alias of the result. */
export interface AggregateItem extends Node {
  /** `$count` has neither expression nor method; a custom aggregate has only a path. */
  readonly expression: Expression | undefined;
  readonly method: string | undefined;
  readonly from: readonly AggregateFrom[];
  readonly alias: string | undefined;
}

/** `from A with method`: a step of aggregation on the way to the total. */
export interface AggregateFrom {
  readonly property: readonly string[];
  /** Further properties of the same step: `from A,B with method`. */
  readonly more?: readonly (readonly string[])[];
  readonly method: string | undefined;
}

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
      /** Maximum distance in levels; undefined for no limit. */
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
