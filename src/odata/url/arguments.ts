import type { AliasExpression, Argument, Expression } from '../../engine/tree/expression-tree.ts';
import type { Cursor, Parse } from './cursor.ts';
import { parseAnyLiteral } from './literals.ts';

/**
 * keyPredicate and functionExprParameters: OPEN [ argument *( COMMA argument ) ] CLOSE.
 *
 * Which of both it is, only the model knows. `parseNamed` parses what follows `name=`.
 */
export function parseArguments(
  cursor: Cursor,
  parseNamed: Parse<Expression>,
  expected = NAMED_OR_KEY,
): readonly Argument[] {
  return cursor.nest('depth', () => {
    cursor.expect('(');
    if (cursor.takeSpaced(')')) return [];
    const found = parseList(cursor, parseNamed, expected);
    cursor.skipSpace();
    cursor.expect(')');
    return found;
  });
}

const NAMED_OR_KEY = 'a literal, an alias or name=value';

function parseList(cursor: Cursor, parseNamed: Parse<Expression>, expected: string): readonly Argument[] {
  const first = parseArgument(cursor, parseNamed, expected);
  if (first.name === undefined) return [first];
  const found = [first];
  const names = new Set([first.name]);
  while (cursor.takeSpaced(',')) {
    const next = parseArgument(cursor, parseNamed, expected);
    if (next.name === undefined) cursor.fail('name=value', next.position);
    if (names.has(next.name)) cursor.fail('each name once', next.position);
    names.add(next.name);
    found.push(next);
  }
  return found;
}

/** keyPropertyValue / keyValuePair / functionExprParameter. */
function parseArgument(cursor: Cursor, parseNamed: Parse<Expression>, expected: string): Argument {
  cursor.skipSpace();
  const position = cursor.position;
  const name = cursor.takeIdentifier();
  if (name !== undefined && cursor.takeSpaced('=')) {
    cursor.skipSpace();
    return { position, name, value: parseNamed(cursor) };
  }
  cursor.position = position;
  return { position, name: undefined, value: parseKeyValue(cursor, expected) };
}

/** keyPropertyValue = primitiveLiteral / parameterAlias. */
export function parseKeyValue(cursor: Cursor, expected = NAMED_OR_KEY): Expression {
  const { position } = cursor;
  const value = cursor.at('@') ? parseAlias(cursor) : parseAnyLiteral(cursor);
  if (value === undefined) cursor.fail(expected);
  cursor.countNode(position);
  return value;
}

/** parameterAlias = AT odataIdentifier. */
function parseAlias(cursor: Cursor): AliasExpression {
  const { position } = cursor;
  cursor.expect('@');
  return { kind: 'alias', position, name: cursor.expectIdentifier("an alias's name") };
}
