import { GatewayError } from '../../contract/gateway-error.ts';
import { shorten } from '../../core/shorten.ts';
import type {
  Expression,
  FilterSegment,
  NameSegment,
  PathSegment,
  QueryOptions,
  SystemQueryOptions,
  SystemSegment,
} from '../../engine/tree/query-tree.ts';
import { parseTransformations } from './apply.ts';
import {
  parseAnnotation,
  parseArguments,
  parseCount,
  parseExpression,
  parseFilter,
  parseKeyValue,
} from './expression.ts';
import { parseArray, parseObject } from './json-values.ts';
import { Cursor, DEFAULT_URL_LIMITS, limitName, type Parse, targetOf, type UrlLimits } from './lexer.ts';
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

/** The parsed target of a request. */
export interface RequestTarget {
  readonly path: ResourcePath;
  readonly options: QueryOptions;
}

const PATH = 'resource path';
/** Options for documents such as `$metadata`, which are not data. */
const DOCUMENT_OPTIONS = new Set(['format', 'schemaVersion', 'aliases', 'custom']);

/**
 * Parses a raw request target below the service root, such as `/Post('a%2Fb')?$top=1` (ABNF,
 * odataRelativeUri).
 *
 * Throws only GatewayErrors: BadRequest with the expected text, the found text and the position, or
 * UriTooLong. Names are not resolved here.
 */
export function parseRequestTarget(target: string, limits: UrlLimits = DEFAULT_URL_LIMITS): RequestTarget {
  if (target.length > limits.length) {
    throw new GatewayError(
      'UriTooLong',
      `The URL is longer than ${limits.length} characters (${limitName('length')}). ${LONG_QUERIES}`,
    );
  }
  assertNoFragment(target);
  const mark = target.indexOf('?');
  const path = parsePath(mark < 0 ? target : target.slice(0, mark), limits);
  const options = parseQueryOptions(mark < 0 ? '' : target.slice(mark + 1), limits);
  checkOptions(path, options);
  return { path, options };
}

/** Part 1, 11.2.1.1. */
export const LONG_QUERIES = 'Send the query in the body of a POST, to the same path with /$query behind it.';

/** Rejects fragments, which clients should not send: `#` as data must be percent-encoded. */
function assertNoFragment(target: string): void {
  const position = target.indexOf('#');
  if (position < 0) return;
  throw new GatewayError('BadRequest', `request target: expected %23 at position ${position}, found #`);
}

/** One leading and one trailing slash are ignored. */
function parsePath(rawPath: string, limits: UrlLimits): ResourcePath {
  const start = rawPath.startsWith('/') ? 1 : 0;
  const end = rawPath.length > start && rawPath.endsWith('/') ? -1 : undefined;
  const segments = rawPath
    .slice(start, end)
    .split('/')
    .map((raw) => decodePiece(PATH, raw, 'segment'));
  return parseResourcePath(new Cursor(PATH, segments.join('/'), limits, { slashes: separators(segments) }));
}

/** The positions of slashes that separate segments; encoded slashes are part of a segment. */
function separators(segments: readonly string[]): ReadonlySet<number> {
  const positions = new Set<number>();
  let end = -1;
  for (const segment of segments.slice(0, -1)) {
    end += segment.length + 1;
    positions.add(end);
  }
  return positions;
}

/**
 * $entity needs $id, and a type for $select and $expand; $metadata, $batch and the service document take no
 * query options (5.1).
 */
function checkOptions(path: ResourcePath, options: QueryOptions): void {
  if (path.kind === 'entity' && options.id === undefined) {
    throw new GatewayError('BadRequest', '$id: expected with $entity, found no such option', {
      target: '$id',
    });
  }
  const projection = path.kind === 'entity' && path.typeName === undefined && projectionOf(options);
  if (projection) refuse(projection, 'a type after $entity');
  if (path.kind !== 'metadata' && path.kind !== 'batch' && path.kind !== 'serviceRoot') return;
  const option = Object.keys(options).find((name) => !DOCUMENT_OPTIONS.has(name));
  if (option === undefined) return;
  refuse(`$${option.toLowerCase()}`, 'no such option with this resource');
}

/** entityOptions of the ABNF: $select and $expand need a type. */
function projectionOf({ select, expand }: QueryOptions): string | undefined {
  if (select !== undefined) return '$select';
  return expand === undefined ? undefined : '$expand';
}

