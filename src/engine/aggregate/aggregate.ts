import type { Row, Value } from '../../contract/row.ts';
import type { BindExpression } from '../scope/bind-expression.ts';
import type { BoundExpression } from '../scope/bound-tree.ts';
import { badRequest, notImplemented, quote, type Scope } from '../scope/scope.ts';
import type { AggregateFrom, AggregateItem, PathExpression } from '../tree/expression-tree.ts';
import { gathered, gatherRows, gatherThen, type NewAccumulator } from './accumulator.ts';
import { bindSource, type VisitItems } from './aggregate-source.ts';
import { type Aggregate, bindMethod, ROW_COUNT, total } from './aggregation-method.ts';
import { compileGroups } from './group-rows.ts';

/**
 * Binds an aggregate (Data Aggregation 4.0, 3.2.1): what it makes of the rows of a group.
 *
 * Custom aggregates and custom methods are NotImplemented.
 */
export function bindAggregate(item: AggregateItem, scope: Scope, bind: BindExpression): Aggregate {
  return bindFrom(item, item.from, scope, bind);
}

/**
 * The keyword `from` (3.2.1.3): the aggregate is computed for each combination of the properties' values, and
 * the results are aggregated by the next method. The last step is the outermost.
 */
function bindFrom(
  item: AggregateItem,
  from: readonly AggregateFrom[],
  scope: Scope,
  bind: BindExpression,
): Aggregate {
  const step = from.at(-1);
  if (step === undefined) return bindPlain(item, scope, bind);
  const inner = bindFrom(item, from.slice(0, -1), scope, bind);
  const properties = [step.property, ...(step.more ?? [])];
  const results = compileGroups(
    properties.map((names) => bindNames(names, item.position, scope, bind)),
    scope,
    gatherThen(inner.gather, (value): Row => ({ [RESULT]: value })),
  );
  const outer = bindMethod(requireMethod(step.method, item, scope), resultOf(inner), scope, item.position);
  return {
    type: outer.type,
    gather: gatherRows(function* (rows) {
      return yield* gathered(outer.gather, yield* results(rows), scope.current);
    }),
  };
}

/** Where the results of one step are in the rows of the next. */
const RESULT = 'result';

function resultOf({ type }: Aggregate): BoundExpression {
  return { kind: 'property', name: RESULT, type, position: 0 };
}

/** A path of names to a single value or a collection, as an expression. */
export function bindNames(
  names: readonly string[],
  position: number,
  scope: Scope,
  bind: BindExpression,
): BoundExpression {
  const segments = names.map((name) => ({ kind: 'name', position, name, arguments: undefined }) as const);
  return bind({ kind: 'path', position, root: undefined, segments }, scope);
}

function bindPlain(item: AggregateItem, scope: Scope, bind: BindExpression): Aggregate {
  const { expression, method, position } = item;
  if (expression === undefined) return ROW_COUNT;
  const isCount = expression.kind === 'path' && expression.segments.at(-1)?.kind === 'count';
  if (!isCount && method === undefined) refuseProperty(item, scope, bind);
  if (!isCount) requireMethod(method, item, scope);
  const source = bindSource(expression, scope, bind);
  const aggregate = isCount
    ? total(source.expression)
    : bindMethod(method ?? '', source.expression, source.scope, position);
  const { visitItems } = source;
  if (visitItems === undefined) return aggregate;
  return { ...aggregate, gather: gatherItems(visitItems, aggregate.gather) };
}

function gatherItems(visitItems: VisitItems, gather: NewAccumulator<Value>): NewAccumulator<Value> {
  return () => {
    const { add, result } = gather();
    return { add: (row) => visitItems(row, add), result };
  };
}

/** A property needs a method: it is no custom aggregate. */
function refuseProperty({ expression, position }: AggregateItem, scope: Scope, bind: BindExpression): void {
  if (expression?.kind !== 'path' || !isKnown(expression, scope, bind)) return;
  const name = quote(pathText(expression));
  throw badRequest(scope, position, `expected with and an aggregation method behind the property ${name}`);
}

function isKnown(path: PathExpression, scope: Scope, bind: BindExpression): boolean {
  try {
    bindSource(path, scope, bind);
    return true;
  } catch {
    return false;
  }
}

/** Without a method it would be a custom aggregate, and the model has none. */
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
