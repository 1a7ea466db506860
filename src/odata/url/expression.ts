import { CANONICAL_FUNCTIONS } from '../../engine/functions/canonical-functions.ts';
import type {
  AliasExpression,
  AnnotationSegment,
  Argument,
  BinaryOperator,
  CaseExpression,
  CountSegment,
  Expression,
  FilterSegment,
  LambdaSegment,
  NameSegment,
  PathExpression,
  PathSegment,
  TypeExpression,
  UnaryOperator,
} from '../../engine/tree/query-tree.ts';
import { parseAggregate } from './aggregate.ts';
import { parseArray, parseObject } from './json-values.ts';
import {
  type Cursor,
  DATE_TIME_OFFSET_FORM,
  type Parse,
  parseAnyLiteral,
  parseLiteral,
  parseNamedLiteral,
} from './lexer.ts';
import { parseSearch } from './search.ts';

/** Operator precedence (Part 2, 5.1.1.17). */
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
/** `not` and the minus sign bind tighter than `mul` and looser than `has`. */
const UNARY = 7;

// `not(…)` is not in the grammar, but common in clients and vendors' documentation.
const NOT = /not(?=[ \t(])/iy;

/** commonExpr (Part 2, 5.1.1), with space before it. */
export function parseExpression(cursor: Cursor): Expression {
  cursor.skipSpace();
  return parseBinary(cursor, LOOSEST);
}

/**
 * commonExpr, from loosest to tightest: or, and, equality, relation, additive, multiplicative, unary, has and
 * in.
 *
 * One loop for all levels: `power` is the loosest operator that this call may consume.
 */
function parseBinary(cursor: Cursor, power: number): Expression {
  let left = parseUnary(cursor);
  for (let next = peekOperator(cursor); next.power >= power; next = peekOperator(cursor)) {
    const position = takeOperator(cursor, next.operator);
    const right =
      next.operator === 'in' && cursor.at('(')
        ? parseListExpression(cursor)
        : parseBinary(cursor, next.power + 1);
    left = { kind: 'binary', position, operator: next.operator, left, right };
  }
  return left;
}

interface Operator {
  readonly operator: BinaryOperator;
  readonly power: number;
}

const NO_OPERATOR: Operator = { operator: 'or', power: 0 };

/** RWS operator: without space before it, a word is not an operator. */
function peekOperator(cursor: Cursor): Operator {
  const word = cursor.peekSpacedWord();
  const power = POWERS.get(word);
  return power === undefined ? NO_OPERATOR : { operator: word as BinaryOperator, power };
}

/** Returns the operator's position. */
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
      return counted(cursor, parsePathFromSign(cursor));
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
  return cursor.inParentheses(parseExpression);
}

/** An expression that begins with a name: a literal with a type prefix, a canonical function, or a path. */
function parseNamed(cursor: Cursor): Expression {
  const position = cursor.position;
  const name = cursor.expectQualifiedName('an expression');
  return (
    parseNamedLiteral(cursor, position, name) ??
    parseCall(cursor, position, name) ??
    parsePathFromName(cursor, position, name)
  );
}

/** listExpr = OPEN BWS [ primitiveLiteral BWS *( COMMA BWS primitiveLiteral BWS ) ] CLOSE: on the right of `in` (5.1.1.1.12). */
function parseListExpression(cursor: Cursor): Expression {
  const position = cursor.position;
  cursor.expect('(');
  const items = cursor.takeSpaced(')') ? [] : cursor.nest('depth', parseItems);
  return counted(cursor, { kind: 'list', position, items });
}

function parseItems(cursor: Cursor): readonly Expression[] {
  const items = cursor.separated(',', parseItem);
  cursor.expectSpaced(')');
  return items;
}

/** Expressions that are values already. */
const VALUES: ReadonlySet<Expression['kind']> = new Set(['literal', 'alias', 'list', 'object']);

/** A literal in a list costs nothing to evaluate. */
function parseItem(cursor: Cursor): Expression {
  const item = parseExpression(cursor);
  if (!VALUES.has(item.kind)) cursor.fail('a literal or an alias', item.position);
  if (item.kind === 'literal') cursor.countLiteral(item.position);
  return item;
}

/**
 * methodCallExpr, castExpr, isofExpr and caseExpr: a canonical function whose name was just read.
 *
 * Undefined if the name is not a function or no parenthesis follows.
 */
function parseCall(cursor: Cursor, position: number, name: string): Expression | undefined {
  if (!cursor.at('(')) return undefined;
  const lowerCased = name.toLowerCase();
  if (lowerCased === 'substringof') {
    cursor.fail('contains(property,text), as since OData 4.0,', position);
  }
  if (lowerCased === 'case') return cursor.nest('depth', () => parseCase(cursor, position));
  const parseCallArguments = argumentsOf(lowerCased);
  if (parseCallArguments === undefined) return undefined;
  return { kind: 'call', position, name: lowerCased, arguments: cursor.nest('depth', parseCallArguments) };
}

