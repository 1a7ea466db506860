import type { Row, Value } from '../../contract/row.ts';
import { finished } from '../../contract/work.ts';
import type { BindExpression } from '../scope/bind-expression.ts';
import type { BoundExpression } from '../scope/bound-tree.ts';
import { call } from '../scope/call.ts';
import { badRequest, quote, type Scope } from '../scope/scope.ts';
import type { Expression, NameSegment } from '../tree/expression-tree.ts';
import { bindHierarchy, type NodeKey, type Tree } from './hierarchy.ts';

/** What is asked of a node, and of another one. */
interface Question {
  /** The parameter that names the other node; undefined where there is none. */
  readonly other?: string;
  /** Whether it takes `MaxDistance` and `IncludeSelf`. */
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

/** What a function of hierarchies asks; undefined for any other name. */
export function hierarchyQuestion(name: string): Question | undefined {
  return QUESTIONS.get(hierarchyFunction(name) ?? '');
}

/** The name without the vocabulary's namespace; undefined for that of another namespace. */
export function hierarchyFunction(name: string): string | undefined {
  return NAME.exec(name)?.[1];
}

/** Binds the call of a function of hierarchies: `Aggregation.isroot(HierarchyNodes=…,HierarchyQualifier='…',Node=…)`. */
export function bindHierarchyFunction(
  question: Question,
  segment: NameSegment,
  scope: Scope,
  bind: BindExpression,
): BoundExpression {
  const { other, ask } = question;
  const { name, position } = segment;
  const given = givenArguments(question, segment, scope);
  const argument = (parameter: string): BoundExpression | undefined => {
    const said = given.get(parameter);
    return said && bind(said, scope);
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
  const { keyOf, tree } = bindHierarchy({ nodes: collection, qualifier, position }, scope, bind);
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

/** Whether the way up from a node leads to the other one. It ends where the data leads in a circle. */
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
