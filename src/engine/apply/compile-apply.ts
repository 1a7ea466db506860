import type { Row, Value } from '../../contract/row.ts';
import { mapped, type Pace } from '../../core/work.ts';
import { bindAggregate } from '../aggregate/aggregate.ts';
import {
  gathered,
  gatheredAll,
  gatherThen,
  mappedWork,
  type NewAccumulator,
} from '../aggregate/group-rows.ts';
import { compileOrder, sortRows } from '../query/order.ts';
import { compileAccept, filterRows, type Run, takePage } from '../query/pipeline.ts';
import { bindCompute, compileExtension } from '../query/projection.ts';
import {
  assertNewName,
  createResultTypes,
  dynamicMember,
  heldMembers,
  instanceType,
  type Members,
  membersOfType,
  merged,
  NO_MEMBERS,
  readWhole,
  scopeOfResults,
  withDynamic,
} from '../results/result-type.ts';
import { badRequest, inputSet, notImplemented, quote, type Scope, withValue } from '../scope/scope.ts';
import type { AggregateItem, ComputeItem, Transformation } from '../tree/query-tree.ts';
import { isResult } from '../typing/expression-type.ts';
import {
  type ApplyContext,
  type CompiledTransformation,
  collectResults,
  identity,
  mergeMembers,
  overArray,
} from './compiled-transformation.ts';
import { compileGroupBy } from './groupby.ts';
import { compileRelatives, compileTraverse } from './hierarchy-steps.ts';
import { compileAddNested, compileJoin, compileNest } from './nested-collections.ts';
import { compileRank } from './rank.ts';

/**
 * Compiles `$apply` (Data Aggregation 4.0, 3.1): what it makes of the rows, and what names mean in the options
 * that are evaluated behind it.
 *
 * Where instances stay what they are the scope has the type that it had, with the properties that were
 * added among the computed ones; else its type is a {@link ResultType}, which has what is left.
 */
export function compileApply(
  transformations: readonly Transformation[],
  scope: Scope,
): CompiledTransformation {
  const types = createResultTypes();
  const context: ApplyContext = {
    types,
    sequence: (then, inner) => compileSequence(then, inner, context),
  };
  const applied = context.sequence(transformations, { ...scope, target: '$apply' });
  const check = countingHeld(applied.scope);
  const { run } = applied;
  return {
    run: check === undefined ? run : oneAfterTheOther(run, check),
    scope: { ...applied.scope, these: undefined, target: scope.target },
  };
}

type Of<Kind extends Transformation['kind']> = Extract<Transformation, { kind: Kind }>;

/** Compiles a sequence: the output set of each transformation is the input set of the next. */
function compileSequence(
  transformations: readonly Transformation[],
  scope: Scope,
  context: ApplyContext,
): CompiledTransformation {
  const unchanged: CompiledTransformation = { run: identity(scope.current), scope };
  return transformations.reduce((before, transformation) => {
    const next = compileAmongThese(transformation, before.scope, context);
    if (before === unchanged) return next;
    return { run: oneAfterTheOther(before.run, next.run), scope: next.scope };
  }, unchanged);
}

/** In the expressions of a transformation `$these` is its input set. */
function compileAmongThese(
  transformation: Transformation,
  before: Scope,
  context: ApplyContext,
): CompiledTransformation {
  const these = inputSet(before, transformation.position);
  const step = compileTransformation(transformation, { ...before, these }, context);
  limitNestedResults(step.scope, transformation.position);
  if (!these.isAskedFor) return step;
  const run = overArray(before.current, (input) => withValue(these, input, () => step.run(input)));
  return { run, scope: step.scope };
}

function oneAfterTheOther(first: Run, second: Run): Run {
  return function* (rows) {
    return yield* second(yield* first(rows));
  };
}