function argumentsOf(name: string): Parse<readonly Expression[]> | undefined {
  if (name === 'cast' || name === 'isof') return parseTypeArguments;
  if (name === 'isdefined') return (cursor) => parseCallArguments(cursor, name, [1, 1]);
  const counts = CANONICAL_FUNCTIONS.get(name)?.map(({ parameters }) => parameters.length);
  return counts && ((cursor) => parseCallArguments(cursor, name, [Math.min(...counts), Math.max(...counts)]));
}

/** OPEN BWS [ commonExpr *( BWS COMMA BWS commonExpr ) ] BWS CLOSE. */
function parseCallArguments(
  cursor: Cursor,
  name: string,
  [least, most]: readonly [number, number],
): readonly Expression[] {
  cursor.expect('(');
  const found: Expression[] = [];
  while (!atClose(cursor) && found.length < most) {
    if (found.length > 0) cursor.expectComma();
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

function count(least: number, most: number): string {
  if (least !== most) return `${least} or ${most} arguments`;
  if (most === 0) return 'no arguments';
  return most === 1 ? '1 argument' : `${most} arguments`;
}

/** castExpr, isofExpr = name OPEN BWS [ commonExpr BWS COMMA BWS ] qualifiedTypeName BWS CLOSE. */
function parseTypeArguments(cursor: Cursor): readonly Expression[] {
  cursor.expect('(');
  cursor.skipSpace();
  const only = parseLastType(cursor);
  if (only !== undefined) return [only];
  const operand = parseExpression(cursor);
  cursor.expectComma();
  return [operand, parseLastType(cursor) ?? cursor.fail("a type's name")];
}

/**
 * A type and the closing parenthesis. Undefined, with the cursor unmoved, if the parenthesis is missing: then
 * it was the first argument.
 */
function parseLastType(cursor: Cursor): TypeExpression | undefined {
  const start = cursor.position;
  const type = parseType(cursor);
  if (type !== undefined && cursor.takeSpaced(')')) return type;
  cursor.position = start;
  return undefined;
}

/** A type where no value may be; clients of OData 3 quote its name. */
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
function parseCase(cursor: Cursor, position: number): CaseExpression {
  const branches = cursor.inParentheses(() => cursor.separated(',', parseBranch));
  return { kind: 'case', position, branches };
}

/**
 * boolCommonExpr BWS COLON BWS commonExpr.
 *
 * Times contain colons, too: a time takes as many characters as it can while a colon is left after it. `a eq
 * 10:20` is a number and its value, `a eq 10:20:30` a time and its value.
 */
function parseBranch(cursor: Cursor) {
  const outer = cursor.timesEnd;
  cursor.timesEnd = lastColon(cursor);
  const condition = parseExpression(cursor);
  cursor.timesEnd = outer;
  cursor.expectSpaced(':');
  return { condition, value: parseExpression(cursor) };
}

// Pieces that may contain colons or branch ends that do not count. No alternative backtracks.
const PIECE = new RegExp(
  `'(?:[^']|'')*'?|"(?:[^"\\\\]|\\\\[^])*"?|${DATE_TIME_OFFSET_FORM}|[\\w.]+|[^]`,
  'iuy',
);
const OPENING: ReadonlySet<string> = new Set('([{');
const CLOSING: ReadonlySet<string> = new Set(')]}');

/**
 * The position of the last colon in the current branch that may separate condition and value; the text's
 * length without one.
 */
function lastColon(cursor: Cursor): number {
  cursor.branchColons ??= findBranchColons(cursor);
  return cursor.branchColons.get(cursor.position) ?? cursor.text.length;
}

/**
 * Finds the last colons of this and all later branches, by the start of each branch. Reads the text once,
 * however the branches are nested.
 */
function findBranchColons({ text, position }: Cursor): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  const starts: (number | undefined)[] = [position];
  PIECE.lastIndex = position;
  for (let piece = PIECE.exec(text); piece !== null; piece = PIECE.exec(text)) {
    const [token] = piece;
    if (CLOSING.has(token)) starts.pop();
    else if (token === ',') starts.splice(-1, 1, undefined);
    else if (token !== ' ' && token !== '\t') {
      const start = starts.at(-1) ?? piece.index;
      starts.splice(-1, 1, start);
      if (token === ':') found.set(start, piece.index);
      if (OPENING.has(token)) starts.push(undefined);
    }
  }
  return found;
}

const ROOT = /\$(?:it|this|these|root)(?![\p{L}\p{Nl}\p{Nd}\p{Pc}])/uy;
const UNRESERVED = /[\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}\p{Cf}.~-]+/uy;
const FILTER_OPTION = /\$?filter=/iy;
const SEARCH_OPTION = /\$?search=/iy;
const LAMBDA = /^(?:any|all)$/i;
const AGGREGATE = /^aggregate$/i;

