import parse, { type JsonPathQuery } from 'jsonpath-rfc9535/parser';
import { safeRegExp } from '../../core/safe-regexp.ts';

/** The names and indices from the root of a document to a value (RFC 9535, section 2.7). */
export type Location = readonly (string | number)[];

/** Evaluates a query on a document; returns each location once, in order. */
export type JsonPath = (root: unknown, limit: StepLimit) => readonly Location[];

type Selection = Segments[number]['node'];
type Selector = Extract<Selection, { selectors: unknown }>['selectors'][number] | Selection;

const LONGEST_QUERY = 2000;

/**
 * Compiles a JSONPath query (RFC 9535).
 *
 * A library parses the query. It is evaluated here to count every visited value, because short queries can
 * take arbitrarily long.
 */
export function compileJsonPath(query: string): JsonPath {
  if (query.length > LONGEST_QUERY)
    throw new JsonPathMistake(`it is longer than ${LONGEST_QUERY} characters`);
  const { segments } = parseQuery(query);
  return (value, limit) => {
    const root: QueryNode = { value, name: undefined, above: undefined };
    const context: FilterContext = {
      root,
      limit,
      resolve: (parts, from) => resolveSegments(parts, from, context),
    };
    const locations = context.resolve(segments, root).map(locationOf);
    return [...new Map(locations.map((location) => [JSON.stringify(location), location])).values()];
  };
}

function parseQuery(query: string): JsonPathQuery {
  try {
    return parse(query);
  } catch (error) {
    throw new JsonPathMistake(error instanceof RangeError ? 'it is nested too deeply' : reasonOf(error));
  }
}

/** The parser's message lists all alternatives first; the found text is at its end. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const found = /but (.*) found\.?$/s.exec(message)?.[1];
  const location = error instanceof Error && 'location' in error ? error.location : undefined;
  const start = typeof location === 'object' && location !== null && 'start' in location && location.start;
  const column = typeof start === 'object' && start !== null && 'column' in start && start.column;
  const at = typeof column === 'number' ? column : undefined;
  const hint = found === '"-"' || found === '"/"' ? "; other names than words are written ['x-name']" : '';
  return `${found ?? message} is not expected${at === undefined ? '' : ` at character ${at}`}${hint}`;
}

function locationOf(node: QueryNode): Location {
  const names: (string | number)[] = [];
  for (let at: QueryNode | undefined = node; at?.name !== undefined; at = at.above) names.push(at.name);
  return names.reverse();
}

function resolveSegments(segments: Segments, from: QueryNode, context: FilterContext): readonly QueryNode[] {
  return segments.reduce<readonly QueryNode[]>(
    (nodes, { type, node: selection }) => {
      const found: QueryNode[] = [];
      for (const node of nodes) {
        if (type === 'DescendantSegment') visitBelow(node, selection, context, found);
        else select(node, selection, context, found);
      }
      return found;
    },
    [from],
  );
}

/** The node and all its descendants, ancestors first (section 2.5.2). */
function visitBelow(
  start: QueryNode,
  selection: Selection,
  context: FilterContext,
  found: QueryNode[],
): void {
  const waiting = [start];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    select(node, selection, context, found);
    waiting.push(...childrenOf(node, context.limit).toReversed());
  }
}

function select(node: QueryNode, selector: Selector, context: FilterContext, found: QueryNode[]): void {
  context.limit.spend(1);
  switch (selector.type) {
    case 'BracketedSelection':
      for (const each of selector.selectors) select(node, each, context, found);
      break;
    case 'NameSelector':
    case 'MemberNameShorthand':
      found.push(...memberOf(node, selector.value));
      break;
    case 'IndexSelector':
      found.push(...itemOf(node, selector.value));
      break;
    case 'WildcardSelector':
      found.push(...childrenOf(node, context.limit));
      break;
    case 'SliceSelector':
      found.push(...sliceOf(node, selector, context.limit));
      break;
    case 'FilterSelector':
      for (const child of childrenOf(node, context.limit)) {
        if (passesFilter(selector.value, child, context)) found.push(child);
      }
      break;
  }
}

function below(above: QueryNode, name: string | number, value: unknown): QueryNode {
  return { value, name, above };
}

function memberOf(node: QueryNode, name: string): readonly QueryNode[] {
  const { value } = node;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.hasOwn(value, name) ? [below(node, name, Reflect.get(value, name))] : [];
}

function itemOf(node: QueryNode, index: number): readonly QueryNode[] {
  const { value } = node;
  if (!Array.isArray(value)) return [];
  const place = index < 0 ? value.length + index : index;
  return place in value ? [below(node, place, value[place])] : [];
}

function childrenOf(node: QueryNode, limit: StepLimit): readonly QueryNode[] {
  const { value } = node;
  if (typeof value !== 'object' || value === null) return [];
  const children = Array.isArray(value)
    ? value.map((item, index) => below(node, index, item))
    : Object.entries(value).map(([name, member]) => below(node, name, member));
  limit.spend(children.length);
  return children;
}

/** Section 2.3.4.2.2. */
function sliceOf(
  node: QueryNode,
  { start, end, step }: Extract<Selector, { type: 'SliceSelector' }>,
  limit: StepLimit,
): readonly QueryNode[] {
  const by = step ?? 1;
  if (!Array.isArray(node.value) || by === 0) return [];
  const { length } = node.value;
  const bound = (place: number, least: number, most: number): number =>
    Math.min(Math.max(place < 0 ? length + place : place, least), most);
  const found: QueryNode[] = [];
  const [least, most] = by > 0 ? [0, length] : [-1, length - 1];
  const last = end === null ? (by > 0 ? length : -1) : bound(end, least, most);
  for (
    let at = start === null ? (by > 0 ? 0 : length - 1) : bound(start, least, most);
    by > 0 ? at < last : at > last;
    at += by
  ) {
    limit.spend(1);
    found.push(...itemOf(node, at));
  }
  return found;
}

