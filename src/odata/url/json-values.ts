import type { Expression, ListExpression, Literal, ObjectExpression } from '../../engine/tree/query-tree.ts';
import { type Cursor, type Parse, takeDoubleQuoted } from './lexer.ts';

/** array = "[" [ item *( "," item ) ] "]" of JSON in a URL, where an item may also be an expression. */
export function parseArray(cursor: Cursor, parseExpression: Parse<Expression>): ListExpression {
  const position = cursor.position;
  const items = cursor.nest('depth', () =>
    parseMembers(cursor, '[', ']', () => parseItem(cursor, parseExpression)),
  );
  return { kind: 'list', position, items };
}

/** object = "{" [ member *( "," member ) ] "}"; member = string ":" item. */
export function parseObject(cursor: Cursor, parseExpression: Parse<Expression>): ObjectExpression {
  const position = cursor.position;
  const members = cursor.nest('depth', () =>
    parseMembers(cursor, '{', '}', () => parseMember(cursor, parseExpression)),
  );
  return { kind: 'object', position, members };
}

function parseMembers<Member>(
  cursor: Cursor,
  open: string,
  close: string,
  parse: Parse<Member>,
): readonly Member[] {
  cursor.expect(open);
  if (cursor.takeSpaced(close)) return [];
  const members = cursor.separated(',', parse);
  cursor.expectSpaced(close);
  return members;
}

function parseMember(cursor: Cursor, parseExpression: Parse<Expression>) {
  const name = parseJsonString(cursor).text;
  cursor.expectSpaced(':');
  cursor.skipSpace();
  return { name, value: parseItem(cursor, parseExpression) };
}

function parseItem(cursor: Cursor, parseExpression: Parse<Expression>): Expression {
  if (cursor.at('"')) return parseJsonString(cursor);
  const item = parseExpression(cursor);
  if (item.kind === 'literal') cursor.countLiteral(item.position);
  return item;
}

/** stringInUrl = quotation-mark *charInJSON quotation-mark. */
function parseJsonString(cursor: Cursor): Literal {
  const { position } = cursor;
  const text = readJsonString(takeDoubleQuoted(cursor));
  if (text === undefined) failWithinString(cursor, position);
  return { kind: 'literal', position, type: 'Edm.String', text };
}

const STRING_BEGINNING = /"(?:[^"\\\p{Cc}]|\\["\\/bfnrt]|\\u[\da-f]{4})*(?:\\(?:u[\da-f]{0,3})?)?/iuy;

/**
 * Rejects a string with invalid characters, such as a lone surrogate, as a whole; other errors at their
 * position.
 */
function failWithinString(cursor: Cursor, start: number): never {
  const closing = cursor.position - 1;
  cursor.position = start;
  cursor.match(STRING_BEGINNING);
  return cursor.fail('a string of JSON', cursor.position < closing ? cursor.position : start);
}

/** Undefined if the string is malformed or contains invalid characters. */
function readJsonString(json: string): string | undefined {
  try {
    const text = String(JSON.parse(json));
    return text.isWellFormed() && !text.includes('\0') ? text : undefined;
  } catch {
    return undefined;
  }
}