export type ResourcePath =
  | { readonly kind: 'serviceRoot' }
  | { readonly kind: 'metadata' }
  | { readonly kind: 'batch' }
  | { readonly kind: 'entity'; readonly typeName: string | undefined }
  | { readonly kind: 'all'; readonly typeName: string | undefined }
  | {
      readonly kind: 'crossjoin';
      readonly entitySets: readonly string[];
      readonly segments: readonly PathSegment[];
    }
  | { readonly kind: 'resource'; readonly segments: readonly PathSegment[] };

const SYSTEM_NAME = /\$[a-z]*/iy;

/** resourcePath and the fixed paths (ABNF, odataRelativeUri): everything below the service root. */
function parseResourcePath(cursor: Cursor): ResourcePath {
  if (cursor.done) return { kind: 'serviceRoot' };
  const path = cursor.at('$') ? parseSystemPath(cursor) : parseNamedPath(cursor);
  if (!cursor.done) cursor.fail('the end of the path');
  return path;
}

/** $batch, $metadata, $entity, $all, $crossjoin: valid only as the first segment. */
function parseSystemPath(cursor: Cursor): ResourcePath {
  const { position } = cursor;
  const name = cursor.match(SYSTEM_NAME);
  switch (name) {
    case '$batch':
      return { kind: 'batch' };
    case '$metadata':
      return { kind: 'metadata' };
    case '$entity':
      return { kind: 'entity', typeName: parseCast(cursor) };
    case '$all':
      return { kind: 'all', typeName: parseCast(cursor) };
    case '$crossjoin':
      return parseCrossjoin(cursor);
    default:
      return cursor.fail('the name of a resource', position);
  }
}

/** [ "/" optionallyQualifiedEntityTypeName ]. */
function parseCast(cursor: Cursor): string | undefined {
  return takeSlash(cursor) ? cursor.expectQualifiedName("a type's name") : undefined;
}

/** crossjoin = '$crossjoin' OPEN entitySetName *( COMMA entitySetName ) CLOSE, with $count or $query (4.15). */
function parseCrossjoin(cursor: Cursor): ResourcePath {
  const entitySets = cursor.inParentheses(() =>
    cursor.separated(',', () => cursor.expectIdentifier("an entity set's name")),
  );
  const { position } = cursor;
  const segments = parseTail(cursor);
  if (segments.length > 0 && !isEnd(segments[0])) cursor.fail('/$count or /$query', position);
  return { kind: 'crossjoin', entitySets, segments };
}

function isEnd(segment: PathSegment | undefined): boolean {
  return segment?.kind === 'count' || (segment?.kind === 'system' && segment.name === 'query');
}

/** entitySetName, singletonEntity or operation import, with the following segments. */
function parseNamedPath(cursor: Cursor): ResourcePath {
  const { position } = cursor;
  const first = parseParentheses(cursor, position, cursor.expectQualifiedName('the name of a resource'));
  return { kind: 'resource', segments: [first, ...parseTail(cursor)] };
}

function parseTail(cursor: Cursor): readonly PathSegment[] {
  const segments: PathSegment[] = [];
  while (takeSlash(cursor)) {
    cursor.countNode(cursor.position);
    const segment = parseSegment(cursor, segments.at(-1));
    segments.push(segment);
    if (segment.kind === 'count' || (segment.kind === 'system' && segment.name !== 'each')) break;
  }
  return segments;
}

/** Consumes a separating slash; an encoded one is part of a key. */
function takeSlash(cursor: Cursor): boolean {
  return cursor.slashes.has(cursor.position) && cursor.take('/');
}

/** Precedence: a $-segment, a qualified name, a name, a key (4.3.6). */
function parseSegment(cursor: Cursor, previous: PathSegment | undefined): PathSegment {
  const { position } = cursor;
  if (cursor.at('$') && !isEach(previous)) return parseSystemSegment(cursor, position);
  if (isEach(previous)) return parseParentheses(cursor, position, cursor.expectQualifiedName('an operation'));
  const annotation = takeAnnotation(cursor);
  if (annotation !== undefined) return annotation;
  const name = cursor.takeQualifiedName();
  if (name !== undefined && (atEnd(cursor) || cursor.at('(')))
    return parseParentheses(cursor, position, name);
  cursor.position = position;
  return parseKeySegment(cursor, position);
}

function isEach(segment: PathSegment | undefined): boolean {
  return segment?.kind === 'system' && segment.name === 'each';
}

function atEnd(cursor: Cursor): boolean {
  return cursor.done || cursor.slashes.has(cursor.position);
}

