import type { Row, Value } from '../../contract/row.ts';
import { finished, type Pace } from '../../core/work.ts';
import { compileValue } from '../compile/compile.ts';
import { requireCollection } from '../operators/bind-operator.ts';
import { scopeOfItems } from '../results/result-type.ts';
import {
  type BoundExpression,
  badRequest,
  bind,
  call,
  notImplemented,
  quote,
  type Scope,
} from '../scope/scope.ts';
import type {
  AggregateFrom,
  AggregateItem,
  Expression,
  PathExpression,
  PathSegment,
} from '../tree/query-tree.ts';
import {
  declaredType,
  type ExpressionType,
  isCollection,
  isDynamic,
  isStructured,
  itemType,
  type SingleType,
  structuredType,
} from '../typing/expression-type.ts';
import { type Aggregate, bindMethod, ROW_COUNT, total } from './aggregation-method.ts';
import { compileGroups, gathered, gatherRows, gatherThen, type NewAccumulator } from './group-rows.ts';

/**
 * Binds an aggregate (Data Aggregation 4.0, 3.2.1): what it makes of the rows of a group.
 *
 * Custom aggregates and custom methods are NotImplemented.
 */
export function bindAggregate(item: AggregateItem, scope: Scope): Aggregate {
  return bindFrom(item, item.from, scope);
}

/**
 * The keyword `from` (3.2.1.3): the aggregate is computed for each combination of the properties' values, and
 * the results are aggregated by the next method. The last step is the outermost.
 */
function bindFrom(item: AggregateItem, from: readonly AggregateFrom[], scope: Scope): Aggregate {
  const step = from.at(-1);
  if (step === undefined) return bindPlain(item, scope);
  const inner = bindFrom(item, from.slice(0, -1), scope);
  const properties = [step.property, ...(step.more ?? [])];
  const results = compileGroups(
    properties.map((names) => bindNames(names, item.position, scope)),
    scope,
    gatherThen(inner.gather, (value): Row => ({ [RESULT]: value })),
  );
  const outer = bindMethod(
    requireMethod(step.method, item, scope),
    { kind: 'property', name: RESULT, type: inner.type, position: 0 },
    scope,
    item.position,
  );
  return {
    type: outer.type,
    gather: gatherRows(function* (rows) {
      return yield* gathered(outer.gather, yield* results(rows), scope.current);
    }),
  };
}

/** The name of a step's results in the rows of the next step. */
const RESULT = 'result';

/** A path of names to a single value or a collection, as an expression. */
export function bindNames(names: readonly string[], position: number, scope: Scope): BoundExpression {
  const segments = names.map((name) => ({ kind: 'name', position, name, arguments: undefined }) as const);
  return bind({ kind: 'path', position, root: undefined, segments }, scope);
}

function bindPlain(item: AggregateItem, scope: Scope): Aggregate {
  const { expression, method, position } = item;
  if (expression === undefined) return ROW_COUNT;
  const isCount = expression.kind === 'path' && expression.segments.at(-1)?.kind === 'count';
  if (!isCount && method === undefined) assertNoProperty(item, scope);
  if (!isCount) requireMethod(method, item, scope);
  const source = bindSource(expression, scope);
  const aggregate = isCount
    ? total(source.expression)
    : bindMethod(method ?? '', source.expression, source.scope, position);
  const { visitItems } = source;
  if (visitItems === undefined) return aggregate;
  return {
    ...aggregate,
    gather: () => {
      const { add, result } = aggregate.gather();
      return { add: (row) => visitItems(row, add), result };
    },
  };
}

/** A property needs a method: it is no custom aggregate. */
function assertNoProperty({ expression, position }: AggregateItem, scope: Scope): void {
  if (expression?.kind !== 'path' || !leadsToProperty(expression, scope)) return;
  const name = quote(pathText(expression));
  throw badRequest(scope, position, `expected with and an aggregation method after the property ${name}`);
}

/** Whether each name of the path is that of a property, or of a type; no custom aggregate stands behind a root. */
function leadsToProperty({ root, alias, segments }: PathExpression, scope: Scope): boolean {
  if (root !== undefined || alias !== undefined) return true;
  let type: ExpressionType | undefined = scope.instance.type;
  for (const [index, segment] of segments.entries()) {
    if (segment.kind !== 'name') return false;
    const computed: ExpressionType | undefined =
      index === 0 ? scope.computed.get(segment.name)?.expression.type : undefined;
    type = computed ?? typeBehind(itemType(type), segment.name, scope);
    if (type === undefined) return false;
  }
  return true;
}

