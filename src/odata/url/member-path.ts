import type {
  AliasExpression,
  AnnotationSegment,
  Argument,
  CountSegment,
  Expression,
  FilterSegment,
  LambdaSegment,
  NameSegment,
  PathExpression,
  PathSegment,
} from '../../engine/tree/query-tree.ts';
import { parseAggregate } from './aggregate.ts';
import type { Cursor, Parse } from './cursor.ts';
import { parseAnyLiteral } from './literals.ts';
import { parseSearch } from './search.ts';

const ROOT = /\$(?:it|this|these|root)(?![\p{L}\p{Nl}\p{Nd}\p{Pc}])/uy;
const UNRESERVED = /[\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}\p{Cf}.~-]+/uy;
const FILTER_OPTION = /\$?filter=/iy;
const SEARCH_OPTION = /\$?search=/iy;
const LAMBDA = /^(?:any|all)$/i;
const AGGREGATE = /^aggregate$/i;

/** firstMemberExpr (Part 2, 5.1.1.15) from a name that was just read. */
export function parsePathFromName(
  cursor: Cursor,
  position: number,
  name: string,
  parseExpression: Parse<Expression>,
): PathExpression {
  if (cursor.at('(') && LAMBDA.test(name)) cursor.fail(`a path before ${name}`);
  const first = parseNameTail(cursor, position, name, parseExpression, keyBehind(name));
  return { kind: 'path', position, root: undefined, segments: parseTail(cursor, [first], parseExpression) };
}

/** What begins with a sign: `$it`, `$this`, `$these`, `$root/…`, a parameter alias, an annotation. */
export function parsePathFromSign(
  cursor: Cursor,
  parseExpression: Parse<Expression>,
): PathExpression | AliasExpression {
  const { position } = cursor;
  if (cursor.at('@')) return parseAliasOrAnnotation(cursor, parseExpression);
  const root = cursor.match(ROOT) as PathExpression['root'];
  if (root === undefined) cursor.fail('an expression');
  if (root === '$root' && !cursor.at('/')) cursor.fail('/ after $root');
  return { kind: 'path', position, root, segments: parseTail(cursor, [], parseExpression) };
}

