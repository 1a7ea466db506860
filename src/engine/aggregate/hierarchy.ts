import type { Row, Value } from '../../contract/row.ts';
import { finished, groupedBy, type Work } from '../../core/work.ts';
import { recursiveHierarchies } from '../../model/edm.ts';
import { compileValue } from '../compile/compile.ts';
import { requireCollection } from '../operators/bind-operator.ts';
import { scopeOfItems } from '../results/result-type.ts';
import {
  type BoundExpression,
  badRequest,
  bind,
  call,
  type InputSet,
  notImplemented,
  quote,
  type Scope,
  variableOf,
} from '../scope/scope.ts';
import type { Expression, HierarchyReference, NameSegment } from '../tree/query-tree.ts';
import { isCollection, itemType, structuredOf } from '../typing/expression-type.ts';
import { bindNames } from './aggregate.ts';
import { groupKey, groupKeyReader } from './group-rows.ts';

/** The identifier of a node in a hierarchy; null without one. */
export type NodeKey = unknown;

/** The nodes of a hierarchy in one run. A parent outside of the nodes is ignored. */
export interface Tree {
  readonly nodes: ReadonlyMap<NodeKey, Row>;
  readonly parentOf: (node: NodeKey) => NodeKey;
  /** In the order that the nodes have. */
  readonly childrenOf: (node: NodeKey) => readonly NodeKey[];
}

/** A hierarchy that a transformation names, compiled. */
export interface BoundHierarchy {
  /** The property that identifies nodes. */
  readonly node: string;
  /** The scope of expressions on a node. */
  readonly scope: Scope;
  /** Its nodes, as they are. */
  readonly nodes: () => readonly Row[];
  /** The map key for a value of the identifying property. */
  readonly keyOf: (value: Value) => NodeKey;
  readonly tree: (nodes: readonly Row[]) => Work<Tree>;
}

/** Nodes, and the hierarchy of their type that is meant. */
interface NamedHierarchy extends Pick<HierarchyReference, 'qualifier' | 'position'> {
  readonly nodes: BoundExpression;
}

/**
 * Compiles the tree that nodes of a recursive hierarchy make (Data Aggregation 4.0, 6.1). Each node says which one it
 * is below, so that there is no more than one way up from it; where the data is circular, each node of it counts
 * once, and none of them is below a root.
 */
export function bindHierarchy({ nodes, qualifier, position }: NamedHierarchy, scope: Scope): BoundHierarchy {
  const collection = requireCollection(nodes, 'a hierarchy', scope, position);
  const type = structuredOf(itemType(collection.type));
  const known = type !== undefined && 'key' in type ? recursiveHierarchies(type) : [];
  const hierarchy = known.find((each) => each.qualifier === qualifier);
  if (hierarchy === undefined) throw unknownHierarchy(qualifier, known, scope, position);
  const inner = scopeOfItems(scope, collection);
  const read = (name: string) => groupKeyReader(bindNames([name], position, inner), inner);
  const [nodeOf, parentOf] = [read(hierarchy.node), read(hierarchy.parent)] as const;
  const rows = compileValue(collection);
  const { current } = scope;
  return {
    node: hierarchy.node,
    scope: inner,
    keyOf: groupKey(bindNames([hierarchy.node], position, inner), inner) ?? ((value) => value),
    nodes: () => (rows({}) ?? []) as readonly Row[],
    *tree(found) {
      current.budget.chargeRows(found.length);
      const byKey = new Map<NodeKey, Row>();
      for (const row of found) {
        byKey.set(nodeOf(row), row);
        if (current.isDue()) yield;
      }
      const parent = (node: NodeKey): NodeKey => {
        const row = byKey.get(node);
        const above = row === undefined ? undefined : parentOf(row);
        return byKey.has(above) ? above : null;
      };
      const children = yield* groupedBy(byKey.keys(), current, parent);
      return { nodes: byKey, parentOf: parent, childrenOf: (node) => children.get(node) ?? [] };
    },
  };
}

/** Binds the path from an instance to the node that it belongs to. */
export function bindNodePath({ path, position }: HierarchyReference, scope: Scope): (row: Row) => NodeKey {
  const found = bindNames(path, position, scope);
  if (isCollection(found.type))
    throw notImplemented(scope, position, 'a path to several nodes of a hierarchy');
  return groupKeyReader(found, scope);
}

