import type { Value } from '../../contract/row.ts';
import type { ComparisonOperator, LogicalOperator } from '../tree/expression-tree.ts';
import type { ExpressionType } from '../typing/expression-type.ts';
import type { CurrentRun } from '../values/current-run.ts';

/**
 * Expressions whose names are resolved and whose types are checked.
 *
 * Where the parser's tree holds text, this one holds values and properties of the model, so that
 * compiling it cannot fail. Positions are those of the text that the expression was parsed from.
 */
interface BoundNode {
  readonly type: ExpressionType;
  readonly position: number;
}

export interface BoundConstant extends BoundNode {
  readonly kind: 'constant';
  readonly value: Value;
}

interface BoundProperty extends BoundNode {
  readonly kind: 'property';
  readonly name: string;
}

/** The row itself. */
interface BoundRow extends BoundNode {
  readonly kind: 'row';
}

/** What a variable stands for while items are gone through: runs are synchronous, so one place is enough. */
export interface Cell {
  value: Value;
}

/** The item of a collection that an inner expression is about, or the row around nested options. */
export interface BoundVariable extends BoundNode {
  readonly kind: 'variable';
  readonly cell: Cell;
  /** The collection whose items it stands for. */
  readonly of?: BoundExpression;
}

/** `any` and `all` (5.1.1.13): null where the collection is. */
export interface BoundLambda extends BoundNode {
  readonly kind: 'lambda';
  readonly operator: 'any' | 'all';
  readonly collection: BoundExpression;
  readonly variable: BoundVariable;
  readonly predicate: BoundExpression;
  /** What is charged with the items that are gone through. */
  readonly current: CurrentRun;
}

/** The items of a collection that a condition is true for. */
export interface BoundFilter extends BoundNode {
  readonly kind: 'filter';
  readonly collection: BoundExpression;
  readonly variable: BoundVariable;
  readonly predicate: BoundExpression;
  /** What is charged with the items that are gone through. */
  readonly current: CurrentRun;
}

export interface BoundList extends BoundNode {
  readonly kind: 'list';
  readonly items: readonly BoundExpression[];
}

/** A JSON object of the URL: Edm.Untyped until a value of a structured type is expected in its place. */
export interface BoundObject extends BoundNode {
  readonly kind: 'object';
  readonly members: readonly { readonly name: string; readonly value: BoundExpression }[];
  /** The simple name of its type, where that is derived from the expected one. */
  readonly derived?: string;
}

interface BoundNot extends BoundNode {
  readonly kind: 'not';
  readonly operand: BoundExpression;
}

/** A chain of the same operator is one node: `a or b or c` has three operands. */
export interface BoundLogical extends BoundNode {
  readonly kind: 'logical';
  readonly operator: LogicalOperator;
  readonly operands: readonly BoundExpression[];
}

export type OrderOperator = Exclude<ComparisonOperator, 'has' | 'in'>;

export interface BoundComparison extends BoundNode {
  readonly kind: 'comparison';
  readonly operator: OrderOperator;
  readonly left: BoundExpression;
  readonly right: BoundExpression;
  /** The type that both operands are compared as. */
  readonly as: ExpressionType;
  /** For `eq` and `ne` of what has no order: whether two values that are not null are the same. */
  readonly same?: (left: Value, right: Value) => boolean;
}

export interface BoundIn extends BoundNode {
  readonly kind: 'in';
  readonly operand: BoundExpression;
  readonly items: readonly BoundExpression[];
  readonly as: ExpressionType;
}

/**
 * What a call does with its arguments, none of which is null: a call with a null argument is null.
 *
 * Binding has checked the types of the arguments, so implementations state those they need.
 */
export type Evaluate = (first: never, second: never, third: never) => Value;

/** An arithmetic operator, a canonical function or a conversion. */
export interface BoundCall extends BoundNode {
  readonly kind: 'call';
  readonly name: string;
  readonly arguments: readonly BoundExpression[];
  readonly evaluate: Evaluate;
}

/** 5.1.1.12: the value of the first branch whose condition is true, else null. */
export interface BoundCase extends BoundNode {
  readonly kind: 'case';
  readonly branches: readonly { readonly condition: BoundExpression; readonly value: BoundExpression }[];
}

export type BoundExpression =
  | BoundConstant
  | BoundProperty
  | BoundRow
  | BoundVariable
  | BoundLambda
  | BoundFilter
  | BoundList
  | BoundObject
  | BoundNot
  | BoundLogical
  | BoundComparison
  | BoundIn
  | BoundCall
  | BoundCase;

export function constant(value: Value, type: ExpressionType, position: number): BoundConstant {
  return { kind: 'constant', value, type: value === null ? 'null' : type, position };
}

export function rowOf(type: ExpressionType): BoundExpression {
  return { kind: 'row', type, position: 0 };
}

export function variableOf(type: ExpressionType, position: number): BoundVariable {
  return { kind: 'variable', type, position, cell: { value: null } };
}

/** The variable for the items of a collection, which are of that type. */
export function itemOf(collection: BoundExpression, type: ExpressionType, position: number): BoundVariable {
  return { ...variableOf(type, position), of: collection };
}
