import type { Row } from '../../../contract/entity-source.ts';
import type { GroupingItem, Transformation } from '../../url/tree.ts';
import { bindExpression } from '../bind.ts';
import { isCollection } from '../expression-type.ts';
import { badRequest, notImplemented, quote, type Scope, spend } from '../scope.ts';
import { bindNames } from './aggregate.ts';
import { compileGroupRows } from './group-rows.ts';
import { compileInstance, groupingMembers, groupingTree } from './grouping-tree.ts';
import { mergeInstances } from './merge-instances.ts';
import { mergeMembers } from './merge-members.ts';
import { instanceType, type Members, membersOf, scopeOfResults } from './result-type.ts';
import type { Applying, Run, Step } from './step.ts';

type Path = readonly string[];
type GroupBy = Extract<Transformation, { kind: 'groupby' }>;

/**
 * groupby (Data Aggregation 4.0, 3.2.3): splits the input set into groups, transforms each, and gives the
 * results the grouping properties. Without a transformation each group is one instance.
 */
export function compileGroupBy({ items, then, position }: GroupBy, scope: Scope, applying: Applying): Step {
  const levels = groupingLevels(items, scope);
  // The paths have been counted when they were bound first.
  const bound: Scope = { ...scope, budget: { limit: Number.POSITIVE_INFINITY, used: 0 } };
  const members = groupingMembers(groupingTree(levels.flat(), bound, bindExpression), scope, applying.types);
  if (then.length === 0) {
    const runs = levels.map((level) => compileLevel(level, bound, undefined));
    return { run: concatenate(runs), scope: define(members, scope, applying) };
  }
  const inner = applying.sequence(then, scope);
  if (inner.scope.instance.type === scope.instance.type) {
    const runs = levels.map((level) => compileGroups(level, bound, inner.run));
    return { run: concatenate(runs), scope: inner.scope };
  }
  const results = membersOf(inner.scope);
  requireDistinct(members, results, scope, position);
  const all = mergeMembers([members, results], 'groupby', scope, applying.types, position);
  const merge = overlaps(members, results) ? mergeInstances : joinInstances;
  const runs = levels.map((level) => compileLevel(level, bound, { run: inner.run, merge }));
  return { run: concatenate(runs), scope: define(all, scope, applying) };
}

function define(members: Members, scope: Scope, { types }: Applying): Scope {
  return scopeOfResults(scope, types.define(instanceType(scope), 'groupby', members));
}

/** An alias must not be the name of a grouping property. */
function requireDistinct(members: Members, results: Members, scope: Scope, position: number): void {
  const taken = [...results.dynamic].find((name) => members.properties.has(name));
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
function compileGroups(paths: readonly Path[], scope: Scope, transform: Run): Run {
  const groups = compileGroupRows(
    paths.map((path) => bindNames(path, 0, scope, bindExpression)),
    scope,
  );
  return (rows) => groups(rows).flatMap(transform);
}

interface Transform {
  readonly run: Run;
  readonly merge: (shared: Row, row: Row) => Row;
}

/** The same, with the grouping properties of each group in all of its results. */
function compileLevel(paths: readonly Path[], scope: Scope, transform: Transform | undefined): Run {
  const instance = compileInstance(groupingTree(paths, scope, bindExpression));
  const instanceOf = (group: readonly Row[]) => instance(group[0] ?? {});
  return compileGroups(paths, scope, (group) => {
    const shared = instanceOf(group);
    if (transform === undefined) return [shared];
    return transform.run(group).map((row) => transform.merge(shared, row));
  });
}

function concatenate(runs: readonly Run[]): Run {
  const [only, ...others] = runs;
  if (only !== undefined && others.length === 0) return only;
  return (rows) => runs.flatMap((run) => run(rows));
}

/**
 * The sets of grouping properties that rows are grouped by, one after the other. A rollup stands for all
 * beginnings of its list, the longest first, and several of them for all combinations (3.2.3.2).
 */
function groupingLevels(items: readonly GroupingItem[], scope: Scope): readonly (readonly Path[])[] {
  return items.reduce<readonly (readonly Path[])[]>(
    (levels, item) => {
      const more = alternatives(item, scope);
      spend(scope, levels.length * more.length, item.position);
      return levels.flatMap((level) => more.map((paths) => [...level, ...paths]));
    },
    [[]],
  );
}

/** `$all` at the beginning asks for the total of all levels. */
function alternatives(item: GroupingItem, scope: Scope): readonly (readonly Path[])[] {
  const { rollup, paths } = item;
  const hasTotal = rollup && paths[0]?.[0] === '$all';
  const named = hasTotal ? paths.slice(1) : paths;
  for (const path of named) requireGroupable(path, item, scope);
  if (!rollup) return [named];
  const lengths = named.map((_, index) => named.length - index);
  return [...lengths, ...(hasTotal ? [0] : [])].map((length) => named.slice(0, length));
}

/** A single value. What a rollup names alone may be a leveled hierarchy, and the model has none. */
function requireGroupable(path: Path, { rollup, paths, position }: GroupingItem, scope: Scope): void {
  const [name = ''] = path;
  if (rollup && paths.length === 1 && !hasMember(name, scope)) {
    throw notImplemented(scope, position, `the leveled hierarchy ${quote(name)}`);
  }
  const { type } = bindNames(path, position, scope, bindExpression);
  if (isCollection(type)) {
    throw badRequest(scope, position, `expected a single value to group by, found ${quote(path.join('/'))}`);
  }
}

function hasMember(name: string, scope: Scope): boolean {
  const { properties, navigation } = membersOf(scope);
  return properties.has(name) || navigation.has(name) || name.includes('.');
}