function unknownHierarchy(
  qualifier: string,
  known: readonly { readonly qualifier: string }[],
  scope: Scope,
  position: number,
): Error {
  const names = known.map((each) => quote(each.qualifier)).join(', ');
  const expected = names === '' ? 'entities that have a parent of their own type' : `the hierarchy ${names}`;
  return badRequest(scope, position, `expected ${expected}, found ${quote(qualifier)}`);
}

/** A predicate on one or two nodes. */
interface Question {
  /** The parameter for the other node, if any. */
  readonly other?: string;
  /** True if it accepts `MaxDistance` and `IncludeSelf`. */
  readonly ranged?: true;
  readonly ask: (tree: Tree, node: NodeKey, other: NodeKey, range: Range) => boolean;
}

interface Range {
  readonly distance: number;
  readonly self: boolean;
  /** Called for each node that is looked at. */
  readonly charge: () => void;
}

/** The functions of hierarchies (Data Aggregation 4.0, 5.5.1.1). */
const QUESTIONS: ReadonlyMap<string, Question> = new Map<string, Question>([
  ['isnode', { ask: ({ nodes }, node) => nodes.has(node) }],
  ['isroot', { ask: ({ nodes, parentOf }, node) => nodes.has(node) && parentOf(node) === null }],
  ['isleaf', { ask: ({ nodes, childrenOf }, node) => nodes.has(node) && childrenOf(node).length === 0 }],
  ['isdescendant', { other: 'Ancestor', ranged: true, ask: isBelow }],
  [
    'isancestor',
    {
      other: 'Descendant',
      ranged: true,
      ask: (tree, node, other, range) => isBelow(tree, other, node, range),
    },
  ],
  [
    'issibling',
    {
      other: 'Other',
      ask: ({ parentOf }, node, other) =>
        node !== other && parentOf(node) !== null && parentOf(node) === parentOf(other),
    },
  ],
]);

const NAME = /^(?:Aggregation|Org\.OData\.Aggregation\.V1)\.(\w+)$/;

/** The predicate of a hierarchy function; undefined for other names. */
export function hierarchyPredicate(name: string): Question | undefined {
  return QUESTIONS.get(hierarchyFunction(name) ?? '');
}

/** The name without the vocabulary's namespace; undefined for that of another namespace. */
function hierarchyFunction(name: string): string | undefined {
  return NAME.exec(name)?.[1];
}

/** Binds the call of a function of hierarchies: `Aggregation.isroot(HierarchyNodes=…,HierarchyQualifier='…',Node=…)`. */
export function bindHierarchyFunction(
  question: Question,
  segment: NameSegment,
  scope: Scope,
): BoundExpression {
  const { other, ask } = question;
  const { name, position } = segment;
  const given = givenArguments(question, segment, scope);
  const argument = (parameter: string): BoundExpression | undefined => {
    const argument = given.get(parameter);
    return argument && bind(argument, scope);
  };
  const needed = (parameter: string): BoundExpression => {
    const found = argument(parameter);
    if (found === undefined) throw wrongParameters(question, segment, scope);
    return found;
  };
  const constantOf = (parameter: string, type: 'string' | 'number' | 'boolean'): Value | undefined => {
    const bound = argument(parameter);
    if (bound === undefined) return undefined;
    if (bound.kind === 'constant' && typeof bound.value === type) return bound.value;
    throw badRequest(scope, position, `${quote(name)} expects a ${type} for ${parameter}`);
  };
  const collection = needed('HierarchyNodes');
  const nodes = [needed('Node'), ...(other === undefined ? [] : [needed(other)])];
  const qualifier = String(constantOf('HierarchyQualifier', 'string') ?? '');
  const { keyOf, tree } = bindHierarchy({ nodes: collection, qualifier, position }, scope);
  const range: Range = {
    distance: Number(constantOf('MaxDistance', 'number') ?? Number.POSITIVE_INFINITY),
    self: constantOf('IncludeSelf', 'boolean') === true,
    charge: () => scope.current.budget.chargeItems(1),
  };
  const treeOf = knownTree((rows) => finished(tree(rows)));
  const evaluate = (rows: readonly Row[], node: Value, second: Value): boolean => {
    range.charge();
    return ask(treeOf(rows), keyOf(node), keyOf(second), range);
  };
  return call(name, 'Edm.Boolean', position, [collection, ...nodes], evaluate);
}

