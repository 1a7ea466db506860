import type { Effort } from './effort.ts';
import { callFunction } from './filter-function.ts';
import { NOTHING, type QueryNode, type Segments } from './query-node.ts';

/** What a filter is evaluated with. */
export interface FilterContext {
  readonly root: QueryNode;
  readonly effort: Effort;
  readonly resolve: (segments: Segments, from: QueryNode) => readonly QueryNode[];
}

type Selector = Extract<Segments[number]['node'], { selectors: unknown }>['selectors'][number];
export type Filter = Extract<Selector, { type: 'FilterSelector' }>['value'];
type Comparison = Extract<Filter, { type: 'ComparisonExpr' }>;
type Comparable = Comparison['left'];
type Tested = Extract<Filter, { type: 'TestExpr' }>['expression'];
export type FunctionCall = Extract<Tested, { type: 'FunctionExpr' }>;
type FilterQuery = Extract<Tested, { type: 'FilterQuery' }>;

/** Whether a filter lets a node pass (section 2.3.5). */
export function passesFilter(filter: Filter, node: QueryNode, context: FilterContext): boolean {
  context.effort.spend(1);
  switch (filter.type) {
    case 'LogicalOrExpr':
      return passesFilter(filter.left, node, context) || passesFilter(filter.right, node, context);
    case 'LogicalAndExpr':
      return passesFilter(filter.left, node, context) && passesFilter(filter.right, node, context);
    case 'LogicalNotExpr':
      return !passesFilter(filter.expression, node, context);
    case 'TestExpr':
      return filter.expression.type === 'FilterQuery'
        ? nodesOf(filter.expression, node, context).length > 0
        : resultOf(filter.expression, node, context) === true;
    case 'ComparisonExpr':
      return compares(filter, node, context);
  }
}

/** The nodes that a query in a filter finds. */
function nodesOf(
  { value: query }: FilterQuery,
  node: QueryNode,
  context: FilterContext,
): readonly QueryNode[] {
  return context.resolve(query.segments, query.type === 'RelQuery' ? node : context.root);
}

function resultOf(call: FunctionCall, node: QueryNode, context: FilterContext): unknown {
  const nodes = call.arguments.map((argument): readonly QueryNode[] | { readonly value: unknown } => {
    switch (argument.type) {
      case 'Literal':
        return { value: argument.value };
      case 'FilterQuery':
        return nodesOf(argument, node, context);
      case 'FunctionExpr':
        return { value: resultOf(argument, node, context) };
      default:
        return { value: passesFilter(argument, node, context) };
    }
  });
  return callFunction(call.name, nodes, context.effort);
}

function compares({ left, right, op }: Comparison, node: QueryNode, context: FilterContext): boolean {
  const [one, other] = [comparedValue(left, node, context), comparedValue(right, node, context)];
  const same = () => isEqual(one, other, context.effort);
  switch (op) {
    case '==':
      return same();
    case '!=':
      return !same();
    case '<':
      return isLess(one, other);
    case '<=':
      return isLess(one, other) || same();
    case '>':
      return isLess(other, one);
    case '>=':
      return isLess(other, one) || same();
  }
}

function comparedValue(comparable: Comparable, node: QueryNode, context: FilterContext): unknown {
  switch (comparable.type) {
    case 'Literal':
      return comparable.value;
    case 'FunctionExpr':
      return resultOf(comparable, node, context);
    default: {
      const start = comparable.type === 'RelSingularQuery' ? node : context.root;
      const segments = comparable.segments.map(asChildSegment);
      const [found] = context.resolve(segments, start);
      return found === undefined ? NOTHING : found.value;
    }
  }
}

/** Numbers and texts have an order, and nothing else (section 2.3.5.2.2). */
function isLess(one: unknown, other: unknown): boolean {
  if (typeof one === 'number' && typeof other === 'number') return one < other;
  return typeof one === 'string' && typeof other === 'string' && one < other;
}

type SingularSegment = Extract<Comparable, { segments: unknown }>['segments'][number];

function asChildSegment({ node }: SingularSegment): Segments[number] {
  return node.type === 'MemberNameShorthand'
    ? { type: 'ChildSegment', node }
    : { type: 'ChildSegment', node: { type: 'BracketedSelection', selectors: [node] } };
}

/** Whether two values in JSON are equal: lists by their order, objects by their names (RFC 9535, section 2.3.5.2.2). */
function isEqual(one: unknown, other: unknown, effort: Effort): boolean {
  effort.spend(1);
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every(
      (name) =>
        Object.hasOwn(other, name) && isEqual(Reflect.get(one, name), Reflect.get(other, name), effort),
    )
  );
}