/** A node during the evaluation. */
interface QueryNode {
  readonly value: unknown;
  /** The name or index in the parent; both undefined at the root. */
  readonly name: string | number | undefined;
  readonly above: QueryNode | undefined;
}

type Segments = JsonPathQuery['segments'];

/** The value of an empty result (RFC 9535, section 2.3.5.1). */
const NOTHING: unique symbol = Symbol('nothing');

/** An invalid query, with the reason for its author. */
export class JsonPathMistake extends Error {}

/** The context for evaluating a filter. */
interface FilterContext {
  readonly root: QueryNode;
  readonly limit: StepLimit;
  readonly resolve: (segments: Segments, from: QueryNode) => readonly QueryNode[];
}

type ChildSelector = Extract<Segments[number]['node'], { selectors: unknown }>['selectors'][number];
export type Filter = Extract<ChildSelector, { type: 'FilterSelector' }>['value'];
type Comparison = Extract<Filter, { type: 'ComparisonExpr' }>;
type Comparable = Comparison['left'];
type Tested = Extract<Filter, { type: 'TestExpr' }>['expression'];
export type FunctionCall = Extract<Tested, { type: 'FunctionExpr' }>;
type FilterQuery = Extract<Tested, { type: 'FilterQuery' }>;

/** Whether a filter accepts a node (section 2.3.5). */
function passesFilter(filter: Filter, node: QueryNode, context: FilterContext): boolean {
  context.limit.spend(1);
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

/** The results of a query in a filter. */
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
  return callFunction(call.name, nodes, context.limit);
}

function compares({ left, right, op }: Comparison, node: QueryNode, context: FilterContext): boolean {
  const [one, other] = [comparedValue(left, node, context), comparedValue(right, node, context)];
  const same = () => isEqual(one, other, context.limit);
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

/** Only numbers and strings are ordered (section 2.3.5.2.2). */
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

/** Whether two JSON values are equal (RFC 9535, section 2.3.5.2.2). */
function isEqual(one: unknown, other: unknown, limit: StepLimit): boolean {
  limit.spend(1);
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every(
      (name) =>
        Object.hasOwn(other, name) && isEqual(Reflect.get(one, name), Reflect.get(other, name), limit),
    )
  );
}

/** An argument of a function: the nodes of a query, or a value. */
export type FunctionArgument = readonly QueryNode[] | { readonly value: unknown };

type FilterFunction = (args: readonly FunctionArgument[], limit: StepLimit) => unknown;

/** The functions of RFC 9535, section 2.4, with their number of arguments. */
const FUNCTIONS: ReadonlyMap<string, readonly [count: number, call: FilterFunction]> = new Map([
  ['length', [1, ([argument]) => lengthOf(valueIn(argument))]],
  ['count', [1, ([argument]) => (isNodes(argument) ? argument.length : NOTHING)]],
  ['value', [1, ([argument]) => valueIn(argument)]],
  ['match', [2, ([text, pattern], limit) => matches(text, pattern, limit, (source) => `^(?:${source})$`)]],
  ['search', [2, ([text, pattern], limit) => matches(text, pattern, limit, (source) => source)]],
]);

/** The result of a function: a value, {@link NOTHING}, or a boolean for `match` and `search`. */
function callFunction(name: string, args: readonly FunctionArgument[], limit: StepLimit): unknown {
  const [count, call] = FUNCTIONS.get(name) ?? [];
  if (call === undefined) {
    throw new JsonPathMistake(
      `there is no function "${name}": known are ${[...FUNCTIONS.keys()].join(', ')}`,
    );
  }
  if (args.length !== count)
    throw new JsonPathMistake(`${name} takes ${count} arguments, not ${args.length}`);
  return call(args, limit);
}

function isNodes(argument: FunctionArgument | undefined): argument is readonly QueryNode[] {
  return Array.isArray(argument);
}

/** The value of an argument; for a query, that of its only node. */
function valueIn(argument: FunctionArgument | undefined): unknown {
  if (argument === undefined) return NOTHING;
  if (!isNodes(argument)) return 'value' in argument ? argument.value : NOTHING;
  const [only] = argument;
  return argument.length === 1 && only !== undefined ? only.value : NOTHING;
}

function lengthOf(value: unknown): unknown {
  if (typeof value === 'string') return [...value].length;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : NOTHING;
}

/** False if the text does not match or an argument is not a string. Time grows with both lengths. */
function matches(
  text: FunctionArgument | undefined,
  pattern: FunctionArgument | undefined,
  limit: StepLimit,
  frame: (source: string) => string,
): boolean {
  const [value, source] = [valueIn(text), valueIn(pattern)];
  if (typeof value !== 'string' || typeof source !== 'string') return false;
  const expression = safeRegExp(frame(source), '');
  if (expression === undefined) {
    throw new JsonPathMistake(
      `${JSON.stringify(source)} is not a pattern that can be matched in linear time`,
    );
  }
  limit.spend((value.length + 1) * (source.length + 1));
  return expression.test(value);
}

/** The limit for applying an overlay from an untrusted author. */
export interface StepLimit {
  /** Throws {@link StepLimitExceeded} if the limit is exceeded. */
  spend(steps: number): void;
}

export class StepLimitExceeded extends Error {}

/** A step is a visited, compared or copied value, or a character that is matched. */
export function stepLimit(steps: number): StepLimit {
  let left = steps;
  return {
    spend(more) {
      left -= more;
      if (left < 0) throw new StepLimitExceeded();
    },
  };
}