function parametersOf({ other, ranged }: Question): Readonly<Record<'needed' | 'others', readonly string[]>> {
  const needed = ['HierarchyNodes', 'HierarchyQualifier', 'Node', ...(other === undefined ? [] : [other])];
  return { needed, others: ranged === true ? ['MaxDistance', 'IncludeSelf'] : [] };
}

/** The arguments by their names, which are all that are needed, and no others than the function has. */
function givenArguments(
  question: Question,
  segment: NameSegment,
  scope: Scope,
): ReadonlyMap<string, Expression> {
  const { needed, others } = parametersOf(question);
  const given = new Map((segment.arguments ?? []).map((each) => [each.name ?? '', each.value]));
  const isWhole = needed.every((each) => given.has(each));
  const isKnown = [...given.keys()].every((each) => needed.includes(each) || others.includes(each));
  if (!isWhole || !isKnown) throw wrongParameters(question, segment, scope);
  return given;
}

function wrongParameters(
  question: Question,
  { name, arguments: given = [], position }: NameSegment,
  scope: Scope,
): Error {
  const { needed, others } = parametersOf(question);
  const expected = [...needed, ...others.map((each) => `${each}?`)].join(', ');
  const found = given.map((each) => each.name ?? 'a value').join(', ') || 'none';
  return badRequest(scope, position, `${quote(name)} expects the parameters (${expected}), found ${found}`);
}

/** The tree of the same nodes is made once. */
function knownTree(make: (nodes: readonly Row[]) => Tree): (nodes: readonly Row[]) => Tree {
  const trees = new WeakMap<readonly Row[], Tree>();
  return (nodes) => {
    const tree = trees.get(nodes) ?? make(nodes);
    trees.set(nodes, tree);
    return tree;
  };
}

/** Whether the way up from a node leads to the other one. It ends where the data is circular. */
function isBelow(
  { nodes, parentOf }: Tree,
  node: NodeKey,
  other: NodeKey,
  { distance, self, charge }: Range,
): boolean {
  if (self && node === other) return nodes.has(node);
  const seen = new Set<NodeKey>();
  let above = node;
  while (seen.size < distance && nodes.has(above) && !seen.has(above)) {
    charge();
    seen.add(above);
    above = parentOf(above);
    if (above === other && nodes.has(above)) return true;
  }
  return false;
}

/** The value of `Aggregation.rollupnode()` while the instances below a node are transformed. */
export function rollupNode({ scope }: BoundHierarchy, position: number): InputSet {
  const { instance, reads, related, calls } = scope;
  return {
    variable: variableOf(instance.type, position),
    reads: { properties: reads, related, calls },
    isAskedFor: false,
  };
}

/** Whether a name is that of the function that says the node (Data Aggregation 4.0, 6.3). */
export function isRollupNode(name: string): boolean {
  return hierarchyFunction(name) === 'rollupnode';
}

/** Binds `Aggregation.rollupnode(Position=2)`: the node of that one of the `rolluprecursive` around, or of the first. */
export function bindRollupNode(
  { name, arguments: given = [], position }: NameSegment,
  scope: Scope,
): BoundExpression {
  const { rollupNodes } = scope;
  if (rollupNodes === undefined) {
    const place = "in what 'groupby' does with the nodes of 'rolluprecursive'";
    throw badRequest(scope, position, `${quote(name)} has a value ${place} alone, found it elsewhere`);
  }
  const [first, ...others] = given;
  const isKnown = others.length === 0 && (first === undefined || first.name === 'Position');
  const node = isKnown ? rollupNodes[numberOf(first && bind(first.value, scope)) - 1] : undefined;
  if (node === undefined) {
    const most = rollupNodes.length === 1 ? '1' : `from 1 to ${rollupNodes.length}`;
    throw badRequest(
      scope,
      position,
      `${quote(name)} expects no parameter or Position, which is ${most} here`,
    );
  }
  node.isAskedFor = true;
  return node.variable;
}

function numberOf(place: BoundExpression | undefined): number {
  if (place === undefined) return 1;
  return place.kind === 'constant' && typeof place.value === 'number' ? place.value : Number.NaN;
}
