import type {
  AggregateItem,
  Expression,
  GroupingItem,
  HierarchyReference,
  NestItem,
  RecursiveGrouping,
  Transformation,
} from '../../engine/tree/query-tree.ts';
import { parseAggregateItem, parseNames } from './aggregate.ts';
import { parseArguments, parseExpression } from './expression.ts';
import type { Cursor } from './lexer.ts';
import { parseSearch } from './search.ts';
import { expectAlias, parseCompute, parseOrderBy } from './select-expand.ts';

type Rank = Extract<Transformation, { kind: 'rank' }>;
type Join = Extract<Transformation, { kind: 'join' | 'outerjoin' }>;
type Relatives = Extract<Transformation, { kind: 'ancestors' | 'descendants' }>;
type Grouping = GroupingItem | RecursiveGrouping;

/** Parses the content of a transformation's parentheses; `position` is that of its name. */
type Rule = (cursor: Cursor, position: number, name: string) => Transformation;

// applyTrafo (Data Aggregation 4.0, section 3). Names are in lower case here and in any case in a URL.
const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['addnested', parseAddNested],
  ['aggregate', parseAggregate],
  ['ancestors', parseRelatives],
  ['bottomcount', parseRank],
  ['bottompercent', parseRank],
  ['bottomsum', parseRank],
  ['compute', (cursor, position) => ({ kind: 'compute', position, items: parseCompute(cursor) })],
  ['concat', parseConcat],
  ['descendants', parseRelatives],
  ['filter', (cursor, position) => ({ kind: 'filter', position, predicate: parseExpression(cursor) })],
  ['groupby', parseGroupBy],
  ['join', parseJoin],
  ['nest', parseNest],
  ['orderby', (cursor, position) => ({ kind: 'orderby', position, items: parseOrderBy(cursor) })],
  ['outerjoin', parseJoin],
  ['search', (cursor, position) => ({ kind: 'search', position, search: parseSearch(cursor) })],
  ['skip', (cursor, position) => ({ kind: 'skip', position, count: parseCount(cursor) })],
  ['top', (cursor, position) => ({ kind: 'top', position, count: parseCount(cursor) })],
  ['topcount', parseRank],
  ['toppercent', parseRank],
  ['topsum', parseRank],
  ['traverse', parseTraverse],
]);

const DIGITS = /\d+/y;

/** applyExpr = applyTrafo *( "/" applyTrafo ). */
export function parseTransformations(cursor: Cursor): readonly Transformation[] {
  return cursor.separated('/', parseTransformation);
}

/** A transformation by its name, or a function of the service: qualifiedFunction functionExprParameters. */
function parseTransformation(cursor: Cursor): Transformation {
  const { position } = cursor;
  cursor.countNode(position);
  const name = cursor.expectQualifiedName('a transformation');
  const lowerCased = name.toLowerCase();
  if (lowerCased === 'identity') return { kind: 'identity', position };
  if (!cursor.at('(')) cursor.fail(`( after ${name.slice(0, 50)}`);
  const rule = RULES.get(lowerCased);
  if (rule !== undefined)
    return cursor.nest('depth', () => cursor.inParentheses(() => rule(cursor, position, lowerCased)));
  parseArguments(cursor, parseExpression);
  return { kind: 'other', position, name };
}

/** aggregateTrafo = "aggregate" OPEN aggregateExpr *( COMMA aggregateExpr ) CLOSE (3.2.1). */
function parseAggregate(cursor: Cursor, position: number): Transformation {
  return { kind: 'aggregate', position, items: cursor.separated(',', parseAliasedItem) };
}

/** aggregateExpr with its alias; only a custom aggregate may do without (3.2.1.1). */
function parseAliasedItem(cursor: Cursor): AggregateItem {
  const item = parseAggregateItem(cursor, parseExpression);
  if (mayBeCustom(item) && cursor.peekSpacedWord() !== 'as') return item;
  return { ...item, alias: expectAlias(cursor) };
}

/** Whether a path without a method may be a custom aggregate, which needs no alias. */
function mayBeCustom({ expression, method, from }: AggregateItem): boolean {
  if (method !== undefined || from.length > 0 || expression?.kind !== 'path') return false;
  return expression.segments.at(-1)?.kind === 'name';
}

