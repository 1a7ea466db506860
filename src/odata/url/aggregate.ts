import type { AggregateFrom, AggregateItem, Expression } from '../../engine/tree/query-tree.ts';
import type { Cursor, Parse } from './lexer.ts';

const METHODS = new Set(['sum', 'min', 'max', 'average', 'countdistinct']);

/** `aggregate(…)` as a function in an expression: one aggregate without an alias. */
export function parseAggregate(cursor: Cursor, parseExpression: Parse<Expression>): AggregateItem {
  return cursor.inParentheses(() => parseAggregateItem(cursor, parseExpression));
}

/**
 * aggregateExpr without its alias: expression and method, path to `$count`, or custom aggregate, and the
 * `from` steps (Data Aggregation 4.0, 3.2.1).
 *
 * Only the model can tell a custom aggregate from a property, which requires a method.
 */
export function parseAggregateItem(cursor: Cursor, parseExpression: Parse<Expression>): AggregateItem {
  const { position } = cursor;
  const expression = cursor.take('$count') ? undefined : parseExpression(cursor);
  const method = isCount(expression) ? undefined : parseMethod(cursor);
  const isStandard = isCount(expression) || method !== undefined;
  return { position, expression, method, from: parseFroms(cursor, isStandard), alias: undefined };
}

function isCount(expression: Expression | undefined): boolean {
  return (
    expression === undefined || (expression.kind === 'path' && expression.segments.at(-1)?.kind === 'count')
  );
}

/** aggregateWith = RWS "with" RWS aggregateMethod: a standard one or the qualified name of a custom one. */
function parseMethod(cursor: Cursor): string | undefined {
  if (!cursor.takeSpacedWord('with')) return undefined;
  if (!cursor.skipSpace()) cursor.fail('a space after with');
  const { position } = cursor;
  const name = cursor.expectQualifiedName('an aggregation method');
  if (name.includes('.')) return name;
  if (!METHODS.has(name.toLowerCase())) cursor.fail('an aggregation method', position);
  return name.toLowerCase();
}

/**
 * aggregateFrom = RWS "from" RWS path *( COMMA path ) aggregateWith [ aggregateFrom ]; custom aggregates have
 * no method.
 */
function parseFroms(cursor: Cursor, isStandard: boolean): readonly AggregateFrom[] {
  const froms: AggregateFrom[] = [];
  while (cursor.takeSpacedWord('from')) {
    if (!cursor.skipSpace()) cursor.fail('a space after from');
    const [property = [], ...more] = cursor.separated(',', parseNames);
    const method = parseMethod(cursor);
    if (isStandard && method === undefined) cursor.fail('with and an aggregation method');
    const from = { property, method };
    froms.push(more.length > 0 ? { ...from, more } : from);
  }
  return froms;
}

/** name *( "/" name ), with namespaces for type casts. */
export function parseNames(cursor: Cursor): readonly string[] {
  const names = [cursor.expectQualifiedName('a path')];
  while (cursor.take('/')) {
    cursor.countNode(cursor.position);
    names.push(cursor.expectQualifiedName());
  }
  return names;
}
