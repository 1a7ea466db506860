import type { Row, Value } from '../../contract/row.ts';
import { bindNames } from '../aggregate/aggregate.ts';
import { compileValue, type Evaluator } from '../compile/compile.ts';
import {
  dynamicMember,
  type Members,
  memberOf,
  membersOf,
  merged,
  NO_MEMBERS,
  type ResultTypes,
  readWhole,
  scopeOfItems,
} from '../results/result-type.ts';
import {
  type BoundExpression,
  badRequest,
  notImplemented,
  quote,
  type Scope,
  spend,
} from '../scope/scope.ts';
import type { GroupingItem } from '../tree/query-tree.ts';
import { isCollection, isResult, type ModelType, structuredOf, typeName } from '../typing/expression-type.ts';

/** A grouping property, or a value with grouping properties in it: `Country` in `Customer/Country`. */
export interface GroupingNode {
  readonly name: string;
  readonly value: BoundExpression;
  /** The type that the value is declared with, or a type that the path casts it to. */
  readonly owner: ModelType | undefined;
  readonly children: GroupingNode[];
  /** The value itself is a grouping property, with all that it has. */
  isWhole: boolean;
}

/** Puts paths together that begin alike: an instance of the result has each of their values once. */
export function groupingTree(paths: readonly (readonly string[])[], scope: Scope): readonly GroupingNode[] {
  const roots: GroupingNode[] = [];
  for (const path of paths) addPath(path, roots, scope);
  return roots;
}

function addPath(path: readonly string[], roots: GroupingNode[], scope: Scope): void {
  let nodes = roots;
  for (const [index, name] of path.entries()) {
    if (name.includes('.')) continue;
    const known = nodes.find((node) => node.name === name);
    const node = known ?? createNode(path, index, scope);
    if (known === undefined) nodes.push(node);
    if (index === path.length - 1) node.isWhole = true;
    nodes = node.children;
  }
}

function createNode(path: readonly string[], index: number, scope: Scope): GroupingNode {
  const value = bindNames(path.slice(0, index + 1), 0, scope);
  const before = index === 0 ? scope.instance : bindNames(path.slice(0, index), 0, scope);
  return {
    name: path[index] ?? '',
    value,
    owner: structuredOf(before.type),
    children: [],
    isWhole: false,
  };
}

type Paths = readonly (readonly string[])[];

/** The members of grouped instances; paths that are missing in a level are optional. */
export function groupingMembers(
  nodes: readonly GroupingNode[],
  levels: readonly Paths[],
  scope: Scope,
  types: ResultTypes,
): Members {
  return merged(...nodes.map((node) => nodeMember(node, levels, scope, types)));
}

function nodeMember(node: GroupingNode, levels: readonly Paths[], scope: Scope, types: ResultTypes): Members {
  const { name, owner } = node;
  const within = levels.map((paths) => pathsBehind(name, paths));
  const isSparse = within.some((paths) => paths.length === 0);
  const isDynamic = owner !== undefined && isResult(owner) && owner.dynamic.has(name);
  const member = node.isWhole
    ? wholeMember(node, isDynamic, scope)
    : memberOf(name, typeOfChildren(node, within, scope, types));
  return { ...member, sparse: new Set(isSparse ? [name] : []) };
}

/** The rests of the paths through the name. */
function pathsBehind(name: string, paths: Paths): Paths {
  return paths.flatMap((path) => {
    const [first, ...others] = path.filter((segment) => !segment.includes('.'));
    return first === name ? [others] : [];
  });
}

function wholeMember({ name, value, owner }: GroupingNode, isDynamic: boolean, scope: Scope): Members {
  readWhole(scopeOfItems(scope, value));
  const declared = owner?.structuralProperties.get(name);
  if (declared === undefined) return dynamicMember(name, value.type);
  return {
    ...NO_MEMBERS,
    properties: new Map([[name, declared]]),
    dynamic: new Set(isDynamic ? [name] : []),
  };
}

function typeOfChildren(
  { value, children }: GroupingNode,
  levels: readonly Paths[],
  scope: Scope,
  types: ResultTypes,
) {
  const before = structuredOf(value.type);
  if (before === undefined) throw new TypeError(`Expected a structured type, found ${typeName(value.type)}`);
  const members = groupingMembers(children, levels, scope, types);
  return types.define(before, 'groupby', members, before.kind);
}

/** Makes the instance of a group of any of its rows: they are equal in the grouping properties. */
export function compileInstance(nodes: readonly GroupingNode[]): (row: Row) => Record<string, Value> {
  const members = nodes.map((node) => [node.name, nodeValue(node)] as const);
  return (row) => {
    const instance: Record<string, Value> = {};
    for (const [name, value] of members) instance[name] = value(row);
    return instance;
  };
}

/** A path through null is null, and so is the instance around it. */
function nodeValue({ value, children, isWhole }: GroupingNode): Evaluator {
  const whole = compileValue(value);
  if (isWhole) return whole;
  const instance = compileInstance(children);
  return (row) => (whole(row) === null ? null : instance(row));
}

/** The names from the instance to a grouping property. */
export type Path = readonly string[];

/** The cost of a level in nodes of the query: all rows are gone through for each. */
const LEVEL_COST = 20;

/**
 * The sets of grouping properties, one per level. A rollup yields all prefixes of its list, the longest
 * first, and several rollups yield all combinations (3.2.3.2).
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
  for (const path of named) assertGroupable(path, item, scope);
  if (!rollup) return [named];
  const lengths = named.map((_, index) => named.length - index);
  return [...lengths, ...(hasTotal ? [0] : [])].map((length) => named.slice(0, length));
}

/** A single value. What a rollup names alone may be a leveled hierarchy, and the model has none. */
function assertGroupable(path: Path, { rollup, paths, position }: GroupingItem, scope: Scope): void {
  const [name = ''] = path;
  if (rollup && paths.length === 1 && !hasMember(name, scope)) {
    throw notImplemented(scope, position, `the leveled hierarchy ${quote(name)}`);
  }
  const { type } = bindNames(path, position, scope);
  if (isCollection(type)) {
    throw badRequest(scope, position, `expected a single value to group by, found ${quote(path.join('/'))}`);
  }
}

function hasMember(name: string, scope: Scope): boolean {
  const { properties, navigation } = membersOf(scope);
  return properties.has(name) || navigation.has(name) || name.includes('.');
}