function typeBehind(type: SingleType, name: string, { model }: Scope): ExpressionType | undefined {
  if (!isStructured(type)) return undefined;
  if (name.includes('.')) return structuredType(model, name);
  return declaredType(type, name) ?? (isDynamic(type, name) ? 'Edm.Untyped' : undefined);
}

/** The method of an item; without one it would be a custom aggregate, and the model has none. */
function requireMethod(
  method: string | undefined,
  { expression, position }: AggregateItem,
  scope: Scope,
): string {
  if (method === undefined) {
    const name = expression?.kind === 'path' ? pathText(expression) : '';
    throw notImplemented(scope, position, `the custom aggregate ${quote(name)}`);
  }
  if (method.includes('.')) throw notImplemented(scope, position, `the aggregation method ${quote(method)}`);
  return method;
}

function pathText({ segments }: PathExpression): string {
  return segments.map((segment) => (segment.kind === 'name' ? segment.name : segment.kind)).join('/');
}

type AggregateSegment = Extract<PathSegment, { kind: 'aggregate' }>;

/** The function aggregate (Data Aggregation 4.0, 5.1), on a collection in the row or on `$these`. */
export function bindAggregateFunction(
  owner: BoundExpression,
  { item, position }: AggregateSegment,
  scope: Scope,
): BoundExpression {
  const collection = requireCollection(owner, `'aggregate'`, scope, position);
  const isThese = owner === scope.these?.variable;
  const itemScope = isThese ? { ...scope, instance: scope.row } : scopeOfItems(scope, collection);
  const { type, gather } = bindAggregate(item, itemScope);
  return call('aggregate', type, position, [collection], gatheredOnce(gather, scope.current));
}

/** Gathers a collection once, which would else be gone through again for each instance. */
function gatheredOnce(gather: NewAccumulator<Value>, pace: Pace): (rows: readonly Row[]) => Value {
  const values = new WeakMap<readonly Row[], Value>();
  return (rows) => {
    const known = values.get(rows);
    if (known !== undefined) return known;
    const value = finished(gathered(gather, rows, pace));
    values.set(rows, value);
    return value;
  };
}

/** Goes through items that a row has. */
type VisitItems = (row: Row, visit: (item: Row) => void) => void;

/** The source of an aggregate: an expression on the rows, or on the items of collections in them. */
interface AggregateSource {
  /** The items that a row has, as often as it has them; undefined for the row itself. */
  readonly visitItems: VisitItems | undefined;
  readonly expression: BoundExpression;
  /** The scope of the expression. */
  readonly scope: Scope;
}

/**
 * Binds the expression of an aggregate. Behind a collection, a path goes on in each of its items
 * (Data Aggregation 4.0, 3.1.1): `Sales/Amount` of products are the amounts of all their sales.
 */
function bindSource(expression: Expression, scope: Scope): AggregateSource {
  if (expression.kind === 'path') {
    for (const [index, next] of [...expression.segments.slice(1), undefined].entries()) {
      if (next !== undefined && next.kind !== 'name') continue;
      const collection = bind({ ...expression, segments: expression.segments.slice(0, index + 1) }, scope);
      if (isCollection(collection.type)) {
        return bindItems(collection, expression, expression.segments.slice(index + 1), scope);
      }
    }
  }
  return { visitItems: undefined, expression: bind(expression, scope), scope };
}

function bindItems(
  collection: BoundExpression,
  { position }: PathExpression,
  rest: readonly PathSegment[],
  scope: Scope,
): AggregateSource {
  const itemScope = scopeOfItems(scope, collection);
  const path: PathExpression = { kind: 'path', position, root: undefined, segments: rest };
  const inner =
    rest.length === 0
      ? { visitItems: undefined, expression: itemScope.instance, scope: itemScope }
      : bindSource(path, itemScope);
  const visitOwn = visitIn(collection, scope);
  const deeper = inner.visitItems;
  if (deeper === undefined) return { ...inner, visitItems: visitOwn };
  return { ...inner, visitItems: (row, visit) => visitOwn(row, (item) => deeper(item, visit)) };
}

/** Visits the items of a collection; one that is null has none. */
function visitIn(collection: BoundExpression, { current }: Scope): VisitItems {
  const value = compileValue(collection);
  return (row, visit) => {
    const items = (value(row) ?? []) as readonly Value[] as readonly Row[];
    current.budget.chargeItems(items.length);
    for (const item of items) visit(item);
  };
}