/** count / ref / value / each / querySegment / filterInPath. */
function parseSystemSegment(cursor: Cursor, position: number): PathSegment {
  const name = cursor.match(SYSTEM_NAME);
  switch (name) {
    case '$filter':
      return withKey(cursor, parseFilter(cursor, position));
    case '$count':
      return parseCount(cursor, position);
    case '$ref':
    case '$value':
    case '$each':
    case '$query':
      return { kind: 'system', position, name: name.slice(1) as SystemSegment['name'] };
    default:
      return cursor.fail('$filter, $count, $ref, $value, $each or $query', position);
  }
}

/** annotationInUri with a namespace; without one, the text is a key. */
function takeAnnotation(cursor: Cursor): PathSegment | undefined {
  const { position } = cursor;
  const qualified = cursor.take('@') && cursor.takeQualifiedName()?.includes('.');
  cursor.position = position;
  return qualified ? parseAnnotation(cursor) : undefined;
}

/** keyPathLiteral: unquoted, up to the next unencoded slash. */
function parseKeySegment(cursor: Cursor, position: number): NameSegment {
  let end = position;
  while (end < cursor.text.length && !cursor.slashes.has(end)) end += 1;
  const name = cursor.text.slice(position, end);
  if (name === '' || name === '.' || name === '..') cursor.fail('a name or a key');
  cursor.position = end;
  return { kind: 'name', position, name, arguments: undefined };
}

/** keyPredicate / functionParameters: in a path, values are literals, aliases or JSON. */
function parseParentheses(cursor: Cursor, position: number, name: string): NameSegment {
  const found = cursor.at('(') ? parseArguments(cursor, parseConstant) : undefined;
  const segment: NameSegment = { kind: 'name', position, name, arguments: found };
  return found ? withKey(cursor, segment) : segment;
}

/** The key in parentheses after a collection. */
function withKey<Segment extends NameSegment | FilterSegment>(cursor: Cursor, segment: Segment): Segment {
  return cursor.at('(') ? { ...segment, key: parseArguments(cursor, parseConstant) } : segment;
}

/** parameterValue = parameterAlias / primitiveLiteral / arrayOrObject. */
function parseConstant(cursor: Cursor): Expression {
  if (cursor.at('[')) return parseArray(cursor, parseExpression);
  return cursor.at('{') ? parseObject(cursor, parseExpression) : parseKeyValue(cursor);
}

interface Collected {
  options: SystemQueryOptions;
  readonly aliases: Map<string, Expression>;
  readonly custom: Map<string, string[]>;
}

/** Maximum number of options, aliases and parameters of a query. */
const MOST_OPTIONS = 1_000;

const ALIAS_NAME = /^@[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}\p{Cf}]*$/u;

/**
 * queryOptions = queryOption *( "&" queryOption ), percent-encoded and without the question mark.
 *
 * Part 2, 2.1: split at `&`, each piece at its first `=`, then each part is decoded once.
 */
export function parseQueryOptions(query: string, limits: UrlLimits): QueryOptions {
  const collected: Collected = { options: {}, aliases: new Map(), custom: new Map() };
  assertFewOptions(query);
  for (const piece of query.split('&')) {
    if (piece !== '') parseQueryOption(piece, limits, collected);
  }
  const { options, aliases, custom } = collected;
  return custom.size > 0 ? { ...options, aliases, custom } : { ...options, aliases };
}

