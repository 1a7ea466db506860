import type { Expression } from '../../engine/tree/expression-tree.ts';
import { parseTransformations } from './apply.ts';
import { parseCompute } from './compute.ts';
import type { Cursor } from './cursor.ts';
import { parseExpression } from './expression.ts';
import { parseOrderBy } from './order-by.ts';
import { parseSearch } from './search.ts';
import {
  type NestedOption,
  type NestedOptions,
  parseExpand,
  parseLevels,
  parseSelect,
  type WrittenOptions,
} from './select-expand.ts';

export interface OptionRule {
  /** Where the value goes in the tree. */
  readonly property: NestedOption;
  /** `nested` is what stands in the parentheses of another option. */
  readonly parse: (cursor: Cursor, nested: boolean) => NestedOptions;
}

const ANY_TEXT = /[\s\S]+/y;
const VERSION = /[\w.~-]+|\*/y;
const DIGITS = /\d+/y;
const INTEGER = /-?\d+/y;
const TRUTH = /true|false/iy;
const NESTED_NAME = /\$?[a-z]+/iy;

// systemQueryOption (Part 2, 5.1), each by its name in lower case without the dollar sign.
const RULES: ReadonlyMap<string, OptionRule> = new Map(
  Object.entries<OptionRule>({
    apply: { property: 'apply', parse: (cursor) => ({ apply: parseTransformations(cursor) }) },
    compute: { property: 'compute', parse: (cursor) => ({ compute: parseCompute(cursor) }) },
    count: { property: 'count', parse: (cursor) => ({ count: parseTruth(cursor) }) },
    deltatoken: { property: 'deltaToken', parse: (cursor) => ({ deltaToken: expectText(cursor) }) },
    expand: { property: 'expand', parse: (cursor) => ({ expand: parseExpand(cursor, parseNestedOptions) }) },
    filter: { property: 'filter', parse: (cursor, nested) => ({ filter: parseFilter(cursor, nested) }) },
    format: { property: 'format', parse: (cursor) => ({ format: expectText(cursor) }) },
    id: { property: 'id', parse: (cursor) => ({ id: expectText(cursor) }) },
    index: { property: 'index', parse: (cursor) => ({ index: parseInteger(cursor) }) },
    levels: { property: 'levels', parse: (cursor) => ({ levels: parseLevels(cursor) }) },
    orderby: { property: 'orderBy', parse: (cursor) => ({ orderBy: parseOrderBy(cursor) }) },
    schemaversion: {
      property: 'schemaVersion',
      parse: (cursor) => ({ schemaVersion: parseVersion(cursor) }),
    },
    search: { property: 'search', parse: (cursor) => ({ search: parseSearch(cursor) }) },
    select: { property: 'select', parse: (cursor) => ({ select: parseSelect(cursor, parseNestedOptions) }) },
    skip: { property: 'skip', parse: (cursor) => ({ skip: parseCount(cursor) }) },
    skiptoken: { property: 'skipToken', parse: (cursor) => ({ skipToken: expectText(cursor) }) },
    top: { property: 'top', parse: (cursor) => ({ top: parseCount(cursor) }) },
  }),
);

/** The rule of a system query option: its name is in any case, and the dollar sign optional. */
export function findOptionRule(name: string): OptionRule | undefined {
  return RULES.get((name.startsWith('$') ? name.slice(1) : name).toLowerCase());
}

/** name EQ value *( SEMI name EQ value ): options and aliases in the parentheses of an item. */
function parseNestedOptions(cursor: Cursor, allowed: ReadonlySet<NestedOption>): WrittenOptions {
  const aliases = new Map<string, Expression>();
  let options: NestedOptions = {};
  const written = cursor.separated(';', () => {
    const { position } = cursor;
    if (cursor.at('@')) addNestedAlias(cursor, allowed, aliases);
    else options = { ...options, ...parseNestedOption(cursor, allowed, options) };
    return cursor.text.slice(position, cursor.position);
  });
  return aliases.size > 0 ? { ...options, aliases, written } : { ...options, written };
}

function parseNestedOption(
  cursor: Cursor,
  allowed: ReadonlySet<NestedOption>,
  before: NestedOptions,
): NestedOptions {
  const { position } = cursor;
  const rule = findOptionRule(cursor.match(NESTED_NAME) ?? '');
  if (rule === undefined || !allowed.has(rule.property)) cursor.fail(oneOf(allowed), position);
  if (rule.property in before) cursor.fail('each option once', position);
  cursor.expect('=');
  return rule.parse(cursor, true);
}

/** aliasAndValue = parameterAlias EQ parameterValue. */
function addNestedAlias(
  cursor: Cursor,
  allowed: ReadonlySet<NestedOption>,
  aliases: Map<string, Expression>,
): void {
  const { position } = cursor;
  if (!allowed.has('aliases')) cursor.fail(oneOf(allowed));
  cursor.expect('@');
  const name = cursor.expectIdentifier("an alias's name");
  if (aliases.has(name)) cursor.fail('each alias once', position);
  cursor.expect('=');
  aliases.set(name, parseExpression(cursor));
}

function oneOf(allowed: ReadonlySet<NestedOption>): string {
  const names = [...allowed].map((name) => (name === 'aliases' ? '@alias' : `$${name.toLowerCase()}`));
  return names.length > 0 ? `one of ${names.join(', ')}` : 'no options';
}

/** boolCommonExpr: what type it has, the model says. */
function parseFilter(cursor: Cursor, nested: boolean): Expression {
  if (cursor.at(' ') || cursor.at('\t')) cursor.fail('an expression');
  return nested ? parseExpression(cursor) : parseWhole(cursor);
}

function parseWhole(cursor: Cursor): Expression {
  const expression = parseExpression(cursor);
  cursor.expectEnd('an operator or the end');
  return expression;
}

/** inlinecount = "true" / "false": as all words of the grammar, in any case. */
function parseTruth(cursor: Cursor): boolean {
  return expectMatch(cursor, TRUTH, 'true or false').toLowerCase() === 'true';
}

/** 1*DIGIT: more than can be counted is as good as the most that can. */
function parseCount(cursor: Cursor): number {
  return Math.min(Number(expectMatch(cursor, DIGITS, 'a non-negative integer')), Number.MAX_SAFE_INTEGER);
}

/** index = [ "-" ] 1*DIGIT: a negative one counts from the end. */
function parseInteger(cursor: Cursor): number {
  const value = Number(expectMatch(cursor, INTEGER, 'an integer'));
  return Math.max(Math.min(value, Number.MAX_SAFE_INTEGER), Number.MIN_SAFE_INTEGER);
}

/** schemaversion = STAR / 1*unreserved. */
function parseVersion(cursor: Cursor): string {
  return expectMatch(cursor, VERSION, 'a version or *');
}

/** Tokens, media types and identifiers of entities: whatever is not empty. */
function expectText(cursor: Cursor): string {
  return expectMatch(cursor, ANY_TEXT, 'a value');
}

function expectMatch(cursor: Cursor, pattern: RegExp, what: string): string {
  return cursor.match(pattern) ?? cursor.fail(what);
}

/** An alias's value: arrayOrObject / commonExpr, and null where there is none (Part 1, 11.2.6.1.3). */
export function parseAliasValue(cursor: Cursor): Expression {
  cursor.skipSpace();
  if (cursor.done) return { kind: 'literal', position: 0, type: 'null', text: 'null' };
  return parseWhole(cursor);
}
