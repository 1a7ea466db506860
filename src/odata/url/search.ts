import type { SearchExpression } from '../../engine/tree/expression-tree.ts';
import type { Cursor } from './cursor.ts';
import { takeDoubleQuoted } from './double-quoted.ts';
import { parseLiteral } from './literals.ts';

const WORD = /[^ "()\p{Cc}]+/uy;
/** In the parentheses of another option a semicolon ends the search. */
const NESTED_WORD = /[^ "();\p{Cc}]+/uy;
const BEFORE_OPERAND = /[ \t]+(?=[^ \t);])/y;

/** search = BWS ( string / searchExpr ) (Part 2, 5.1.8). A string in single quotes is one free-form term. */
export function parseSearch(cursor: Cursor, nested: boolean): SearchExpression {
  cursor.skipSpace();
  const { position } = cursor;
  if (!cursor.at("'")) return parseOr(cursor, nested ? NESTED_WORD : WORD);
  return term(cursor, position, parseLiteral(cursor)?.text ?? '');
}

/** searchOrExpr = searchExpr RWS 'OR' RWS searchExpr. Operators are in upper case. */
function parseOr(cursor: Cursor, word: RegExp): SearchExpression {
  let left = parseAnd(cursor, word);
  for (let at = takeOperator(cursor, 'OR'); at !== undefined; at = takeOperator(cursor, 'OR')) {
    left = { kind: 'searchOr', position: at, left, right: parseAnd(cursor, word) };
  }
  return left;
}

/** searchAndExpr = searchExpr RWS [ 'AND' RWS ] searchExpr. */
function parseAnd(cursor: Cursor, word: RegExp): SearchExpression {
  let left = parseOperand(cursor, word);
  for (let at = takeAnd(cursor, word); at !== undefined; at = takeAnd(cursor, word)) {
    left = { kind: 'searchAnd', position: at, left, right: parseOperand(cursor, word) };
  }
  return left;
}

/** The position of an AND, or of an operand that follows without one. */
function takeAnd(cursor: Cursor, word: RegExp): number | undefined {
  const explicit = takeOperator(cursor, 'AND');
  if (explicit !== undefined) return explicit;
  const start = cursor.position;
  if (takeOperator(cursor, 'OR') === undefined && cursor.skipSpace() && atOperand(cursor, word)) {
    return cursor.position;
  }
  cursor.position = start;
  return undefined;
}

function atOperand(cursor: Cursor, word: RegExp): boolean {
  return !cursor.done && !cursor.at(')') && !(word === NESTED_WORD && cursor.at(';'));
}

/** RWS keyword RWS, where an operand follows: elsewhere AND, OR and NOT are words like any other. */
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
  if (cursor.take(keyword) && cursor.match(BEFORE_OPERAND) !== undefined) return true;
  cursor.position = start;
  return false;
}

/** searchParenExpr / searchNegateExpr / searchPhrase / searchWord. */
function parseOperand(cursor: Cursor, word: RegExp): SearchExpression {
  const { position } = cursor;
  if (cursor.at('(')) return cursor.nest('depth', () => parseParentheses(cursor, word));
  if (takeKeyword(cursor, 'NOT')) {
    cursor.countNode(position);
    return { kind: 'searchNot', position, operand: cursor.nest('depth', () => parseOperand(cursor, word)) };
  }
  if (cursor.at('"')) return term(cursor, position, parsePhrase(cursor));
  return term(cursor, position, cursor.match(word) ?? cursor.fail('a search term'));
}

function term(cursor: Cursor, position: number, text: string): SearchExpression {
  cursor.countNode(position);
  return { kind: 'term', position, text };
}

/** searchParenExpr = OPEN BWS searchExpr BWS CLOSE. */
function parseParentheses(cursor: Cursor, word: RegExp): SearchExpression {
  cursor.expect('(');
  cursor.skipSpace();
  const expression = parseOr(cursor, word);
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
