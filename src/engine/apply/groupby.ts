import type { CurrentBudget } from '../../contract/request-budget.ts';
import type { Row } from '../../contract/row.ts';
import { atOnce } from '../../core/work.ts';
import { bindNames } from '../aggregate/aggregate.ts';
import {
  compileGroups,
  gatheringThen,
  gatherRows,
  type NewGroupAccumulator,
} from '../aggregate/group-rows.ts';
import type { Run } from '../query/pipeline.ts';
import { instanceType, type Members, membersOf, NO_MEMBERS, scopeOfResults } from '../results/result-type.ts';
import { type BoundExpression, badRequest, quote, type Scope } from '../scope/scope.ts';
import type { GroupingItem, Transformation } from '../tree/query-tree.ts';
import {
  type ApplyContext,
  type CompiledTransformation,
  collectResults,
  mergeInstances,
  mergeMembers,
  overArray,
} from './compiled-transformation.ts';
import {
  compileInstance,
  groupingLevels,
  groupingMembers,
  groupingTree,
  type Path,
} from './grouping-tree.ts';
import { bindRollup, rollupRecursive } from './hierarchy-steps.ts';

type GroupBy = Extract<Transformation, { kind: 'groupby' }>;
type PlainGroupBy = Omit<GroupBy, 'items'> & { readonly items: readonly GroupingItem[] };

/**
 * groupby (Data Aggregation 4.0, 3.2.3): splits the input set into groups, transforms each, and gives the
 * results the grouping properties. Without a transformation each group is one instance.
 */
export function compileGroupBy(
  groupBy: GroupBy,
  scope: Scope,
  context: ApplyContext,
): CompiledTransformation {
  const recursive = groupBy.items.filter((item) => 'recursive' in item);
  const items = groupBy.items.filter((item) => 'paths' in item);
  if (recursive.length === 0) return compilePlain({ ...groupBy, items }, scope, context);
  const rollups = recursive.map((item) => bindRollup(item, scope));
  const within: Scope = { ...scope, rollupNodes: rollups.map(({ node }) => node) };
  const groups = compileWithin({ ...groupBy, items }, within, context);
  return rollups.reduceRight((step, rollup) => rollupRecursive(rollup, step, scope, context), groups);
}

/** The transformation of the instances of a group. */
function compileWithin(groupBy: PlainGroupBy, scope: Scope, context: ApplyContext): CompiledTransformation {
  if (groupBy.items.length > 0) return compilePlain(groupBy, scope, context);
  return groupBy.then.length > 0 ? context.sequence(groupBy.then, scope) : anyOf(scope, context);
}

/** One instance without properties, where there is any. */
function anyOf(scope: Scope, context: ApplyContext): CompiledTransformation {
  const run = compileGroups([], scope, () => ({ add: () => undefined, result: (): Row => ({}) }));
  return { run, scope: define(NO_MEMBERS, scope, context) };
}

function compilePlain(
  { items, then, position }: PlainGroupBy,
  scope: Scope,
  context: ApplyContext,
): CompiledTransformation {
  const levels = groupingLevels(items, scope);
  // The paths have been counted when they were bound first.
  const bound: Scope = { ...scope, nodes: { limit: Number.POSITIVE_INFINITY, used: 0 } };
  const members = groupingMembers(groupingTree(levels.flat(), bound), levels, scope, context.types);
  if (then.length === 0) {
    const runs = levels.map((level) => compileLevel(level, bound));
    return { run: concatenate(runs, scope.current), scope: define(members, scope, context) };
  }
  const inner = context.sequence(then, scope);
  if (inner.scope.instance.type === scope.instance.type) {
    const runs = levels.map((level) => compileSplit(level, bound, inner.run));
    return { run: concatenate(runs, scope.current), scope: inner.scope };
  }
  const results = membersOf(inner.scope);
  assertDistinct(members, results, scope, position);
  const all = mergeMembers([members, results], 'groupby', scope, context.types, position);
  const merge = overlaps(members, results) ? mergeInstances : joinInstances;
  const runs = levels.map((level) => compileLevel(level, bound, { ...inner, merge }));
  return { run: concatenate(runs, scope.current), scope: define(all, scope, context) };
}

function define(members: Members, scope: Scope, { types }: ApplyContext): Scope {
  return scopeOfResults(scope, types.define(instanceType(scope), 'groupby', members));
}

/** An alias must not be the name of a grouping property; groups within groups may have the same one. */
function assertDistinct(members: Members, results: Members, scope: Scope, position: number): void {
  const { properties, dynamic } = members;
  const taken = [...results.dynamic].find((name) => properties.has(name) && !dynamic.has(name));
  if (taken !== undefined) {
    throw badRequest(
      scope,
      position,
      `expected aliases that are no grouping properties, found ${quote(taken)}`,
    );
  }
}

/** Whether both have a value of which each may have a part. */
function overlaps(members: Members, results: Members): boolean {
  const names = [...results.properties.keys(), ...results.navigation.keys()];
  return names.some((name) => members.properties.has(name) || members.navigation.has(name));
}

function joinInstances(shared: Row, row: Row): Row {
  return { ...shared, ...row };
}

/** The groups of one level, each transformed. */
function compileSplit(paths: readonly Path[], scope: Scope, transform: Run): Run {
  const groups = compileGroups(
    propertiesOf(paths, scope),
    scope,
    gatherRows((group) => atOnce(() => group)),
  );
  return function* (rows) {
    return yield* collectResults(scope.current, yield* groups(rows), transform);
  };
}

function propertiesOf(paths: readonly Path[], scope: Scope): readonly BoundExpression[] {
  return paths.map((path) => bindNames(path, 0, scope));
}

interface Transform extends Pick<CompiledTransformation, 'run' | 'gather'> {
  readonly merge: (shared: Row, row: Row) => Row;
}

/** Compiles one level of grouping: each result of a group has the group's grouping properties. */
function compileLevel(paths: readonly Path[], scope: Scope, transform?: Transform): Run {
  const instance = compileInstance(groupingTree(paths, scope));
  if (transform === undefined || transform.gather !== undefined) {
    return compileGroups(propertiesOf(paths, scope), scope, gatherInstance(instance, transform));
  }
  const transformGroup = overArray(scope.current, function* (group) {
    const shared = instance(group[0] ?? {});
    const results = yield* transform.run(group);
    return results.map((row) => transform.merge(shared, row));
  });
  return compileSplit(paths, scope, transformGroup);
}

/** An accumulator for groups with one instance, without storing the rows. */
function gatherInstance(
  instance: (row: Row) => Row,
  transform: Transform | undefined,
): NewGroupAccumulator<Row> {
  if (transform?.gather === undefined) {
    return (first) => ({
      add: () => undefined,
      result: () => instance(first),
    });
  }
  const { gather, merge } = transform;
  return (first) => gatheringThen(gather(), (result) => merge(instance(first), result));
}

function concatenate(runs: readonly Run[], current: CurrentBudget): Run {
  const [only, ...others] = runs;
  if (only !== undefined && others.length === 0) return only;
  return overArray(current, (rows) => collectResults(current, runs, (run) => run(rows)));
}
