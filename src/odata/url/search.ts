import type { SearchExpression } from '../../engine/tree/query-tree.ts';
import { type Cursor, parseLiteral, takeDoubleQuoted } from './lexer.ts';

const BEFORE_OPTION = /;[ \t]*(?:\$?[a-z]+|@\w+)=/iy;
const WORD = /[^ "();\p{Cc}]+/uy;

/** search = BWS ( string / searchExpr ) (Part 2, 5.1.8). A string in single quotes is one free-form term. */
export function parseSearch(cursor: Cursor): SearchExpression {
  cursor.skipSpace();
  const { position } = cursor;
  if (!cursor.at("'")) return parseOr(cursor);
  return term(cursor, position, parseLiteral(cursor)?.text ?? '');
}

/** searchOrExpr = searchExpr RWS 'OR' RWS searchExpr. Operators are in upper case. */
function parseOr(cursor: Cursor): SearchExpression {
  let left = parseAnd(cursor);
  for (let at = takeOperator(cursor, 'OR'); at !== undefined; at = takeOperator(cursor, 'OR')) {
    left = { kind: 'searchOr', position: at, left, right: parseAnd(cursor) };
  }
  return left;
}

/** searchAndExpr = searchExpr RWS [ 'AND' RWS ] searchExpr. */
function parseAnd(cursor: Cursor): SearchExpression {
  let left = parseOperand(cursor);
  for (let at = takeAnd(cursor); at !== undefined; at = takeAnd(cursor)) {
    left = { kind: 'searchAnd', position: at, left, right: parseOperand(cursor) };
  }
  return left;
}

/** The position of an AND, or of an operand that follows without one. */
function takeAnd(cursor: Cursor): number | undefined {
  const explicit = takeOperator(cursor, 'AND');
  if (explicit !== undefined) return explicit;
  const start = cursor.position;
  if (takeOperator(cursor, 'OR') === undefined && cursor.skipSpace() && atOperand(cursor)) {
    return cursor.position;
  }
  cursor.position = start;
  return undefined;
}

function atOperand(cursor: Cursor): boolean {
  return !cursor.done && !cursor.at(')') && !atSeparator(cursor);
}

/**
 * True if a semicolon ends the search: as data it should be percent-encoded, but clients that encode whole
 * values encode separators, too, which are then followed by an option.
 */
function atSeparator(cursor: Cursor): boolean {
  const { position } = cursor;
  if (!cursor.at(';') || !cursor.encodedSemicolons.has(position)) return cursor.at(';');
  const isBeforeOption = cursor.match(BEFORE_OPTION) !== undefined;
  cursor.position = position;
  return isBeforeOption;
}

/** RWS keyword RWS before an operand; elsewhere AND, OR and NOT are ordinary words. */
function takeOperator(cursor: Cursor, keyword: 'AND' | 'OR'): number | undefined {
  const start = cursor.position;
  if (cursor.skipSpace()) {
    const { position } = cursor;
    if (takeKeyword(cursor, keyword)) return position;
  }
  cursor.position = start;
  return undefined;
}

function takeKeyword(cursor: Cursor, keyword: string): boolean {
  const start = cursor.position;
  if (cursor.take(keyword) && cursor.skipSpace() && atOperand(cursor)) return true;
  cursor.position = start;
  return false;
}

/** searchParenExpr / searchNegateExpr / searchPhrase / searchWord. */
function parseOperand(cursor: Cursor): SearchExpression {
  const { position } = cursor;
  if (cursor.at('(')) return cursor.nest('depth', () => parseParentheses(cursor));
  if (takeKeyword(cursor, 'NOT')) {
    cursor.countNode(position);
    return { kind: 'searchNot', position, operand: cursor.nest('depth', () => parseOperand(cursor)) };
  }
  if (cursor.at('"')) return term(cursor, position, parsePhrase(cursor));
  return term(cursor, position, takeWord(cursor) ?? cursor.fail('a search term'));
}

/** searchWord = 1*( searchChar / SQUOTE ): no white space, parentheses, double quotes or bare semicolons. */
function takeWord(cursor: Cursor): string | undefined {
  const start = cursor.position;
  while (cursor.match(WORD) !== undefined || (cursor.at(';') && !atSeparator(cursor) && cursor.take(';')));
  return cursor.position > start ? cursor.text.slice(start, cursor.position) : undefined;
}

function term(cursor: Cursor, position: number, text: string): SearchExpression {
  cursor.countNode(position);
  return { kind: 'term', position, text };
}

/** searchParenExpr = OPEN BWS searchExpr BWS CLOSE. */
function parseParentheses(cursor: Cursor): SearchExpression {
  cursor.expect('(');
  cursor.skipSpace();
  const expression = parseOr(cursor);
  cursor.skipSpace();
  cursor.expect(')');
  return expression;
}

/** searchPhrase = quotation-mark 1*phraseChar quotation-mark; a backslash escapes both quote and backslash. */
function parsePhrase(cursor: Cursor): string {
  const { position } = cursor;
  const text = takeDoubleQuoted(cursor).slice(1, -1);
  if (text === '') cursor.fail('a phrase that is not empty', position);
  return text.replaceAll(/\\(["\\])/g, '$1');
}