/** parameterAlias [ "/" memberExpr ] / annotationInQuery: an annotation has a namespace or a qualifier. */
function parseAliasOrAnnotation(
  cursor: Cursor,
  parseExpression: Parse<Expression>,
): PathExpression | AliasExpression {
  const { position } = cursor;
  const annotation = parseAnnotation(cursor);
  if (/[.#]/.test(annotation.term)) {
    return {
      kind: 'path',
      position,
      root: undefined,
      segments: parseTail(cursor, [annotation], parseExpression),
    };
  }
  if (!cursor.at('/')) return { kind: 'alias', position, name: annotation.term };
  const segments = parseTail(cursor, [], parseExpression);
  return { kind: 'path', position, root: undefined, alias: annotation.term, segments };
}

/** The segments that lead on. Nothing leads on from a number or a truth value. */
function parseTail(
  cursor: Cursor,
  first: readonly PathSegment[],
  parseExpression: Parse<Expression>,
): readonly PathSegment[] {
  const segments = [...first];
  while (cursor.take('/')) {
    cursor.countNode(cursor.position);
    const segment = parseSegment(cursor, parseExpression);
    segments.push(segment);
    if (segment.kind === 'count' || segment.kind === 'lambda' || segment.kind === 'aggregate') break;
  }
  return segments;
}

/** memberExpr, collectionNavigationExpr and collectionPathExpr, one segment of them. */
function parseSegment(cursor: Cursor, parseExpression: Parse<Expression>): PathSegment {
  const { position } = cursor;
  if (cursor.at('@')) return parseAnnotation(cursor);
  if (cursor.take('$count')) return parseCount(cursor, position, parseExpression);
  if (cursor.take('$filter')) return parseFilter(cursor, position, parseExpression);
  const key = takeKeySegment(cursor);
  if (key !== undefined) return { kind: 'name', position, name: key, arguments: undefined };
  const name = cursor.expectQualifiedName();
  if (cursor.at('(') && LAMBDA.test(name)) return parseLambda(cursor, position, name, parseExpression);
  if (!cursor.at('(') || !AGGREGATE.test(name)) return parseNameTail(cursor, position, name, parseExpression);
  const item = cursor.nest('depth', () => parseAggregate(cursor, parseExpression));
  return { kind: 'aggregate', position, item };
}

/** keyPathLiteral (4.3.6) of unreserved characters, which is no name. */
function takeKeySegment(cursor: Cursor): string | undefined {
  const start = cursor.position;
  const name = cursor.takeQualifiedName();
  cursor.position = start;
  const text = cursor.match(UNRESERVED);
  if (text !== name) return text;
  cursor.position = start;
  return undefined;
}

/** A name and its parentheses: a key or a function's parameters, and then a key. */
function parseNameTail(
  cursor: Cursor,
  position: number,
  name: string,
  parseExpression: Parse<Expression>,
  expected?: string,
): NameSegment {
  const found = cursor.at('(') ? parseArguments(cursor, parseExpression, expected) : undefined;
  const segment: NameSegment = { kind: 'name', position, name, arguments: found };
  return found && cursor.at('(') ? { ...segment, key: parseArguments(cursor, parseExpression) } : segment;
}

/** A name without a namespace may be meant for a canonical function, which would have been read before. */
function keyBehind(name: string): string | undefined {
  if (name.includes('.')) return undefined;
  return `a key or name=value, because ${name.slice(0, 50)} is not a canonical function,`;
}

/** annotationInQuery = AT [ namespace "." ] termName [ "#" annotationQualifier ]. */
export function parseAnnotation(cursor: Cursor): AnnotationSegment {
  const { position } = cursor;
  cursor.expect('@');
  const start = cursor.position;
  cursor.expectQualifiedName("an alias's or annotation's name");
  if (cursor.take('#')) cursor.expectIdentifier("an annotation's qualifier");
  return { kind: 'annotation', position, term: cursor.text.slice(start, cursor.position) };
}

/** filterExpr = "/$filter" OPEN boolCommonExpr CLOSE. */
export function parseFilter(
  cursor: Cursor,
  position: number,
  parseExpression: Parse<Expression>,
): FilterSegment {
  cursor.expect('(');
  const predicate = cursor.nest('depth', parseExpression);
  cursor.skipSpace();
  cursor.expect(')');
  return { kind: 'filter', position, predicate };
}

/** anyExpr, allExpr (5.1.1.13) = name OPEN BWS [ variable BWS COLON BWS boolCommonExpr BWS ] CLOSE. */
function parseLambda(
  cursor: Cursor,
  position: number,
  name: string,
  parseExpression: Parse<Expression>,
): LambdaSegment {
  const operator = name.toLowerCase() === 'any' ? 'any' : 'all';
  cursor.expect('(');
  if (operator === 'any' && cursor.takeSpaced(')')) {
    return { kind: 'lambda', position, operator, variable: undefined, predicate: undefined };
  }
  cursor.skipSpace();
  const variable = cursor.expectIdentifier('a lambda variable');
  cursor.skipSpace();
  if (!cursor.take(':')) cursor.fail(`: after the lambda variable ${variable.slice(0, 50)}`);
  const predicate = cursor.nest('lambdaDepth', () => cursor.nest('depth', parseExpression));
  cursor.skipSpace();
  cursor.expect(')');
  return { kind: 'lambda', position, operator, variable, predicate };
}

/** count [ OPEN expandCountOption *( SEMI expandCountOption ) CLOSE ]: `$filter` and `$search`, each once. */
export function parseCount(
  cursor: Cursor,
  position: number,
  parseExpression: Parse<Expression>,
): CountSegment {
  let segment: CountSegment = { kind: 'count', position, filter: undefined, search: undefined };
  if (!cursor.take('(')) return segment;
  cursor.separated(';', () => {
    segment = parseCountOption(cursor, segment, parseExpression);
  });
  cursor.skipSpace();
  cursor.expect(')');
  return segment;
}

function parseCountOption(
  cursor: Cursor,
  segment: CountSegment,
  parseExpression: Parse<Expression>,
): CountSegment {
  if (segment.filter === undefined && cursor.match(FILTER_OPTION) !== undefined) {
    return { ...segment, filter: cursor.nest('depth', parseExpression) };
  }
  if (segment.search === undefined && cursor.match(SEARCH_OPTION) !== undefined) {
    return { ...segment, search: parseSearch(cursor) };
  }
  return cursor.fail('$filter= or $search=, each once');
}

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