/** groupbyTrafo = "groupby" OPEN groupings [ COMMA applyExpr ] CLOSE (3.2.3). */
function parseGroupBy(cursor: Cursor, position: number): Transformation {
  const items = parseGroupings(cursor);
  const then = cursor.takeSpaced(',') ? parseTransformations(cursor) : [];
  return { kind: 'groupby', position, items, then };
}

const ROLLUP_RECURSIVE = /rolluprecursive(?=\()/iy;
const ROLLUP = /rollup(?=\()/iy;

/** The grouping properties of `groupby` (Data Aggregation 4.0, 3.2.3): OPEN item *( COMMA item ) CLOSE. */
function parseGroupings(cursor: Cursor): readonly Grouping[] {
  return cursor.inParentheses(() => cursor.separated(',', parseGrouping));
}

/** groupingProperty / rollupSpec / rolluprecursive. */
function parseGrouping(cursor: Cursor): Grouping {
  const { position } = cursor;
  cursor.countNode(position);
  if (cursor.match(ROLLUP_RECURSIVE) !== undefined) return { position, ...parseRollupRecursive(cursor) };
  if (cursor.match(ROLLUP) === undefined)
    return { position, rollup: false, paths: [parseGroupingPath(cursor)] };
  const paths = cursor.inParentheses(parseRollup);
  return { position, rollup: true, paths };
}

/** [ '$all' COMMA ] path *( COMMA path ): what stands alone is a name, that of a leveled hierarchy among others. */
function parseRollup(cursor: Cursor): readonly (readonly string[])[] {
  const first = cursor.take('$all') ? ['$all'] : parseGroupingPath(cursor);
  if (cursor.takeSpaced(',')) return [first, ...cursor.separated(',', parseGroupingPath)];
  return first.length > 1 || first[0] === '$all' ? cursor.fail('a comma and a further property') : [first];
}

/** A path to a single value: it may lead over type casts, but not end in one. */
function parseGroupingPath(cursor: Cursor): readonly string[] {
  const path = parseNames(cursor);
  if (path.at(-1)?.includes('.')) cursor.fail('/ and a property');
  return path;
}

/** rolluprecursive = name OPEN hierarchy [ COMMA applyExpr ] CLOSE. */
function parseRollupRecursive(cursor: Cursor): Pick<RecursiveGrouping, 'recursive' | 'start'> {
  return cursor.inParentheses(() => {
    const recursive = parseHierarchy(cursor);
    return takeComma(cursor) ? { recursive, start: parseTransformations(cursor) } : { recursive };
  });
}

/** concatTrafo = "concat" OPEN applyExpr 1*( COMMA applyExpr ) CLOSE (3.3.1). */
function parseConcat(cursor: Cursor, position: number): Transformation {
  const first = parseTransformations(cursor);
  cursor.expectSpaced(',');
  return { kind: 'concat', position, sequences: [first, ...cursor.separated(',', parseTransformations)] };
}

/** joinTrafo, outerjoinTrafo = name OPEN path RWS "as" RWS alias [ COMMA applyExpr ] CLOSE (3.5.1). */
function parseJoin(cursor: Cursor, position: number, name: string): Transformation {
  const path = parseNames(cursor);
  const alias = expectAlias(cursor);
  const then = cursor.takeSpaced(',') ? parseTransformations(cursor) : [];
  return { kind: name as Join['kind'], position, path, alias, then };
}

/** nestTrafo = "nest" OPEN nestItem *( COMMA nestItem ) CLOSE (3.5.3). */
function parseNest(cursor: Cursor, position: number): Transformation {
  return { kind: 'nest', position, items: cursor.separated(',', parseNestItem) };
}

/** applyExpr RWS "as" RWS alias. */
function parseNestItem(cursor: Cursor): NestItem {
  const then = parseTransformations(cursor);
  return { then, alias: expectAlias(cursor) };
}

/** addnestedTrafo = "addnested" OPEN path 1*( COMMA nestItem ) CLOSE (3.5.2). */
function parseAddNested(cursor: Cursor, position: number): Transformation {
  const path = parseNames(cursor);
  cursor.expectSpaced(',');
  return { kind: 'addnested', position, path, items: cursor.separated(',', parseNestItem) };
}

/** topcountTrafo and its like = name OPEN commonExpr COMMA commonExpr CLOSE (3.3.2 to 3.3.7). */
function parseRank(cursor: Cursor, position: number, name: string): Transformation {
  const amount: Expression = parseExpression(cursor);
  cursor.expectSpaced(',');
  return { kind: 'rank', position, method: name as Rank['method'], amount, by: parseExpression(cursor) };
}

/** True if the cursor is at a transformation, not at an expression. */
function atTransformation(cursor: Cursor): boolean {
  const start = cursor.position;
  const found = takesTransformation(cursor);
  cursor.position = start;
  return found;
}

/** Consumes a transformation. A function of the service may be either; the text after it decides. */
function takesTransformation(cursor: Cursor): boolean {
  for (;;) {
    const name = cursor.takeQualifiedName()?.toLowerCase() ?? '';
    if (name === 'identity') return true;
    if (!cursor.at('(')) return false;
    if (RULES.has(name)) return true;
    if (!name.includes('.')) return false;
    parseArguments(cursor, parseExpression);
    if (!cursor.takeSpaced('/')) return false;
    cursor.skipSpace();
  }
}

/** 1*DIGIT. */
function parseCount(cursor: Cursor): number {
  const digits = cursor.match(DIGITS) ?? cursor.fail('a non-negative integer');
  return Math.min(Number(digits), Number.MAX_SAFE_INTEGER);
}

const KEEP_START = /keep[ \t]+start/iy;
const TRAVERSAL = /(?:pre|post)order(?![\p{L}\p{Nd}\p{Pc}])/iuy;

/** Hierarchy nodes, the hierarchy's qualifier and the path to the node's identifier (Data Aggregation 4.0, 6.1). */
function parseHierarchy(cursor: Cursor): HierarchyReference {
  const { position } = cursor;
  const nodes = parseExpression(cursor);
  cursor.expectComma();
  const qualifier = cursor.expectIdentifier("a hierarchy's qualifier");
  cursor.expectComma();
  return { position, nodes, qualifier, path: parseNames(cursor) };
}

/**
 * ancestorsTrafo, descendantsTrafo = name OPEN hierarchy COMMA applyExpr [ COMMA distance ] [ COMMA "keep start" ]
 * CLOSE (6.2.1).
 */
function parseRelatives(cursor: Cursor, position: number, name: string): Transformation {
  const hierarchy = parseHierarchy(cursor);
  cursor.expectComma();
  const then = parseTransformations(cursor);
  const relatives = { kind: name as Relatives['kind'], position, hierarchy, then };
  if (!takeComma(cursor)) return { ...relatives, keepStart: false };
  const digits = cursor.match(DIGITS);
  const distance = digits === undefined ? {} : { distance: Number(digits) };
  if (digits !== undefined && !takeComma(cursor)) return { ...relatives, ...distance, keepStart: false };
  if (cursor.match(KEEP_START) === undefined) cursor.fail(digits ? 'keep start' : 'a distance or keep start');
  return { ...relatives, ...distance, keepStart: true };
}

/**
 * traverseTrafo = "traverse" OPEN hierarchy COMMA ( "preorder" / "postorder" ) [ COMMA applyExpr ] *( COMMA orderbyItem ) CLOSE (6.2.2).
 */
function parseTraverse(cursor: Cursor, position: number): Transformation {
  const hierarchy = parseHierarchy(cursor);
  cursor.expectComma();
  const word = cursor.match(TRAVERSAL) ?? cursor.fail('preorder or postorder');
  const order = word.toLowerCase() === 'preorder' ? 'preorder' : 'postorder';
  const traverse = { kind: 'traverse', position, hierarchy, order } as const;
  if (!takeComma(cursor)) return { ...traverse, orderBy: [] };
  if (!atTransformation(cursor)) return { ...traverse, orderBy: parseOrderBy(cursor) };
  const start = parseTransformations(cursor);
  return { ...traverse, start, orderBy: takeComma(cursor) ? parseOrderBy(cursor) : [] };
}

function takeComma(cursor: Cursor): boolean {
  const found = cursor.takeSpaced(',');
  if (found) cursor.skipSpace();
  return found;
}
