import { GatewayError } from '../../contract/gateway-error.ts';
import type { Expression, QueryOptions, SystemQueryOptions } from '../../engine/tree/query-tree.ts';
import { parseTransformations } from './apply.ts';
import { Cursor, type Parse, targetOf, type UrlLimits } from './cursor.ts';
import { parseExpression } from './expression.ts';
import { parseSearch } from './search.ts';
import {
  type NestedOption,
  type NestedOptions,
  parseCompute,
  parseExpand,
  parseLevels,
  parseOrderBy,
  parseSelect,
  type WrittenOptions,
} from './select-expand.ts';

/** What was collected so far. */
interface Collected {
  options: SystemQueryOptions;
  readonly aliases: Map<string, Expression>;
  readonly custom: Map<string, readonly string[]>;
}

const ALIAS_NAME = /^@[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}\p{Cf}]*$/u;

/**
 * queryOptions = queryOption *( "&" queryOption ), percent-encoded and without the question mark.
 *
 * Part 2, 2.1: it is split at `&`, each piece at its first `=`, and then each part is decoded once.
 */
export function parseQueryOptions(query: string, limits: UrlLimits): QueryOptions {
  const collected: Collected = { options: {}, aliases: new Map(), custom: new Map() };
  for (const piece of query.split('&')) {
    if (piece !== '') parseQueryOption(piece, limits, collected);
  }
  const { options, aliases, custom } = collected;
  return custom.size > 0 ? { ...options, aliases, custom } : { ...options, aliases };
}

/** queryOption = systemQueryOption / aliasAndValue / customQueryOption. */
function parseQueryOption(piece: string, limits: UrlLimits, collected: Collected): void {
  const equals = piece.indexOf('=');
  const name = decodePiece('query', equals < 0 ? piece : piece.slice(0, equals), 'name');
  const rawValue = equals < 0 ? '' : piece.slice(equals + 1);
  const rule = findOptionRule(name);
  if (name.startsWith('@')) addAlias(name, rawValue, limits, collected);
  else if (rule === undefined || rule.property === 'levels') addCustom(name, rawValue, collected);
  else addOption(rule, rawValue, limits, collected);
}

/** systemQueryOption: MUST NOT be given more than once, in whatever spelling (Part 2, 5.1). */
function addOption(rule: OptionRule, rawValue: string, limits: UrlLimits, collected: Collected): void {
  const subject = `$${rule.property.toLowerCase()}`;
  if (rule.property in collected.options) refuse(subject, 'to be given once, found it twice');
  const parsed = parseValue(subject, rawValue, limits, (cursor) => rule.parse(cursor, false));
  collected.options = { ...collected.options, ...parsed };
}

/** aliasAndValue = AT odataIdentifier EQ value (Part 2, 5.3). */
function addAlias(name: string, rawValue: string, limits: UrlLimits, { aliases }: Collected): void {
  if (!ALIAS_NAME.test(name)) refuse(shorten(name), '@ and an identifier, found something else');
  const alias = name.slice(1);
  if (aliases.has(alias)) refuse(shorten(name), 'to be given once, found it twice');
  aliases.set(alias, parseValue(shorten(name), rawValue, limits, parseAliasValue));
}

/** customQueryOption: any name without a dollar sign; ignored, so a second one is no error by itself (5.2). */
function addCustom(name: string, rawValue: string, { custom }: Collected): void {
  if (name.startsWith('$')) refuse(shorten(name), 'the name of a system query option, found none of them');
  custom.set(name, [...(custom.get(name) ?? []), decodePiece('query', rawValue, 'text')]);
}

/** Part 1, 6.1: what follows the value would be ignored, so nothing may. */
function parseValue<Result>(
  subject: string,
  rawValue: string,
  limits: UrlLimits,
  parse: Parse<Result>,
): Result {
  const text = decodePiece(subject, rawValue, 'text');
  const cursor = new Cursor(subject, text, limits, { encodedSemicolons: encodedSemicolons(rawValue) });
  const value = parse(cursor);
  cursor.expectEnd();
  return value;
}

const ENCODED_SEMICOLON = /%3B/i;

/** Where the decoded text has what was written `%3B`. */
function encodedSemicolons(rawValue: string): ReadonlySet<number> {
  const positions = new Set<number>();
  let end = -1;
  for (const part of rawValue.split(ENCODED_SEMICOLON).slice(0, -1)) {
    end += decodeURIComponent(part).length + 1;
    positions.add(end);
  }
  return positions;
}

function refuse(target: string, expected: string): never {
  throw new GatewayError('BadRequest', `${target}: expected ${expected}`, { target });
}

function shorten(name: string): string {
  return name.slice(0, 100).toWellFormed();
}

