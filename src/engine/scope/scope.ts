import { GatewayError } from '../../contract/gateway-error.ts';
import type { BudgetLimits } from '../../contract/request-budget.ts';
import type { TypeUse } from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import type { Expression } from '../tree/expression-tree.ts';
import type { QueryOptions } from '../tree/options-tree.ts';
import type { ExpressionType } from '../typing/expression-type.ts';
import { CurrentRun } from '../values/current-run.ts';
import { type BoundExpression, type BoundVariable, rowOf } from './bound-tree.ts';
import type { BoundRoot, EntityReads, FunctionCall, RelatedReads } from './reads.ts';

export interface QueryLimits {
  /** Operators, calls and paths of one query, values of aliases and computed properties counted at each use. */
  readonly nodes: number;
  /** Of what is computed before the query runs; undefined for the usual ones. */
  readonly budget?: BudgetLimits;
}

const DEFAULT_QUERY_LIMITS: QueryLimits = { nodes: 1_000 };

/** What a value is: one of a type, or a collection of them. */
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
 * What `$these` stands for: the input set of the transformation around, or of the options behind `$apply`. A node that
 * instances are grouped by is one of a single entity.
 */
export interface InputSet {
  readonly variable: BoundVariable;
  /** Where expressions note what they read of its instances. */
  readonly reads: EntityReads;
  /** Whether an expression reads it. */
  isAskedFor: boolean;
}

/** The instance that the resource path leads to, as options within `$expand` see it (Part 2, 5.1.1.14.4). */
export interface OuterInstance extends EntityReads {
  readonly variable: BoundVariable;
}

/** What names mean where an expression stands, and what may be spent on binding it. */
export interface Scope {
  readonly model: Model;
  /** What a path without a root starts at: the row, or an item of a collection. */
  readonly instance: BoundExpression;
  /** The row that was fetched. */
  readonly row: BoundExpression;
  /** `$it`: the row, or around options within `$expand` the instance that the resource path leads to. */
  readonly it: BoundExpression;
  /** What `$it` stands for where it is not the row. */
  readonly outer?: OuterInstance | undefined;
  /** `$these`; undefined where no set of instances goes through the options. */
  readonly these?: InputSet | undefined;
  /** The nodes of the `rolluprecursive` around, in the order of those; undefined where there is none. */
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
  readonly current: CurrentRun;
}

/**
 * How many operators, calls and paths a query may have. Values of aliases and computed properties count
 * at each use: the parser's limits cannot see how they multiply.
 */
export interface NodeCount {
  readonly limit: number;
  used: number;
}

/** A scope for a whole query over values of that type: `$it` is the instance where no other is around. */
export function createScope(
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
    current: new CurrentRun(budget),
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
export function sameCast(name: string, position: number, scope: Pick<Scope, 'target'>): GatewayError {
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

const QUOTED_LENGTH = 100;

/** Text of the client's in a message: in quotes and not longer than 100 characters. */
export function quote(text: string): string {
  return `'${shorten(text)}'`;
}

/** The parameter alias that an error is about. */
export function aliasTarget(name: string): string {
  return `@${shorten(name)}`;
}

function shorten(text: string): string {
  return text.length > QUOTED_LENGTH ? `${text.slice(0, QUOTED_LENGTH)}…` : text;
}
