import type { Row, Value } from '../../contract/row.ts';
import { mapped, type Pace } from '../../contract/work.ts';
import {
  gathered,
  gatheredAll,
  gatherThen,
  type NewAccumulator,
  workThen,
} from '../aggregate/accumulator.ts';
import { bindAggregate } from '../aggregate/aggregate.ts';
import { bindExpression } from '../bind/bind.ts';
import { inputSet, withInput } from '../bind/input-set.ts';
import type { Run } from '../compile/evaluator.ts';
import { compileAccept } from '../query/accept.ts';
import { bindCompute } from '../query/compute.ts';
import { compileExtension } from '../query/extension.ts';
import { compileOrder } from '../query/order.ts';
import { takePage } from '../query/page.ts';
import { filterRows } from '../query/pipeline.ts';
import { sortRows } from '../query/sort.ts';
import { dynamicMember, type Members, merged, NO_MEMBERS } from '../results/members.ts';
import { instanceType, requireNewName, scopeOfResults, withDynamic } from '../results/result-scope.ts';
import { notImplemented, quote, type Scope } from '../scope/scope.ts';
import type { Transformation } from '../tree/apply-tree.ts';
import type { AggregateItem, ComputeItem } from '../tree/expression-tree.ts';
import { compileAddNested } from './add-nested.ts';
import { compileConcat } from './concat.ts';
import { compileGroupBy } from './groupby.ts';
import { compileRelatives, compileTraverse } from './hierarchy-steps.ts';
import { compileJoin } from './join.ts';
import { compileNest } from './nest.ts';
import { limitNestedResults } from './nested-result-limit.ts';
import { compileRank } from './rank.ts';
import { type Applying, identity, overArray, type Step } from './step.ts';

type Of<Kind extends Transformation['kind']> = Extract<Transformation, { kind: Kind }>;

/** Compiles a sequence: the output set of each transformation is the input set of the next. */
export function compileSequence(
  transformations: readonly Transformation[],
  scope: Scope,
  applying: Applying,
): Step {
  const unchanged: Step = { run: identity(scope.current), scope };
  return transformations.reduce((before, transformation) => {
    const next = compileAmongThese(transformation, before.scope, applying);
    if (before === unchanged) return next;
    return { run: oneAfterTheOther(before.run, next.run), scope: next.scope };
  }, unchanged);
}

/** In the expressions of a transformation `$these` is its input set. */
function compileAmongThese(transformation: Transformation, before: Scope, applying: Applying): Step {
  const these = inputSet(before, transformation.position);
  const step = compileTransformation(transformation, { ...before, these }, applying);
  limitNestedResults(step.scope, transformation.position);
  if (!these.isAskedFor) return step;
  const run = overArray(before.current, (input) => withInput(these, input, () => step.run(input)));
  return { run, scope: step.scope };
}

function oneAfterTheOther(first: Run, second: Run): Run {
  return function* (rows) {
    return yield* second(yield* first(rows));
  };
}

/** A transformation (Data Aggregation 4.0, 3). Functions of a service are NotImplemented. */
function compileTransformation(transformation: Transformation, scope: Scope, applying: Applying): Step {
  switch (transformation.kind) {
    case 'aggregate':
      return compileAggregate(transformation, scope, applying);
    case 'groupby':
      return compileGroupBy(transformation, scope, applying);
    case 'concat':
      return compileConcat(transformation, scope, applying);
    case 'join':
    case 'outerjoin':
      return compileJoin(transformation, scope, applying);
    case 'addnested':
      return compileAddNested(transformation, scope, applying);
    case 'nest':
      return compileNest(transformation, scope, applying);
    case 'ancestors':
    case 'descendants':
      return compileRelatives(transformation, scope, applying);
    case 'traverse':
      return compileTraverse(transformation, scope, applying);
    case 'compute':
      return compileCompute(transformation.items, scope);
    case 'other':
      throw notImplemented(
        scope,
        transformation.position,
        `the transformation ${quote(transformation.name)}`,
      );
    default:
      return { run: compileChoice(transformation, scope), scope };
  }
}

