import type { Value } from '../../contract/row.ts';

import type { CallableImport, EntityType, NavigationProperty } from '../../model/edm.ts';
import type { ComparisonOperator, Expression, LogicalOperator, NameSegment } from '../tree/query-tree.ts';
import {
  type ExpressionType,
  isCollection,
  isFloating,
  isInteger,
  isNumeric,
  isUntyped,
} from '../typing/expression-type.ts';
import { isPrimitiveName, parsePrimitive } from '../values/primitive.ts';
import type { CurrentRun } from '../values/query-run.ts';

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

interface BoundConstant extends BoundNode {
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

/** What expressions read of an entity, and of the entities that it is related to. */
export interface EntityReads {
  /** Names of structural properties, undeclared ones among them. */
  readonly properties: Set<string>;
  readonly related: Map<string, RelatedReads>;
  /** The functions that they call for it; undefined where they cannot be called. */
  readonly calls?: Map<string, FunctionCall> | undefined;
}

/** What they read of the entities that a navigation property leads to. */
export interface RelatedReads extends EntityReads {
  readonly navigation: NavigationProperty;
}

/**
 * What expressions read of an entity set, of one of its entities or of a singleton that `$root` leads to
 * (Part 2, 5.1.1.14.5): it is loaded before the query runs.
 */
export interface RootRead extends EntityReads {
  /** The name of the set or singleton, with a key where one entity of the set is meant. */
  readonly segment: NameSegment;
  /** What aliases in the key stand for. */
  readonly aliases: ReadonlyMap<string, Expression>;
  readonly entityType: EntityType;
}

/** A function that is bound to nothing: it is called once, before the query runs (Part 2, 5.1.1.15). */
export interface RootCall {
  readonly imported: CallableImport;
  readonly segment: NameSegment;
  /** What aliases in the parameters stand for. */
  readonly aliases: ReadonlyMap<string, Expression>;
}

/** What a query needs beside its rows. */
export type RootSource = RootRead | RootCall;

/** A read, and the variable that stands for what it finds. */
export interface BoundRoot {
  readonly read: RootSource;
  readonly variable: BoundVariable;
}

/** A function that expressions call for each entity (Part 2, 5.1.1.15): it is called before the query runs. */
export interface FunctionCall {
  /** It is called for entities of this type. */
  readonly type: EntityType;
  /** The name of the rows' member that has the result. */
  readonly name: string;
  readonly segment: NameSegment;
  /** What aliases in the parameters stand for. */
  readonly aliases: ReadonlyMap<string, Expression>;
  /** The import of a function that is bound to nothing, and called for each entity because of its parameters. */
  readonly imported: CallableImport | undefined;
  readonly computed: ComputedParameters;
}

/** Parameters of a call whose values follow from the row that it is called for, by their names. */
export type ComputedParameters = ReadonlyMap<string, ComputedParameter>;

interface ComputedParameter {
  readonly value: BoundExpression;
  /** It may be null; else nothing is called for rows where it is. */
  readonly nullable: boolean;
}

export function isRootCall(source: RootSource): source is RootCall {
  return 'imported' in source;
}

/** What was loaded, in the order of the sources: rows of a set, one row, which is null where there is none, or a result. */
export type RootValues = readonly Value[];

/** An {@link Evaluate} as it is called: binding has seen to it that the arguments have the right types. */
export type Apply = (first: Value, second: Value, third: Value) => Value;

/** A call, or its value where all arguments are constant. */
export function call(
  name: string,
  type: ExpressionType,
  position: number,
  args: readonly BoundExpression[],
  evaluate: Evaluate,
): BoundExpression {
  const node: BoundCall = { kind: 'call', name, type, position, arguments: args, evaluate };
  return args.length > 0 && args.every(isConstant) ? fold(node, args) : node;
}

function isConstant(expression: BoundExpression): expression is BoundConstant {
  return expression.kind === 'constant';
}

function fold(node: BoundCall, args: readonly BoundConstant[]): BoundConstant {
  const [first = null, second = null, third = null] = args.map((argument) => argument.value);
  const isNull = args.some((argument) => argument.value === null);
  const value = isNull ? null : (node.evaluate as Apply)(first, second, third);
  return constant(value, node.type, node.position);
}

/** Whether a part of the expression, or all of it, is such a node. */
export function someExpression(
  expression: BoundExpression,
  isSuch: (node: BoundExpression) => boolean,
): boolean {
  return someWithin(expression, isSuch);
}

/** How many nodes the expression has, itself included. */
export function countNodes(expression: BoundExpression): number {
  let count = 0;
  someExpression(expression, () => {
    count += 1;
    return false;
  });
  return count;
}

function someWithin(part: unknown, isSuch: (node: BoundExpression) => boolean): boolean {
  if (typeof part !== 'object' || part === null) return false;
  if (isNode(part) && isSuch(part)) return true;
  // What a variable stands for is a value and no expression.
  return Object.entries(part).some(([name, member]) => name !== 'cell' && someWithin(member, isSuch));
}

function isNode(part: object): part is BoundExpression {
  return 'kind' in part && 'type' in part && 'position' in part;
}

/**
 * Reads an expression whose type only its values tell as one of a given type: a value of another type is
 * null, so that nothing fails at run time (5.1.1.15). Leaves all other expressions alone.
 */
export function readAs(expression: BoundExpression, type: ExpressionType): BoundExpression {
  if (!isUntyped(expression.type) || isUntyped(type) || type === 'null') return expression;
  return call('read', type, expression.position, [expression], (value: Value) => valueAs(value, type));
}

/** Whether a value that is not null is one that {@link readAs} takes. */
export function isReadAs(expression: BoundExpression, type: ExpressionType): BoundExpression {
  return call('isof', 'Edm.Boolean', expression.position, [expression], (value: Value) => {
    return valueAs(value, type) !== null;
  });
}

function valueAs(value: Value, type: ExpressionType): Value {
  if (isCollection(type)) return Array.isArray(value) ? value : null;
  if (isNumeric(type)) return numberAs(value, type);
  if (type === 'Edm.Boolean') return typeof value === 'boolean' ? value : null;
  if (typeof value !== 'string' || !isPrimitiveName(type)) return null;
  return parsePrimitive(type, value) ?? null;
}

function numberAs(value: Value, type: ExpressionType): Value {
  const number = plainValue(value);
  if (typeof number !== 'number' && typeof number !== 'bigint') return null;
  if (isInteger(type) && !Number.isInteger(Number(number))) return null;
  return isFloating(type) ? Number(number) : number;
}

/** A number's own value where it is an object that keeps the digits. */
export function plainValue(value: Value): Value {
  return value instanceof Number ? value.valueOf() : value;
}
