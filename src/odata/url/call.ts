import type { Expression, TypeExpression } from '../../engine/tree/expression-tree.ts';
import { parseCase } from './case.ts';
import type { Cursor, Parse } from './cursor.ts';

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
export function parseCall(
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
