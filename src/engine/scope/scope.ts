import { GatewayError } from '../../contract/gateway-error.ts';
import { type BudgetLimits, CurrentBudget, type RequestBudget } from '../../contract/request-budget.ts';
import { type Row, type Rows, TYPE, type Value } from '../../contract/row.ts';
import { shorten } from '../../core/shorten.ts';
import { type Work, within } from '../../core/work.ts';
import {
  type CallableImport,
  type EntityType,
  isA,
  type NavigationProperty,
  type TypeUse,
  withDerivedTypes,
} from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import type {
  ComparisonOperator,
  Expression,
  LogicalOperator,
  NameSegment,
  QueryOptions,
} from '../tree/query-tree.ts';
import {
  collectionOf,
  type ExpressionType,
  isCollection,
  isFloating,
  isInteger,
  isNumeric,
  isUntyped,
  itemType,
  type ModelType,
  structuredOf,
  structuredType,
  typeName,
} from '../typing/expression-type.ts';
import { isPrimitiveName, parsePrimitive } from '../values/primitive.ts';

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

/** The current value of a variable. One cell is enough, because runs are synchronous. */
interface Cell {
  value: Value;
}

/** The item of a collection that an inner expression is about, or the row around nested options. */
export interface BoundVariable extends BoundNode {
  readonly kind: 'variable';
  readonly cell: Cell;
  /** The collection whose items the variable represents. */
  readonly of?: BoundExpression;
}

/** `any` and `all` (5.1.1.13): null where the collection is. */
export interface BoundLambda extends BoundNode {
  readonly kind: 'lambda';
  readonly operator: 'any' | 'all';
  readonly collection: BoundExpression;
  readonly variable: BoundVariable;
  readonly predicate: BoundExpression;
  /** The budget for visited items. */
  readonly current: CurrentBudget;
}

