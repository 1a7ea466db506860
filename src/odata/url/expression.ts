import type {
  BinaryOperator,
  CaseExpression,
  Expression,
  TypeExpression,
  UnaryOperator,
} from '../../engine/tree/query-tree.ts';
import type { Cursor, Parse } from './cursor.ts';
import {
  DATE_TIME_OFFSET_FORM,
  parseArray,
  parseLiteral,
  parseNamedLiteral,
  parseObject,
} from './literals.ts';
import { parsePathFromName, parsePathFromSign } from './member-path.ts';

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

/** The canonical functions and how many arguments each takes (Part 2, 5.1.1.5 to 5.1.1.11; isdefined: Aggregation). */
const ARITIES: ReadonlyMap<string, readonly [number, number]> = new Map([
  ...arity(0, 0, 'maxdatetime mindatetime now'),
  ...arity(1, 1, 'length tolower toupper trim'),
  ...arity(
    1,
    1,
    'date day fractionalseconds hour minute month second time totaloffsetminutes totalseconds year',
  ),
  ...arity(1, 1, 'ceiling floor round geo.length isdefined'),
  ...arity(2, 2, 'concat contains endswith indexof startswith'),
  ...arity(2, 2, 'hassubset hassubsequence geo.distance geo.intersects'),
  ...arity(2, 3, 'matchespattern substring'),
]);

function arity(least: number, most: number, names: string): (readonly [string, readonly [number, number]])[] {
  return names.split(' ').map((name) => [name, [least, most]]);
}

/**
 * methodCallExpr, castExpr, isofExpr and caseExpr: a canonical function whose name was just read.
 *
 * Undefined where the name is none or no parenthesis follows.
 */
function parseCall(
  cursor: Cursor,
  position: number,
  name: string,
  parseExpression: Parse<Expression>,
): Expression | undefined {
  if (!cursor.at('(')) return undefined;
  const lowerCased = name.toLowerCase();
  if (lowerCased === 'case') return cursor.nest('depth', () => parseCase(cursor, position, parseExpression));
  const parseArguments = argumentsOf(lowerCased, parseExpression);
  if (parseArguments === undefined) return undefined;
  return { kind: 'call', position, name: lowerCased, arguments: cursor.nest('depth', parseArguments) };
}

function argumentsOf(
  name: string,
  parseExpression: Parse<Expression>,
): Parse<readonly Expression[]> | undefined {
  if (name === 'cast' || name === 'isof') return (cursor) => parseTypeArguments(cursor, parseExpression);
  const range = ARITIES.get(name);
  return range && ((cursor) => parseArguments(cursor, name, range, parseExpression));
}

/** OPEN BWS [ commonExpr *( BWS COMMA BWS commonExpr ) ] BWS CLOSE. */
function parseArguments(
  cursor: Cursor,
  name: string,
  [least, most]: readonly [number, number],
  parseExpression: Parse<Expression>,
): readonly Expression[] {
  cursor.expect('(');
  const found: Expression[] = [];
  while (!atClose(cursor) && found.length < most) {
    if (found.length > 0) expectComma(cursor);
    found.push(parseExpression(cursor));
  }
  if (found.length < least || !atClose(cursor)) cursor.fail(`${count(least, most)} for ${name}`);
  cursor.expect(')');
  return found;
}

function atClose(cursor: Cursor): boolean {
  cursor.skipSpace();
  return cursor.at(')');
}

function expectComma(cursor: Cursor): void {
  cursor.skipSpace();
  cursor.expect(',');
  cursor.skipSpace();
}

function count(least: number, most: number): string {
  if (least !== most) return `${least} or ${most} arguments`;
  if (most === 0) return 'no arguments';
  return most === 1 ? '1 argument' : `${most} arguments`;
}

/** castExpr, isofExpr = name OPEN BWS [ commonExpr BWS COMMA BWS ] qualifiedTypeName BWS CLOSE. */
function parseTypeArguments(cursor: Cursor, parseExpression: Parse<Expression>): readonly Expression[] {
  cursor.expect('(');
  cursor.skipSpace();
  const only = parseLastType(cursor);
  if (only !== undefined) return [only];
  const operand = parseExpression(cursor);
  expectComma(cursor);
  return [operand, parseLastType(cursor) ?? cursor.fail("a type's name")];
}

/** A type and the closing parenthesis; without that, it was the first argument, and nothing was taken. */
function parseLastType(cursor: Cursor): TypeExpression | undefined {
  const start = cursor.position;
  const type = parseType(cursor);
  if (type !== undefined && cursor.takeSpaced(')')) return type;
  cursor.position = start;
  return undefined;
}

/** A type where no value may stand; clients that know OData 3 put its name in quotes. */
function parseType(cursor: Cursor): TypeExpression | undefined {
  const isQuoted = cursor.take("'");
  const type = parseTypeName(cursor);
  return isQuoted && !cursor.take("'") ? undefined : type;
}

/** qualifiedTypeName = name / 'Collection' OPEN name CLOSE; the namespace is optional. */
function parseTypeName(cursor: Cursor): TypeExpression | undefined {
  const position = cursor.position;
  const collection = cursor.take('Collection(');
  const name = cursor.takeQualifiedName();
  if (name === undefined || (collection && !cursor.take(')'))) return undefined;
  return { kind: 'type', position, name, collection };
}

/** caseExpr = "case" OPEN branch *( COMMA branch ) CLOSE (Part 2, 5.1.1.12). */
function parseCase(cursor: Cursor, position: number, parseExpression: Parse<Expression>): CaseExpression {
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
