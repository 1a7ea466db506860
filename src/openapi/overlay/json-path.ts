import parse, { type JsonPathQuery } from 'jsonpath-rfc9535/parser';
import type { Effort } from './effort.ts';
import { type FilterContext, passesFilter } from './filter-expression.ts';
import { JsonPathMistake, type QueryNode, type Segments } from './query-node.ts';

/** The names and indices that lead from the root of a document to a value (RFC 9535, section 2.7). */
export type Location = readonly (string | number)[];

/** Evaluates a query on a document; gives each place once, in the order in which it is found. */
export type JsonPath = (root: unknown, effort: Effort) => readonly Location[];

type Selection = Segments[number]['node'];
type Selector = Extract<Selection, { selectors: unknown }>['selectors'][number] | Selection;

const LONGEST_QUERY = 2000;

/**
 * Compiles a JSONPath query (RFC 9535).
 *
 * The grammar is a library's. Evaluating is done here, because every value that is visited must be paid for:
 * queries of a few characters can take for ever.
 */
export function compileJsonPath(query: string): JsonPath {
  if (query.length > LONGEST_QUERY)
    throw new JsonPathMistake(`it is longer than ${LONGEST_QUERY} characters`);
  const { segments } = parseQuery(query);
  return (value, effort) => {
    const root: QueryNode = { value, name: undefined, above: undefined };
    const context: FilterContext = {
      root,
      effort,
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

/** The parser lists all that it expected, which is long; what it found is at the end. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const found = /but (.*) found\.?$/s.exec(message)?.[1];
  const at = placeIn(error);
  const hint = found === '"-"' || found === '"/"' ? "; other names than words are written ['x-name']" : '';
  return `${found ?? message} is not expected${at === undefined ? '' : ` at character ${at}`}${hint}`;
}

function placeIn(error: unknown): number | undefined {
  const location = error instanceof Error && 'location' in error ? error.location : undefined;
  const start = typeof location === 'object' && location !== null && 'start' in location && location.start;
  const column = typeof start === 'object' && start !== null && 'column' in start && start.column;
  return typeof column === 'number' ? column : undefined;
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

/** The node itself and all below it, each before those below it (section 2.5.2). */
function visitBelow(
  start: QueryNode,
  selection: Selection,
  context: FilterContext,
  found: QueryNode[],
): void {
  const waiting = [start];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    select(node, selection, context, found);
    waiting.push(...childrenOf(node, context.effort).toReversed());
  }
}

function select(node: QueryNode, selector: Selector, context: FilterContext, found: QueryNode[]): void {
  context.effort.spend(1);
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
      found.push(...childrenOf(node, context.effort));
      break;
    case 'SliceSelector':
      found.push(...sliceOf(node, selector, context.effort));
      break;
    case 'FilterSelector':
      for (const child of childrenOf(node, context.effort)) {
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

function childrenOf(node: QueryNode, effort: Effort): readonly QueryNode[] {
  const { value } = node;
  if (typeof value !== 'object' || value === null) return [];
  const children = Array.isArray(value)
    ? value.map((item, index) => below(node, index, item))
    : Object.entries(value).map(([name, member]) => below(node, name, member));
  effort.spend(children.length);
  return children;
}

/** Section 2.3.4.2.2. */
function sliceOf(
  node: QueryNode,
  { start, end, step }: Extract<Selector, { type: 'SliceSelector' }>,
  effort: Effort,
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
    effort.spend(1);
    found.push(...itemOf(node, at));
  }
  return found;
}