/** firstMemberExpr (Part 2, 5.1.1.15) from a name that was just read. */
function parsePathFromName(cursor: Cursor, position: number, name: string): PathExpression {
  if (cursor.at('(') && LAMBDA.test(name)) cursor.fail(`a path before ${name}`);
  const first = parseNameTail(cursor, position, name, keyBehind(cursor, name));
  return { kind: 'path', position, root: undefined, segments: parseTail(cursor, [first]) };
}

/** A path that begins with a sign: `$it`, `$this`, `$these`, `$root/…`, a parameter alias, an annotation. */
function parsePathFromSign(cursor: Cursor): PathExpression | AliasExpression {
  const { position } = cursor;
  if (cursor.at('@')) return parseAliasOrAnnotation(cursor);
  const root = cursor.match(ROOT) as PathExpression['root'];
  if (root === undefined) cursor.fail('an expression');
  if (root === '$root' && !cursor.at('/')) cursor.fail('/ after $root');
  return { kind: 'path', position, root, segments: parseTail(cursor, []) };
}

/** parameterAlias [ "/" memberExpr ] / annotationInQuery: an annotation has a namespace or a qualifier. */
function parseAliasOrAnnotation(cursor: Cursor): PathExpression | AliasExpression {
  const { position } = cursor;
  const annotation = parseAnnotation(cursor);
  if (/[.#]/.test(annotation.term)) {
    return {
      kind: 'path',
      position,
      root: undefined,
      segments: parseTail(cursor, [annotation]),
    };
  }
  if (!cursor.at('/')) return { kind: 'alias', position, name: annotation.term };
  const segments = parseTail(cursor, []);
  return { kind: 'path', position, root: undefined, alias: annotation.term, segments };
}

/** The following segments. Numbers and booleans have none. */
function parseTail(cursor: Cursor, first: readonly PathSegment[]): readonly PathSegment[] {
  const segments = [...first];
  while (cursor.take('/')) {
    cursor.countNode(cursor.position);
    const segment = parseSegment(cursor);
    segments.push(segment);
    if (segment.kind === 'count' || segment.kind === 'lambda' || segment.kind === 'aggregate') break;
  }
  return segments;
}

/** memberExpr, collectionNavigationExpr and collectionPathExpr, one segment of them. */
function parseSegment(cursor: Cursor): PathSegment {
  const { position } = cursor;
  if (cursor.at('@')) return parseAnnotation(cursor);
  if (cursor.take('$count')) return parseCount(cursor, position);
  if (cursor.take('$filter')) return parseFilter(cursor, position);
  const key = takeKeySegment(cursor);
  if (key !== undefined) return { kind: 'name', position, name: key, arguments: undefined };
  const name = cursor.expectQualifiedName();
  if (cursor.at('(') && LAMBDA.test(name)) return parseLambda(cursor, position, name);
  if (!cursor.at('(') || !AGGREGATE.test(name)) return parseNameTail(cursor, position, name);
  const item = cursor.nest('depth', () => parseAggregate(cursor, parseExpression));
  return { kind: 'aggregate', position, item };
}

/** keyPathLiteral (4.3.6) of unreserved characters that is not a name. */
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
function parseNameTail(cursor: Cursor, position: number, name: string, expected?: string): NameSegment {
  const found = cursor.at('(') ? parseArguments(cursor, parseExpression, expected) : undefined;
  const segment: NameSegment = { kind: 'name', position, name, arguments: found };
  return found && cursor.at('(') ? { ...segment, key: parseArguments(cursor, parseExpression) } : segment;
}

/** A name without a namespace may be a misspelled canonical function, so its argument is no key. */
function keyBehind(cursor: Cursor, name: string): string | undefined {
  if (cursor.at('($')) return `${name.slice(0, 50)}/$count($filter=…) or ${name.slice(0, 50)}/$filter(…)`;
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
export function parseFilter(cursor: Cursor, position: number): FilterSegment {
  const predicate = cursor.inParentheses(() => cursor.nest('depth', parseExpression));
  return { kind: 'filter', position, predicate };
}

/** anyExpr, allExpr (5.1.1.13) = name OPEN BWS [ variable BWS COLON BWS boolCommonExpr BWS ] CLOSE. */
function parseLambda(cursor: Cursor, position: number, name: string): LambdaSegment {
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
  cursor.expectSpaced(')');
  return { kind: 'lambda', position, operator, variable, predicate };
}

/** count [ OPEN expandCountOption *( SEMI expandCountOption ) CLOSE ]: `$filter` and `$search`, each once. */
export function parseCount(cursor: Cursor, position: number): CountSegment {
  let segment: CountSegment = { kind: 'count', position, filter: undefined, search: undefined };
  if (!cursor.take('(')) return segment;
  cursor.separated(';', () => {
    segment = parseCountOption(cursor, segment);
  });
  cursor.expectSpaced(')');
  return segment;
}

function parseCountOption(cursor: Cursor, segment: CountSegment): CountSegment {
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
 * Only the model can tell them apart. `parseNamed` parses the value after `name=`.
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
    cursor.expectSpaced(')');
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