/** A transformation (Data Aggregation 4.0, 3). Functions of a service are NotImplemented. */
function compileTransformation(
  transformation: Transformation,
  scope: Scope,
  context: ApplyContext,
): CompiledTransformation {
  switch (transformation.kind) {
    case 'aggregate':
      return compileAggregate(transformation, scope, context);
    case 'groupby':
      return compileGroupBy(transformation, scope, context);
    case 'concat':
      return compileConcat(transformation, scope, context);
    case 'join':
    case 'outerjoin':
      return compileJoin(transformation, scope, context);
    case 'addnested':
      return compileAddNested(transformation, scope, context);
    case 'nest':
      return compileNest(transformation, scope, context);
    case 'ancestors':
    case 'descendants':
      return compileRelatives(transformation, scope, context);
    case 'traverse':
      return compileTraverse(transformation, scope, context);
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
): CompiledTransformation['run'] {
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

function compileFilter(
  options: Parameters<typeof compileAccept>[0],
  scope: Scope,
): CompiledTransformation['run'] {
  const accept = compileAccept(options, scope);
  if (accept === undefined) return identity(scope.current);
  return (rows) => filterRows(rows, accept, scope.current);
}

/** aggregate (3.2.1): one instance that has nothing but the aggregates. */
function compileAggregate(
  { items }: Of<'aggregate'>,
  scope: Scope,
  { types }: ApplyContext,
): CompiledTransformation {
  const aggregates = items.map((item) => ({
    ...bindAggregate(item, scope),
    name: nameOf(item),
  }));
  const members = aggregates.reduce<Members>((before, { name, type }, index) => {
    assertNewName(name, before, scope, items[index]?.position ?? 0);
    return merged(before, dynamicMember(name, type));
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
            mappedWork(
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
function compileCompute(items: readonly ComputeItem[], scope: Scope): CompiledTransformation {
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

type Concat = Extract<Transformation, { kind: 'concat' }>;

/** concat (Data Aggregation 4.0, 3.3.2): the results of several sequences on the same input set, in turn. */
function compileConcat(
  { sequences, position }: Concat,
  scope: Scope,
  context: ApplyContext,
): CompiledTransformation {
  const steps = sequences.map((sequence) => context.sequence(sequence, scope));
  const { current } = scope;
  return {
    run: overArray(current, (rows) => collectResults(current, steps, ({ run }) => run(rows))),
    scope: scopeOfAll(
      steps.map((step) => step.scope),
      scope,
      context,
      position,
    ),
  };
}

/**
 * The scope of the original instances if all sequences preserve them; otherwise one with the members of all
 * results.
 */
function scopeOfAll(
  scopes: readonly Scope[],
  scope: Scope,
  { types }: ApplyContext,
  position: number,
): Scope {
  const isSame = scopes.every(
    ({ instance, computed }) =>
      instance.type === scope.instance.type && computed.size === scope.computed.size,
  );
  if (isSame) return scope;
  for (const each of scopes) readWhole(each);
  const members = mergeMembers(scopes.map(heldMembers), 'concat', scope, types, position);
  return scopeOfResults(scope, types.define(instanceType(scope), 'concat', members));
}

/** Properties that hold instances, within others or not: transformations can double them again and again. */
const MOST_HOLDERS = 100;

/** Results that would hold instances in too many properties are a BadRequest at the transformation. */
function limitNestedResults(scope: Scope, position: number): void {
  if (countHolders(heldMembers(scope)) <= MOST_HOLDERS) return;
  const message = `expected results that hold instances in at most ${MOST_HOLDERS} properties, found more`;
  throw badRequest(scope, position, message);
}

function countHolders(members: Members): number {
  return holdersIn(members).reduce(
    (sum, { within }) => (sum > MOST_HOLDERS ? sum : sum + 1 + countHolders(within)),
    0,
  );
}

/**
 * Counts the instances that results hold: in memory they are one where transformations use them again, but an
 * answer shows them as often. Undefined where nothing is held.
 */
function countingHeld(scope: Scope): Run | undefined {
  const { current } = scope;
  const visit = visitHeld(heldMembers(scope), (rows) => current.budget.chargeRows(rows));
  if (visit === undefined) return undefined;
  return (rows) =>
    mapped(rows, current, (row) => {
      visit(row);
      return row;
    });
}

function visitHeld(members: Members, count: (instances: number) => void): ((row: Row) => void) | undefined {
  const holders = holdersIn(members).map(({ name, within }) => ({
    name,
    visit: visitHeld(within, count),
  }));
  if (holders.length === 0) return undefined;
  return (row) => {
    for (const { name, visit } of holders) {
      const held = instancesIn(row[name] ?? null);
      count(held.length);
      if (visit !== undefined) for (const instance of held) visit(instance);
    }
  };
}

function instancesIn(value: Value): readonly Row[] {
  if (value === null) return [];
  return (Array.isArray(value) ? value : [value]) as readonly Row[];
}

interface Holder {
  readonly name: string;
  readonly within: Members;
}

/** The properties that hold instances, and what transformations have put into those. */
function holdersIn({ navigation }: Members): readonly Holder[] {
  return [...navigation.values()].map(({ name, entityType }) => ({
    name,
    within: isResult(entityType) ? membersOfType(entityType) : NO_MEMBERS,
  }));
}