/** Counted before parsing. */
export function assertFewOptions(query: string): void {
  if (query.split('&', MOST_OPTIONS + 1).length <= MOST_OPTIONS) return;
  throw new GatewayError('BadRequest', `query: expected at most ${MOST_OPTIONS} options and aliases`);
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

/** systemQueryOption: MUST NOT be given more than once, in any spelling (Part 2, 5.1). */
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

/** Options of OData 2 and 3, with their current names. */
const OLD_OPTIONS: ReadonlyMap<string, string> = new Map([
  ['$inlinecount', '$count=true'],
  ['$links', '/$ref behind the navigation property'],
  ['$value', '/$value behind the path'],
]);

/** customQueryOption: a name without a dollar sign; ignored, so duplicates are allowed (5.2). */
function addCustom(name: string, rawValue: string, { custom }: Collected): void {
  const presentName = OLD_OPTIONS.get(name.toLowerCase());
  if (presentName !== undefined) refuse(name, `${presentName}, as since OData 4.0`);
  if (name.startsWith('$')) refuse(shorten(name), 'the name of a system query option, found none of them');
  const values = custom.get(name) ?? [];
  values.push(decodePiece('query', rawValue, 'text'));
  custom.set(name, values);
}

/** Part 1, 6.1: rejects text after the value, which would otherwise be ignored. */
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

/** The positions of semicolons that were written as `%3B`. */
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

interface OptionRule {
  /** The property of the parsed options. */
  readonly property: NestedOption;
  /** `nested` is true within the parentheses of another option. */
  readonly parse: (cursor: Cursor, nested: boolean) => NestedOptions;
}

const ANY_TEXT = /[\s\S]+/y;
const VERSION = /[\w.~-]+|\*/y;
const DIGITS = /\d+/y;
const INTEGER = /-?\d+/y;
const TRUTH = /true|false/y;
const NESTED_NAME = /\$?[a-z]+/iy;

// systemQueryOption (Part 2, 5.1), by lower-case name without the dollar sign.
const RULES: ReadonlyMap<string, OptionRule> = new Map(
  Object.entries<OptionRule>({
    apply: { property: 'apply', parse: (cursor) => ({ apply: parseTransformations(cursor) }) },
    compute: { property: 'compute', parse: (cursor) => ({ compute: parseCompute(cursor) }) },
    count: {
      property: 'count',
      parse: (cursor) => ({ count: expectMatch(cursor, TRUTH, 'true or false') === 'true' }),
    },
    deltatoken: { property: 'deltaToken', parse: (cursor) => ({ deltaToken: expectText(cursor) }) },
    expand: { property: 'expand', parse: (cursor) => ({ expand: parseExpand(cursor, parseNestedOptions) }) },
    filter: {
      property: 'filter',
      parse: (cursor, nested) => ({ filter: parseFilterOption(cursor, nested) }),
    },
    format: { property: 'format', parse: (cursor) => ({ format: expectText(cursor) }) },
    id: { property: 'id', parse: (cursor) => ({ id: expectText(cursor) }) },
    index: { property: 'index', parse: (cursor) => ({ index: parseInteger(cursor) }) },
    levels: { property: 'levels', parse: (cursor) => ({ levels: parseLevels(cursor) }) },
    orderby: { property: 'orderBy', parse: (cursor) => ({ orderBy: parseOrderBy(cursor) }) },
    schemaversion: {
      property: 'schemaVersion',
      parse: (cursor) => ({ schemaVersion: expectMatch(cursor, VERSION, 'a version or *') }),
    },
    search: { property: 'search', parse: (cursor) => ({ search: parseSearch(cursor) }) },
    select: { property: 'select', parse: (cursor) => ({ select: parseSelect(cursor, parseNestedOptions) }) },
    skip: { property: 'skip', parse: (cursor) => ({ skip: parseNumberOfRows(cursor) }) },
    skiptoken: { property: 'skipToken', parse: (cursor) => ({ skipToken: expectText(cursor) }) },
    top: { property: 'top', parse: (cursor) => ({ top: parseNumberOfRows(cursor) }) },
  }),
);

/** The rule of a system query option; case and the dollar sign do not matter. */
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

/** boolCommonExpr; only the model knows the type. */
function parseFilterOption(cursor: Cursor, nested: boolean): Expression {
  if (cursor.at(' ') || cursor.at('\t')) cursor.fail('an expression');
  return nested ? parseExpression(cursor) : parseWhole(cursor);
}

function parseWhole(cursor: Cursor): Expression {
  const expression = parseExpression(cursor);
  cursor.expectEnd('an operator or the end');
  return expression;
}

/** 1*DIGIT; larger numbers are limited to the largest safe integer. */
function parseNumberOfRows(cursor: Cursor): number {
  return Math.min(Number(expectMatch(cursor, DIGITS, 'a non-negative integer')), Number.MAX_SAFE_INTEGER);
}

/** index = [ "-" ] 1*DIGIT: a negative index counts from the end. */
function parseInteger(cursor: Cursor): number {
  const value = Number(expectMatch(cursor, INTEGER, 'an integer'));
  return Math.max(Math.min(value, Number.MAX_SAFE_INTEGER), Number.MIN_SAFE_INTEGER);
}

/** A non-empty text: tokens, media types, ids of entities. */
function expectText(cursor: Cursor): string {
  return expectMatch(cursor, ANY_TEXT, 'a value');
}

function expectMatch(cursor: Cursor, pattern: RegExp, what: string): string {
  return cursor.match(pattern) ?? cursor.fail(what);
}

/** The value of an alias: arrayOrObject / commonExpr, or null if empty (Part 1, 11.2.6.1.3). */
function parseAliasValue(cursor: Cursor): Expression {
  cursor.skipSpace();
  if (cursor.done) return { kind: 'literal', position: 0, type: 'null', text: 'null' };
  return parseWhole(cursor);
}

const ENCODED = /(?:%[\da-f]{2})+|%/gi;
/**
 * Forbidden control characters: text may have lines and columns, and a segment may contain an expression with
 * HTAB.
 */
const UNWANTED = { name: /\p{Cc}/u, segment: /(?!\t)\p{Cc}/u, text: /(?![\t\n\r])\p{Cc}/u };
const FOUND_LENGTH = 12;

/**
 * Decodes one piece of a URL, exactly once (Part 2, 2.1). `+` stays `+`.
 *
 * Rejects invalid percent-encoding, invalid UTF-8 and control characters.
 */
function decodePiece(subject: string, raw: string, content: keyof typeof UNWANTED): string {
  const text = decode(raw) ?? throwTextError(subject, 'percent-encoded UTF-8', raw, findMalformed(raw));
  if (!UNWANTED[content].test(text)) return text;
  const control = text.matchAll(QUOTED_OR_CONTROL[content]).find(([found]) => found.length === 1);
  return control === undefined ? text : throwTextError(subject, 'no control character', text, control.index);
}

/** A quoted key may contain any character, so that every row can be addressed. */
const QUOTED_OR_CONTROL = {
  name: /\p{Cc}/gu,
  segment: /'(?:[^']|'')*'|(?!\t)\p{Cc}/gu,
  text: /(?![\t\n\r])\p{Cc}/gu,
};