/** The items of a collection that a condition is true for. */
export interface BoundFilter extends BoundNode {
  readonly kind: 'filter';
  readonly collection: BoundExpression;
  readonly variable: BoundVariable;
  readonly predicate: BoundExpression;
  /** The budget for visited items. */
  readonly current: CurrentBudget;
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
 * Evaluates a call with non-null arguments; with a null argument, the call is null.
 *
 * Binding has checked the argument types, so implementations declare the types that they need.
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

/** The reads of expressions in an entity and its related entities. */
export interface EntityReads {
  /** Names of structural properties, undeclared ones among them. */
  readonly properties: Set<string>;
  readonly related: Map<string, RelatedReads>;
  /** The functions that they call for it; undefined where they cannot be called. */
  readonly calls?: Map<string, FunctionCall> | undefined;
}

/** The reads of expressions in related entities. */
export interface RelatedReads extends EntityReads {
  readonly navigation: NavigationProperty;
  /** The number of times that expressions follow the navigation property. */
  uses: number;
  /** The entities of which one decides an `any` or `all` that is the only use. */
  deciding?: Selection;
}

/** Selects the rows that meet a condition. */
export type Selection = (budget: RequestBudget, rows: Rows) => Promise<readonly Row[]>;

/**
 * The reads of expressions in an entity set, an entity or a singleton from `$root` (Part 2, 5.1.1.14.5),
 * loaded before the query runs.
 */
export interface RootRead extends EntityReads {
  /** The name of the set or singleton, with a key where one entity of the set is meant. */
  readonly segment: NameSegment;
  /** The aliases in the key. */
  readonly aliases: ReadonlyMap<string, Expression>;
  readonly entityType: EntityType;
}

/** A function that is bound to nothing: it is called once, before the query runs (Part 2, 5.1.1.15). */
export interface RootCall {
  readonly imported: CallableImport;
  readonly segment: NameSegment;
  /** The aliases in the parameters. */
  readonly aliases: ReadonlyMap<string, Expression>;
}

/** Data that a query needs in addition to its rows. */
export type RootSource = RootRead | RootCall;

/** A read and the variable for its result. */
export interface BoundRoot {
  readonly read: RootSource;
  readonly variable: BoundVariable;
}

/** A function that expressions call for each entity (Part 2, 5.1.1.15): it is called before the query runs. */
export interface FunctionCall {
  /** The type of the entities that the function is called for. */
  readonly type: EntityType;
  /** The name of the rows' member that has the result. */
  readonly name: string;
  readonly segment: NameSegment;
  /** The aliases in the parameters. */
  readonly aliases: ReadonlyMap<string, Expression>;
  /** The import of a function that is bound to nothing, and called for each entity because of its parameters. */
  readonly imported: CallableImport | undefined;
  readonly computed: ComputedParameters;
}

/** Parameters of a call whose values follow from the row that it is called for, by their names. */
export type ComputedParameters = ReadonlyMap<string, ComputedParameter>;

interface ComputedParameter {
  readonly value: BoundExpression;
  /** True if null is passed; otherwise, rows with a null argument make no call. */
  readonly nullable: boolean;
}

export function isRootCall(source: RootSource): source is RootCall {
  return 'imported' in source;
}

/** The loaded values, in the order of the sources: rows of a set, one row or null, or a result. */
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

/** True if the expression or a part of it matches. */
export function someExpression(part: unknown, isSuch: (node: BoundExpression) => boolean): boolean {
  if (typeof part !== 'object' || part === null) return false;
  if (isNode(part) && isSuch(part)) return true;
  return Object.entries(part).some(([name, member]) => !NO_PARTS.has(name) && someExpression(member, isSuch));
}

/** The number of nodes in the expression. */
export function countNodes(expression: BoundExpression): number {
  let count = 0;
  someExpression(expression, () => {
    count += 1;
    return false;
  });
  return count;
}

/** Members of nodes that are not expressions: cells of variables, and types. */
const NO_PARTS: ReadonlySet<string> = new Set(['cell', 'type', 'as']);

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

export interface QueryLimits {
  /** Operators, calls and paths of one query, values of aliases and computed properties counted at each use. */
  readonly nodes: number;
  /** Of what is computed before the query runs; undefined for the usual ones. */
  readonly budget?: BudgetLimits;
}

const DEFAULT_QUERY_LIMITS: QueryLimits = { nodes: 1_000 };

/** The type of a value: single or a collection. */
export type ValueUse = Pick<TypeUse, 'type' | 'collection'>;

/** A computed property: wherever its name is used, its expression stands. */
export interface ComputedProperty {
  readonly expression: BoundExpression;
  /** The properties that the expression reads. */
  readonly reads: ReadonlySet<string>;
  /** Nodes of the expression: each use costs as many again. */
  readonly size: number;
}

/**
 * The input set bound to `$these`: that of the enclosing transformation, or of the options after `$apply`. A
 * grouping node is a set with a single entity.
 */
export interface InputSet {
  readonly variable: BoundVariable;
  /** Records the reads of its instances. */
  readonly reads: EntityReads;
  /** Whether an expression reads it. */
  isAskedFor: boolean;
}

/** The instance that the resource path leads to, as options within `$expand` see it (Part 2, 5.1.1.14.4). */
export interface OuterInstance extends EntityReads {
  readonly variable: BoundVariable;
}

/** The names visible to an expression, and the limits for binding it. */
export interface Scope {
  readonly model: Model;
  /** The start of a path without a root: the row, or an item of a collection. */
  readonly instance: BoundExpression;
  /** The row that was fetched. */
  readonly row: BoundExpression;
  /** `$it`: the row, or around options within `$expand` the instance that the resource path leads to. */
  readonly it: BoundExpression;
  /** The instance bound to `$it`, if it is not the row. */
  readonly outer?: OuterInstance | undefined;
  /** `$these`; undefined where no set of instances goes through the options. */
  readonly these?: InputSet | undefined;
  /** The nodes of the enclosing `rolluprecursive`, in order; undefined without any. */
  readonly rollupNodes?: readonly InputSet[] | undefined;
  /** The variables of the lambda operators around. */
  readonly variables: ReadonlyMap<string, BoundExpression>;
  readonly aliases: ReadonlyMap<string, Expression>;
  readonly computed: ReadonlyMap<string, ComputedProperty>;
  /** The system query option, or the parameter alias, that an error is about. */
  readonly target: string;
  /** The aliases whose values are being bound: one that is met again is a cycle. */
  readonly openAliases: readonly string[];
  /** Collects the names of the fetched row's properties that expressions read, undeclared ones among them. */
  readonly reads: Set<string>;
  /** Collects what expressions read of the entities that the fetched row is related to. */
  readonly related: Map<string, RelatedReads>;
  /** Collects what expressions read from `$root` on. */
  readonly roots: BoundRoot[];
  /** Collects the functions that expressions call; undefined where they cannot be called. */
  readonly calls?: Map<string, FunctionCall> | undefined;
  readonly nodes: NodeCount;
  /** The run that is under way: what it charges and when it began. */
  readonly current: CurrentBudget;
  /** Binds expressions of all kinds. */
  readonly binder: (node: Expression, scope: Scope) => BoundExpression;
}

/**
 * Limits the operators, calls and paths of a query. Values of aliases and computed properties count at each
 * use, because the parser cannot see how they multiply.
 */
interface NodeCount {
  readonly limit: number;
  used: number;
}

/** A scope for a whole query over values of that type: `$it` is the instance where no other is around. */
export function createScope(
  binder: Scope['binder'],
  model: Model,
  type: ExpressionType,
  { aliases }: Pick<QueryOptions, 'aliases'>,
  { nodes, budget }: QueryLimits = DEFAULT_QUERY_LIMITS,
  outer?: OuterInstance,
): Scope {
  const row = rowOf(type);
  return {
    model,
    instance: row,
    row,
    it: outer?.variable ?? row,
    outer,
    variables: new Map(),
    aliases,
    computed: new Map(),
    target: '$compute',
    openAliases: [],
    reads: new Set(),
    related: new Map(),
    roots: [],
    nodes: { limit: nodes, used: 0 },
    current: new CurrentBudget(budget),
    binder,
  };
}

/** Errors are about that option; in options within `$select` they are about that. */
export function aboutOption(scope: Scope, target: string): Scope {
  return scope.instance === scope.row ? { ...scope, target } : scope;
}

/** A 400 that says where the mistake is. */
export function badRequest(scope: Pick<Scope, 'target'>, position: number, message: string): GatewayError {
  const { target } = scope;
  return new GatewayError('BadRequest', `${target}: ${message} at position ${position}`, { target });
}

/** A 400 for a type cast to what the cast before it has led to. */
export function repeatedCast(name: string, position: number, scope: Pick<Scope, 'target'>): GatewayError {
  return badRequest(scope, position, `expected each type cast once, found ${quote(name)} twice in a row`);
}

/** A 501: the standard has it, and it is not there yet. */
export function notImplemented(scope: Pick<Scope, 'target'>, position: number, what: string): GatewayError {
  const { target } = scope;
  return new GatewayError('NotImplemented', `${target}: ${what} at position ${position} is not implemented`, {
    target,
  });
}

export function spend(scope: Scope, nodes: number, position: number): void {
  const counted = scope.nodes;
  counted.used += nodes;
  if (counted.used > counted.limit) {
    const most = `at most ${counted.limit} nodes in the query (a multiple of QUERY_NODES)`;
    throw badRequest(scope, position, `expected ${most}, found more`);
  }
}

/** Text of the client's in a message, which may be very long. */
export function quote(text: string): string {
  return `'${shorten(text)}'`;
}

/** The parameter alias that an error is about. */
export function aliasTarget(name: string): string {
  return `@${shorten(name)}`;
}

/**
 * The reads of a value: the fetched entity or a related one. Undefined for values that are loaded whole, such
 * as complex ones.
 */
export function readsOf(value: BoundExpression, scope: Scope): EntityReads | undefined {
  if (value === scope.it && scope.outer !== undefined) return scope.outer;
  if (value === scope.these?.variable) return scope.these.reads;
  if (value === scope.row || value === scope.it) {
    return { properties: scope.reads, related: scope.related, calls: scope.calls };
  }
  switch (value.kind) {
    case 'property':
      return scope.related.get(value.name);
    case 'variable':
      return value.of === undefined ? rootReads(value, scope) : readsOf(value.of, scope);
    case 'filter':
      return readsOf(value.collection, scope);
    case 'call': {
      const [from] = value.arguments;
      const reads = from && readsOf(from, scope);
      return SAME_ENTITIES.has(value.name) ? reads : reads?.related.get(value.name);
    }
    default:
      return undefined;
  }
}

/** Functions that return entities of their argument. */
const SAME_ENTITIES: ReadonlySet<string> = new Set(['cast', '$key']);

function rootReads({ cell }: BoundVariable, { roots, rollupNodes }: Scope): EntityReads | undefined {
  const node = rollupNodes?.find(({ variable }) => variable.cell === cell);
  if (node !== undefined) return node.reads;
  const source = roots.find(({ variable }) => variable.cell === cell)?.read;
  return source === undefined || isRootCall(source) ? undefined : source;
}

/** Notes that a navigation property is followed: its entities do not come with the one that has it. */
export function followNavigation({ related }: EntityReads, navigation: NavigationProperty): RelatedReads {
  const known = related.get(navigation.name);
  if (known !== undefined) {
    known.uses += 1;
    return known;
  }
  const reads: RelatedReads = {
    navigation,
    uses: 1,
    properties: new Set<string>(),
    related: new Map(),
    calls: new Map(),
  };
  related.set(navigation.name, reads);
  return reads;
}

/**
 * A type cast segment (Part 2, 4.11): a value that is not of the type is null, items that are not are left
 * out. The type must be the declared one, derived from it, or its base.
 */
export function castStructured(
  owner: BoundExpression,
  name: string,
  scope: Scope,
  position: number,
): BoundExpression {
  const { model } = scope;
  const declared = structuredOf(itemType(owner.type));
  const target = structuredType(model, name);
  const isUp = declared !== undefined && target !== undefined && isA(declared, target);
  if (isUp) return owner;
  if (declared === undefined || target === undefined || !isA(target, declared)) {
    const expected =
      declared === undefined
        ? `nothing after ${typeName(owner.type)}`
        : `a type derived from ${typeName(owner.type)}`;
    throw badRequest(scope, position, `expected ${expected}, found ${quote(name)}`);
  }
  const isOfType = typeTest(declared, target);
  return isCollection(owner.type)
    ? call('cast', collectionOf(target), position, [owner], (items: readonly Value[]) =>
        items.filter((item) => item !== null && isOfType(item as Row)),
      )
    : call('cast', target, position, [owner], (value: Row) => (isOfType(value) ? value : null));
}

/** Tests whether a value of a declared type has another type; derived values name their type. */
export function typeTest(declared: ModelType, target: ModelType): (value: Row) => boolean {
  const isDeclared = isA(declared, target);
  const names = new Set(withDerivedTypes(target).map(({ name }) => name));
  return (value) => {
    const type = value[TYPE];
    return type === undefined ? isDeclared : names.has(type);
  };
}

/** Binds what stands inside another expression. */
export function bind(node: Expression, scope: Scope): BoundExpression {
  return scope.binder(node, scope);
}

/** `$these` where the instances of the scope go through (Data Aggregation 4.0, 5.1). */
export function inputSet(
  { instance, reads, related, calls }: Pick<Scope, 'instance' | 'reads' | 'related' | 'calls'>,
  position: number,
): InputSet {
  return {
    variable: variableOf(collectionOf(instance.type), position),
    reads: { properties: reads, related, calls },
    isAskedFor: false,
  };
}

/** Runs what reads the value of a variable, which compiled queries do not keep. */
export function withValue<Result>(
  { variable: { cell } }: Pick<InputSet, 'variable'>,
  value: readonly Row[] | Row,
  begin: () => Work<Result>,
): Work<Result> {
  return within(
    () => {
      cell.value = value;
    },
    () => {
      cell.value = null;
    },
    begin,
  );
}