interface OptionRule {
  /** Where the value goes in the tree. */
  readonly property: NestedOption;
  /** `nested` is what stands in the parentheses of another option. */
  readonly parse: (cursor: Cursor, nested: boolean) => NestedOptions;
}

const ANY_TEXT = /[\s\S]+/y;
const VERSION = /[\w.~-]+|\*/y;
const DIGITS = /\d+/y;
const INTEGER = /-?\d+/y;
const TRUTH = /true|false/y;
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

/** inlinecount = booleanValue: in lower case. */
function parseTruth(cursor: Cursor): boolean {
  return expectMatch(cursor, TRUTH, 'true or false') === 'true';
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
function parseAliasValue(cursor: Cursor): Expression {
  cursor.skipSpace();
  if (cursor.done) return { kind: 'literal', position: 0, type: 'null', text: 'null' };
  return parseWhole(cursor);
}

const ENCODED = /(?:%[\da-f]{2})+|%/gi;
/** Which characters have no business there: text has lines and columns, a segment may have an expression with HTAB. */
const UNWANTED = { name: /\p{Cc}/u, segment: /(?!\t)\p{Cc}/u, text: /(?![\t\n\r])\p{Cc}/u };
const FOUND_LENGTH = 12;

/**
 * Decodes one piece of a URL, exactly once (Part 2, 2.1). `+` stays `+`.
 *
 * What is not valid percent-encoded UTF-8, or has control characters, is refused.
 */
export function decodePiece(subject: string, raw: string, content: keyof typeof UNWANTED): string {
  const text = decode(raw) ?? throwTextError(subject, 'percent-encoded UTF-8', raw, findMalformed(raw));
  const control = UNWANTED[content].exec(text);
  return control === null ? text : throwTextError(subject, 'no control character', text, control.index);
}

function decode(raw: string): string | undefined {
  try {
    const text = decodeURIComponent(raw);
    return text.isWellFormed() ? text : undefined;
  } catch {
    return undefined;
  }
}

/** Where the run of encoded bytes begins that is no UTF-8; otherwise there is a lone surrogate. */
function findMalformed(raw: string): number {
  const run = raw.matchAll(ENCODED).find(([bytes]) => decode(bytes) === undefined);
  return run?.index ?? raw.search(/\p{Cs}/u);
}

function throwTextError(subject: string, expected: string, text: string, position: number): never {
  const found = JSON.stringify(text.slice(position, position + FOUND_LENGTH).toWellFormed());
  const message = `${subject}: expected ${expected} at position ${position}, found ${found}`;
  throw new GatewayError('BadRequest', message, targetOf(subject));
}

const BETWEEN_WORDS = /\w\+\w/;
const SEARCH = /(?:^|&)(?:\$|%24)?search=(?!'|%27)([^&]*)/i;
const PHRASES = /(?:"|%22)(?:(?!"|%22).)*(?:"|%22)/g;

/**
 * The target with `%20` for every `+` of its query, where the client has written blanks as forms do.
 *
 * Part 2, 2.1 leaves open what a `+` is. One that stands where the grammar wants or allows white space can be
 * nothing but a blank, and then all of them are, in literals, too: such a client writes a plus as `%2B`.
 * Where none stands so, as in `'a+b'` and in the offset of a time, they are pluses.
 */
export function withoutFormBlanks(target: string, limits: UrlLimits): string {
  const mark = target.indexOf('?');
  if (mark < 0 || !target.includes('+', mark)) return target;
  const query = target.slice(mark + 1);
  return isFormEncoded(query, limits) ? target.slice(0, mark + 1) + formBlanks(query) : target;
}

/** What forms write as `+` (URL Standard, 5.1), as URLs do. */
export function formBlanks(encoded: string): string {
  return encoded.replaceAll('+', '%20');
}

/** What cannot be read in either way is told as what the client seems to mean: it has + between words, and no %20. */
function isFormEncoded(query: string, limits: UrlLimits): boolean {
  if (isReadable(query, limits)) return separatesTerms(query);
  const isLikely = BETWEEN_WORDS.test(query) && !query.includes('%20');
  return isLikely || isReadable(formBlanks(query), limits);
}

/** Terms of a search can have any character, but no one who writes `red+green` looks for the plus. */
function separatesTerms(query: string): boolean {
  return SEARCH.exec(query)?.[1]?.replaceAll(PHRASES, '').includes('+') ?? false;
}

function isReadable(query: string, limits: UrlLimits): boolean {
  try {
    parseQueryOptions(query, limits);
    return true;
  } catch (error) {
    if (error instanceof GatewayError) return false;
    throw error;
  }
}
