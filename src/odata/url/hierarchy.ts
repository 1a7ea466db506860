import type { HierarchyReference, RecursiveGrouping, Transformation } from '../../engine/tree/apply-tree.ts';
import { parseNames } from './aggregate.ts';
import type { Cursor, Parse } from './cursor.ts';
import { parseExpression } from './expression.ts';
import { parseOrderBy } from './order-by.ts';

type Relatives = Extract<Transformation, { kind: 'ancestors' | 'descendants' }>;
type Traverse = Extract<Transformation, { kind: 'traverse' }>;
type Sequence = readonly Transformation[];

const DISTANCE = /\d+/y;
const KEEP_START = /keep[ \t]+start/iy;
const TRAVERSAL = /(?:pre|post)order(?![\p{L}\p{Nd}\p{Pc}])/iuy;

/** Hierarchy nodes, the hierarchy's qualifier and the path to the node's identifier (Data Aggregation 4.0, 6.1). */
function parseHierarchy(cursor: Cursor): HierarchyReference {
  const { position } = cursor;
  const nodes = parseExpression(cursor);
  expectComma(cursor);
  const qualifier = cursor.expectIdentifier("a hierarchy's qualifier");
  expectComma(cursor);
  return { position, nodes, qualifier, path: parseNames(cursor) };
}

/** ancestors, descendants: hierarchy COMMA sequence [ COMMA distance ] [ COMMA "keep start" ]. */
export function parseRelatives(
  cursor: Cursor,
  parseSequence: Parse<Sequence>,
): Pick<Relatives, 'hierarchy' | 'then' | 'distance' | 'keepStart'> {
  const hierarchy = parseHierarchy(cursor);
  expectComma(cursor);
  const then = parseSequence(cursor);
  if (!takeComma(cursor)) return { hierarchy, then, keepStart: false };
  const digits = cursor.match(DISTANCE);
  const distance = digits === undefined ? {} : { distance: Number(digits) };
  if (digits !== undefined && !takeComma(cursor)) return { hierarchy, then, ...distance, keepStart: false };
  if (cursor.match(KEEP_START) === undefined) cursor.fail(digits ? 'keep start' : 'a distance or keep start');
  return { hierarchy, then, ...distance, keepStart: true };
}

/** traverse: hierarchy COMMA ( "preorder" / "postorder" ) [ COMMA sequence ] *( COMMA orderbyItem ). */
export function parseTraversal(
  cursor: Cursor,
  atTransformation: Parse<boolean>,
  parseSequence: Parse<Sequence>,
): Pick<Traverse, 'hierarchy' | 'order' | 'start' | 'orderBy'> {
  const hierarchy = parseHierarchy(cursor);
  expectComma(cursor);
  const word = cursor.match(TRAVERSAL) ?? cursor.fail('preorder or postorder');
  const order = word.toLowerCase() === 'preorder' ? 'preorder' : 'postorder';
  if (!takeComma(cursor)) return { hierarchy, order, orderBy: [] };
  if (!atTransformation(cursor)) return { hierarchy, order, orderBy: parseOrderBy(cursor) };
  const start = parseSequence(cursor);
  return { hierarchy, order, start, orderBy: takeComma(cursor) ? parseOrderBy(cursor) : [] };
}

/** rolluprecursive: OPEN hierarchy [ COMMA sequence ] CLOSE. */
export function parseRollupRecursive(
  cursor: Cursor,
  parseSequence: Parse<Sequence>,
): Pick<RecursiveGrouping, 'recursive' | 'start'> {
  cursor.expect('(');
  cursor.skipSpace();
  const recursive = parseHierarchy(cursor);
  const start = takeComma(cursor) ? { start: parseSequence(cursor) } : {};
  cursor.skipSpace();
  cursor.expect(')');
  return { recursive, ...start };
}

function takeComma(cursor: Cursor): boolean {
  const found = cursor.takeSpaced(',');
  if (found) cursor.skipSpace();
  return found;
}

function expectComma(cursor: Cursor): void {
  cursor.skipSpace();
  cursor.expect(',');
  cursor.skipSpace();
}
