import { parseNames } from './aggregate.ts';
import type { Cursor, Parse } from './cursor.ts';
import { parseExpression } from './expression.ts';
import { parseOrderBy } from './order-by.ts';

// Hierarchical transformations (Data Aggregation 4.0, section 6) are read and forgotten: they have no tree.

const DISTANCE = /\d+/y;
const KEEP_START = /keep[ \t]+start/iy;
const TRAVERSAL = /(?:pre|post)order(?![\p{L}\p{Nd}\p{Pc}])/iuy;

/** Hierarchy nodes, the hierarchy's qualifier and the path to the node's identifier. */
function readHierarchy(cursor: Cursor): void {
  parseExpression(cursor);
  expectComma(cursor);
  cursor.expectIdentifier("a hierarchy's qualifier");
  expectComma(cursor);
  parseNames(cursor);
}

/** ancestors, descendants: hierarchy COMMA sequence [ COMMA distance ] [ COMMA "keep start" ]. */
export function readRelatives(cursor: Cursor, readSequence: Parse<unknown>): void {
  readHierarchy(cursor);
  expectComma(cursor);
  readSequence(cursor);
  if (!takeComma(cursor)) return;
  const distance = cursor.match(DISTANCE);
  if (distance !== undefined && !takeComma(cursor)) return;
  if (cursor.match(KEEP_START) === undefined)
    cursor.fail(distance ? 'keep start' : 'a distance or keep start');
}

/** traverse: hierarchy COMMA ( "preorder" / "postorder" ) [ COMMA sequence ] *( COMMA orderbyItem ). */
export function readTraversal(
  cursor: Cursor,
  atTransformation: Parse<boolean>,
  readSequence: Parse<unknown>,
): void {
  readHierarchy(cursor);
  expectComma(cursor);
  if (cursor.match(TRAVERSAL) === undefined) cursor.fail('preorder or postorder');
  if (!takeComma(cursor)) return;
  if (!atTransformation(cursor)) {
    parseOrderBy(cursor);
    return;
  }
  readSequence(cursor);
  if (takeComma(cursor)) parseOrderBy(cursor);
}

/** rolluprecursive: OPEN hierarchy [ COMMA sequence ] CLOSE. */
export function readRollupRecursive(cursor: Cursor, readSequence: Parse<unknown>): void {
  cursor.expect('(');
  cursor.skipSpace();
  readHierarchy(cursor);
  if (takeComma(cursor)) readSequence(cursor);
  cursor.skipSpace();
  cursor.expect(')');
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
