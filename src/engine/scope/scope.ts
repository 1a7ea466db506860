import { GatewayError } from '../../contract/gateway-error.ts';
import { type Row, TYPE, type Value } from '../../contract/row.ts';
import { type BudgetLimits, type Work, within } from '../../contract/work.ts';
import { isA, type NavigationProperty, type TypeUse, withDerivedTypes } from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import type { Expression, QueryOptions } from '../tree/query-tree.ts';
import {
  collectionOf,
  type ExpressionType,
  isCollection,
  itemType,
  type ModelType,
  structuredOf,
  structuredType,
  typeName,
} from '../typing/expression-type.ts';
import { CurrentRun } from '../values/query-run.ts';
import {
  type BoundExpression,
  type BoundRoot,
  type BoundVariable,
  call,
  type EntityReads,
  type FunctionCall,
  isRootCall,
  type RelatedReads,
  rowOf,
  variableOf,
} from './bound-tree.ts';

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

/**
 * What is read of the value: of the fetched entity, or of one that it is related to. Undefined for a value
 * that comes whole, such as a complex one.
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

/** What gives entities of its argument. */
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
  if (known !== undefined) return known;
  const reads = { navigation, properties: new Set<string>(), related: new Map(), calls: new Map() };
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

/** Whether a value that is declared as one type is of another: a value names its type where it is derived. */
export function typeTest(declared: ModelType, target: ModelType): (value: Row) => boolean {
  const isDeclared = isA(declared, target);
  const names = new Set(withDerivedTypes(target).map(({ name }) => name));
  return (value) => {
    const type = value[TYPE];
    return type === undefined ? isDeclared : names.has(type);
  };
}

/** The binder of all expressions, for those parts of it that bind what stands inside others. */
export type BindExpression = (node: Expression, scope: Scope) => BoundExpression;

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

/** Runs what reads the set, or the node, which compiled queries do not keep. */
export function withInput<Result>(
  { variable: { cell } }: InputSet,
  input: readonly Row[] | Row,
  begin: () => Work<Result>,
): Work<Result> {
  return within(
    () => {
      cell.value = input;
    },
    () => {
      cell.value = null;
    },
    begin,
  );
}
