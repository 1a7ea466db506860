import type { CaseExpression, Expression } from '../../engine/tree/expression-tree.ts';
import type { Cursor, Parse } from './cursor.ts';
import { DATE_TIME_OFFSET_FORM } from './literals.ts';

/** caseExpr = "case" OPEN branch *( COMMA branch ) CLOSE (Part 2, 5.1.1.12). */
export function parseCase(
  cursor: Cursor,
  position: number,
  parseExpression: Parse<Expression>,
): CaseExpression {
  cursor.expect('(');
  const branches = cursor.separated(',', () => parseBranch(cursor, parseExpression));
  cursor.skipSpace();
  cursor.expect(')');
  return { kind: 'case', position, branches };
}

/**
 * boolCommonExpr BWS COLON BWS commonExpr.
 *
 * Colons are in times, too. A condition's time is as long as it can be while a colon is left behind it:
 * `a eq 10:20` is a number and its value, `a eq 10:20:30` a time and its value.
 */
function parseBranch(cursor: Cursor, parseExpression: Parse<Expression>) {
  const outer = cursor.timesEnd;
  cursor.timesEnd = lastColon(cursor);
  const condition = parseExpression(cursor);
  cursor.timesEnd = outer;
  cursor.skipSpace();
  cursor.expect(':');
  return { condition, value: parseExpression(cursor) };
}

// What can hold a colon, or an end of a branch, that does not count. Every alternative takes what it has begun.
const PIECE = new RegExp(
  `'(?:[^']|'')*'?|"(?:[^"\\\\]|\\\\[^])*"?|${DATE_TIME_OFFSET_FORM}|[\\w.]+|[^]`,
  'iuy',
);
const OPENING: ReadonlySet<string> = new Set('([{');
const CLOSING: ReadonlySet<string> = new Set(')]}');

/** Where the last colon of a branch is that may stand between condition and value; the text's end if nowhere. */
function lastColon({ text, position }: Cursor): number {
  let found = text.length;
  let depth = 0;
  PIECE.lastIndex = position;
  for (let piece = PIECE.exec(text); piece !== null; piece = PIECE.exec(text)) {
    const [token] = piece;
    if (depth === 0 && (token === ',' || CLOSING.has(token))) break;
    if (OPENING.has(token)) depth += 1;
    if (CLOSING.has(token)) depth -= 1;
    if (depth === 0 && token === ':') found = piece.index;
  }
  return found;
}