function decode(raw: string): string | undefined {
  try {
    const text = decodeURIComponent(raw);
    return text.isWellFormed() ? text : undefined;
  } catch {
    return undefined;
  }
}

/** The position of the first encoded bytes that are not UTF-8, or else of a lone surrogate. */
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
/** Characters that forms encode, but that URLs written by hand or by browsers contain unencoded. */
const ENCODED_BY_FORMS = /%(?:24|28|29|2C|40)/i;
const NEVER_IN_FORMS = /[$'(),:@]/;

/**
 * The target with `%20` for every `+` of its query, if the client encodes spaces as forms do.
 *
 * Part 2, 2.1 does not define `+`. A `+` where the grammar requires or allows white space can only be a
 * space, and then all are, even in literals: such a client writes a plus as `%2B`. The same holds for a
 * client that encodes characters that only forms encode, as in `contains%28Title%2C%27a+b%27%29`. Otherwise,
 * as in `'a+b'` and in the offset of a time, they are pluses.
 */
export function withoutFormBlanks(target: string, limits: UrlLimits): string {
  const mark = target.indexOf('?');
  if (mark < 0 || !target.includes('+', mark)) return target;
  const query = target.slice(mark + 1);
  return isFormEncoded(query, limits) ? target.slice(0, mark + 1) + formBlanks(query) : target;
}

/** The text with `%20` for `+` (URL Standard, 5.1), except in the offset of a time. */
export function formBlanks(encoded: string): string {
  return encoded.replace(TIME_OR_BLANK, (_, time?: string) => time ?? '%20');
}

const TIME_OR_BLANK = /(T\d\d(?::|%3A)\d\d(?:(?::|%3A)\d\d(?:\.\d{1,12})?)?\+\d\d(?::|%3A)\d\d)|\+/gi;

/** A query that cannot be parsed either way counts as form-encoded if it has + between words and no %20. */
function isFormEncoded(query: string, limits: UrlLimits): boolean {
  const hasBlanks = query.includes('%20');
  if (isReadable(query, limits)) {
    if (separatesTerms(query)) return true;
    const isLikely = !hasBlanks && (query.split('&').some(isOptionOfForm) || separatesWords(query));
    return isLikely && isReadable(formBlanks(query), limits);
  }
  return (!hasBlanks && BETWEEN_WORDS.test(query)) || isReadable(formBlanks(query), limits);
}

/** Clients may encode only the value, as `curl --data-urlencode` does. */
function isOptionOfForm(option: string): boolean {
  const value = option.slice(option.indexOf('=') + 1);
  return ENCODED_BY_FORMS.test(option) && value.includes('+') && !NEVER_IN_FORMS.test(value);
}

/** Whether a phrase of a search has + between two words. */
function separatesWords(query: string): boolean {
  const phrases = SEARCH.exec(query)?.[1]?.match(PHRASES) ?? [];
  return phrases.some((phrase) => BETWEEN_WORDS.test(phrase));
}

/** Search terms may contain any character, but `red+green` means two words. */
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