/** Transformations that leave some of the instances, or all of them in another order (3.3). */
function compileChoice(
  transformation: Of<'identity' | 'filter' | 'search' | 'orderby' | 'top' | 'skip' | 'rank'>,
  scope: Scope,
): Step['run'] {
  switch (transformation.kind) {
    case 'identity':
      return identity(scope.current);
    case 'filter':
      return compileFilter({ filter: transformation.predicate }, scope);
    case 'search':
      return compileFilter({ search: transformation.search }, scope);
    case 'orderby': {
      const order = compileOrder(transformation.items, [], scope);
      if (order === undefined) return identity(scope.current);
      return overArray(scope.current, (rows) => sortRows(rows, [order.first, ...order.rest], scope.current));
    }
    case 'top':
      return (rows) => takePage(rows, { skip: 0, top: transformation.count }, scope.current);
    case 'skip':
      return (rows) =>
        takePage(rows, { skip: transformation.count, top: Number.POSITIVE_INFINITY }, scope.current);
    case 'rank':
      return compileRank(transformation, scope);
  }
}

function compileFilter(options: Parameters<typeof compileAccept>[0], scope: Scope): Step['run'] {
  const accept = compileAccept(options, scope);
  if (accept === undefined) return identity(scope.current);
  return (rows) => filterRows(rows, accept, scope.current);
}

/** aggregate (3.2.1): one instance that has nothing but the aggregates. */
function compileAggregate({ items }: Of<'aggregate'>, scope: Scope, { types }: Applying): Step {
  const aggregates = items.map((item) => ({
    ...bindAggregate(item, scope, bindExpression),
    name: nameOf(item),
  }));
  const members = aggregates.reduce<Members>((before, { name, type }, index) => {
    requireNewName(name, before, scope, items[index]?.position ?? 0);
    return merged(before, dynamicMember(scope.model, name, type));
  }, NO_MEMBERS);
  const gather = gatherInstance(aggregates, scope.current);
  return {
    *run(rows) {
      return [yield* gathered(gather, rows, scope.current)];
    },
    gather,
    scope: scopeOfResults(scope, types.define(instanceType(scope), 'aggregate', members)),
  };
}

interface NamedAggregate {
  readonly name: string;
  readonly gather: NewAccumulator<Value>;
}

function gatherInstance(aggregates: readonly NamedAggregate[], pace: Pace): NewAccumulator<Row> {
  const [only, ...others] = aggregates;
  // The commonest case, and rows may be many: they go to the aggregate directly.
  if (only !== undefined && others.length === 0) {
    return gatherThen(only.gather, (value) => ({ [only.name]: value }));
  }
  return () => {
    const values = aggregates.map(({ name, gather }) => ({ name, value: gather() }));
    const named = (results: readonly Value[]): Row =>
      Object.fromEntries(values.map(({ name }, index) => [name, results[index] ?? null]));
    const isLong = values.some(({ value }) => value.work !== undefined);
    return {
      add(row) {
        for (const { value } of values) value.add(row);
      },
      result: () => named(values.map(({ value }) => value.result())),
      work: isLong
        ? () =>
            workThen(
              gatheredAll(
                values.map(({ value }) => value),
                pace,
              ),
              named,
            )
        : undefined,
    };
  };
}

function nameOf({ alias = '' }: AggregateItem): string {
  return alias;
}

/** compute (3.4.1): instances keep what they have. */
function compileCompute(items: readonly ComputeItem[], scope: Scope): Step {
  const all = bindCompute(items, scope);
  const added = new Map([...all].filter(([name]) => !scope.computed.has(name)));
  for (const name of [...added.values()].flatMap(({ reads }) => [...reads])) scope.reads.add(name);
  const extend: (row: Row) => Row = compileExtension(added, [], scope.current);
  return {
    run: (rows) => mapped(rows, scope.current, extend),
    scope: [...added].reduce(
      (before, [name, { expression }]) => withDynamic(before, name, expression.type),
      scope,
    ),
  };
}
