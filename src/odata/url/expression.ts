import type { BinaryOperator, Expression, UnaryOperator } from '../../engine/tree/expression-tree.ts';
import { parseCall } from './call.ts';
import type { Cursor } from './cursor.ts';
import { parseLiteral, parseNamedLiteral } from './literals.ts';
import { parsePathFromName, parsePathFromSign } from './member-path.ts';
import { parseArray, parseObject } from './structured-literals.ts';

/** How tightly each operator binds (Part 2, 5.1.1.17). */
const POWERS: ReadonlyMap<string | undefined, number> = new Map([
  ['or', 1],
  ['and', 2],
  ['eq', 3],
  ['ne', 3],
  ['gt', 4],
  ['ge', 4],
  ['lt', 4],
  ['le', 4],
  ['add', 5],
  ['sub', 5],
  ['mul', 6],
  ['div', 6],
  ['divby', 6],
  ['mod', 6],
  ['has', 8],
  ['in', 8],
]);

const LOOSEST = 1;
/** `not` and the minus sign stand between `mul` and `has`. */
const UNARY = 7;

// `not(…)` is no word of the grammar, but of many clients and of their vendors' documentation.
const NOT = /not(?=[ \t(])/iy;

/** commonExpr (Part 2, 5.1.1), with space before it. */
export function parseExpression(cursor: Cursor): Expression {
  cursor.skipSpace();
  return parseBinary(cursor, LOOSEST);
}

/**
 * commonExpr, from loosest to tightest: or, and, equality, relation, additive, multiplicative, unary,
 * has and in.
 *
 * One loop instead of a function for each: `power` is the loosest operator this call may take.
 */
function parseBinary(cursor: Cursor, power: number): Expression {
  let left = parseUnary(cursor);
  for (let next = peekOperator(cursor); next.power >= power; next = peekOperator(cursor)) {
    const position = takeOperator(cursor, next.operator);
    const right =
      next.operator === 'in' && cursor.at('(') ? parseList(cursor) : parseBinary(cursor, next.power + 1);
    left = { kind: 'binary', position, operator: next.operator, left, right };
  }
  return left;
}

interface Operator {
  readonly operator: BinaryOperator;
  readonly power: number;
}

const NO_OPERATOR: Operator = { operator: 'or', power: 0 };

/** RWS operator: without space before it, a word is none. */
function peekOperator(cursor: Cursor): Operator {
  const word = cursor.peekSpacedWord();
  const power = POWERS.get(word);
  return power === undefined ? NO_OPERATOR : { operator: word as BinaryOperator, power };
}

/** Gives the operator's position. */
function takeOperator(cursor: Cursor, operator: BinaryOperator): number {
  cursor.skipSpace();
  const position = cursor.position;
  cursor.countNode(position);
  cursor.position += operator.length;
  if (!cursor.done && !cursor.skipSpace()) cursor.fail(`a space after ${operator}`);
  return position;
}

/** notExpr = "not" RWS commonExpr; negateExpr = "-" BWS commonExpr. A sign before digits is the number's. */
function parseUnary(cursor: Cursor): Expression {
  const position = cursor.position;
  if (cursor.match(NOT) !== undefined) return parseOperand(cursor, 'not', position);
  if (!cursor.at('-')) return parsePrimary(cursor);
  const literal = parseLiteral(cursor);
  if (literal !== undefined) return counted(cursor, literal);
  cursor.expect('-');
  return parseOperand(cursor, 'negate', position);
}

function parseOperand(cursor: Cursor, operator: UnaryOperator, position: number): Expression {
  cursor.countNode(position);
  cursor.skipSpace();
  const operand = cursor.nest('depth', () => parseBinary(cursor, UNARY));
  return { kind: 'unary', position, operator, operand };
}

/** primitiveLiteral / arrayOrObject / rootExpr / firstMemberExpr / functionExpr / methodCallExpr / parenExpr. */
function parsePrimary(cursor: Cursor): Expression {
  switch (cursor.text[cursor.position]) {
    case '(':
      return cursor.nest('depth', parseParentheses);
    case '[':
      return counted(cursor, parseArray(cursor, parseExpression));
    case '{':
      return counted(cursor, parseObject(cursor, parseExpression));
    case '"':
      return cursor.fail('text in single quotes');
    case '$':
    case '@':
      return counted(cursor, parsePathFromSign(cursor, parseExpression));
    default:
      return counted(cursor, parseLiteral(cursor) ?? parseNamed(cursor));
  }
}

function counted(cursor: Cursor, expression: Expression): Expression {
  cursor.countNode(expression.position);
  return expression;
}

/** parenExpr = OPEN BWS commonExpr BWS CLOSE. It leaves no node behind. */
function parseParentheses(cursor: Cursor): Expression {
  cursor.expect('(');
  const expression = parseExpression(cursor);
  cursor.skipSpace();
  cursor.expect(')');
  return expression;
}

/** What begins with a name: a literal with its type's name, a canonical function, or a path. */
function parseNamed(cursor: Cursor): Expression {
  const position = cursor.position;
  const name = cursor.expectQualifiedName('an expression');
  return (
    parseNamedLiteral(cursor, position, name) ??
    parseCall(cursor, position, name, parseExpression) ??
    parsePathFromName(cursor, position, name, parseExpression)
  );
}

/** listExpr = OPEN BWS [ primitiveLiteral BWS *( COMMA BWS primitiveLiteral BWS ) ] CLOSE: on the right of `in` (5.1.1.1.12). */
function parseList(cursor: Cursor): Expression {
  const position = cursor.position;
  cursor.expect('(');
  const items = cursor.takeSpaced(')') ? [] : cursor.nest('depth', parseItems);
  return counted(cursor, { kind: 'list', position, items });
}

function parseItems(cursor: Cursor): readonly Expression[] {
  const items = cursor.separated(',', parseItem);
  cursor.skipSpace();
  cursor.expect(')');
  return items;
}

/** What is a value as it stands. */
const VALUES: ReadonlySet<Expression['kind']> = new Set(['literal', 'alias', 'list', 'object']);

/** A literal in a list costs nothing to evaluate. */
function parseItem(cursor: Cursor): Expression {
  const item = parseExpression(cursor);
  if (!VALUES.has(item.kind)) cursor.fail('a literal or an alias', item.position);
  if (item.kind === 'literal') cursor.countLiteral(item.position);
  return item;
}
