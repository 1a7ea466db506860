import { bindNames } from '../aggregate/aggregate.ts';
import { bindExpression } from '../bind/bind.ts';
import { membersOf } from '../results/result-scope.ts';
import { badRequest, notImplemented, quote, type Scope, spend } from '../scope/scope.ts';
import type { GroupingItem } from '../tree/apply-tree.ts';
import { isCollection } from '../typing/expression-type.ts';

/** The names from the instance to a grouping property. */
export type Path = readonly string[];

/** In nodes of the query: for each level all rows are gone through. */
const LEVEL_COST = 20;

/**
 * The sets of grouping properties that rows are grouped by, one after the other. A rollup stands for all
 * beginnings of its list, the longest first, and several of them for all combinations (3.2.3.2).
 */
export function groupingLevels(items: readonly GroupingItem[], scope: Scope): readonly (readonly Path[])[] {
  return items.reduce<readonly (readonly Path[])[]>(
    (levels, item) => {
      const more = alternatives(item, scope);
      if (more.length > 1) spend(scope, levels.length * more.length * LEVEL_COST, item.position);
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
