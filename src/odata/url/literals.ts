import type {
  Expression,
  ListExpression,
  Literal,
  LiteralType,
  ObjectExpression,
} from '../../engine/tree/query-tree.ts';
import type { Cursor, Parse } from './cursor.ts';

const DATE_FORM = '-?(?:0\\d{3}|[1-9]\\d{3,})-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])';
const MINUTE_FORM = '(?:[01]\\d|2[0-3]):[0-5]\\d';
/** The day's last minute may have a leap second. */
const TIME_FORM = `(?:23:59:60(?:\\.\\d{1,12})?|${MINUTE_FORM}(?::[0-5]\\d(?:\\.\\d{1,12})?)?)`;
export const DATE_TIME_OFFSET_FORM = `${DATE_FORM}T${TIME_FORM}(?:Z|[+-]${MINUTE_FORM})`;

// Lexical forms (ABNF, section 7). All are sticky, and no two neighbouring runs can match the same
// character, so that each needs time linear in what it reads.
const GUID = /[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}/iy;
const DATE = new RegExp(DATE_FORM, 'y');
const DATE_TIME_OFFSET = new RegExp(DATE_TIME_OFFSET_FORM, 'iy');
const TIME_OF_DAY = new RegExp(`${TIME_FORM}(?![.\\d])`, 'y');
const HOUR_AND_MINUTE = new RegExp(`${MINUTE_FORM}(?![.\\d])`, 'y');
const DURATION = /-?P(?=\d|T)(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?(?=')/iy;
const BINARY = /(?:[\w-]{4})*(?:[\w-]{2}[AEIMQUYcgkosw048]=?|[\w-][AQgw](?:==)?)?(?=')/y;
const NUMBER = /[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?/iy;
const NEGATIVE_INFINITY = /-INF(?![\p{L}\p{Nl}\p{Nd}\p{Pc}])/uy;
const ENUM_MEMBER_VALUE = /[+-]?\d{1,19}/y;

const WORDS = new Map<string, LiteralType>([
  ['null', 'null'],
  ['INF', 'Edm.Double'],
  ['NaN', 'Edm.Double'],
]);

/** What no literal that begins with a digit or a sign has behind it. */
const GOING_ON = /[\p{L}\p{Nd}_.:-]/uy;

/** Literals that begin with a digit or a sign; the longer forms stand before those they begin with. */
const FORMS: readonly (readonly [RegExp, (text: string) => readonly [LiteralType, string]])[] = [
  [GUID, (text) => ['Edm.Guid', text]],
  [DATE_TIME_OFFSET, (text) => ['Edm.DateTimeOffset', text.toUpperCase()]],
  [DATE, (text) => ['Edm.Date', text]],
  [TIME_OF_DAY, (text) => ['Edm.TimeOfDay', text]],
  [HOUR_AND_MINUTE, (text) => ['Edm.TimeOfDay', text]],
  [NUMBER, (text) => [numberType(text), text.startsWith('+') ? text.slice(1) : text]],
  [NEGATIVE_INFINITY, (text) => ['Edm.Double', text]],
];

const PREFIXES = new Map<string, readonly [LiteralType, Parse<string>]>([
  ['binary', ['Edm.Binary', (cursor) => expectForm(cursor, BINARY, BINARY_BEGINNING)]],
  ['duration', ['Edm.Duration', (cursor) => expectForm(cursor, DURATION, DURATION_BEGINNING).toUpperCase()]],
  ['geography', ['Edm.Geography', parseGeoShape]],
  ['geometry', ['Edm.Geometry', parseGeoShape]],
]);

const QUALIFIED: readonly [LiteralType, Parse<string>] = ['qualified', parseEnumValue];

/**
 * primitiveLiteral without those that a name begins: strings, numbers, dates, times and guids.
 *
 * Undefined where none of them is at the cursor, which then has not moved.
 */
export function parseLiteral(cursor: Cursor): Literal | undefined {
  if (cursor.at("'")) return parseStringLiteral(cursor);
  const position = cursor.position;
  for (const [form, classify] of FORMS) {
    const found = cursor.match(form);
    if (found === undefined) continue;
    const [type, text] = classify(found);
    if (type !== 'Edm.TimeOfDay' || cursor.position <= cursor.timesEnd) {
      assertEndOfLiteral(cursor, position);
      return { kind: 'literal', position, type, text };
    }
    cursor.position = position;
  }
  return undefined;
}

/** Where what was taken goes on as a literal of another form does, and breaks off there. */
function assertEndOfLiteral(cursor: Cursor, start: number): void {
  const { position, timesEnd } = cursor;
  if (cursor.match(GOING_ON) === undefined) return;
  const beginnings = Number.isFinite(timesEnd) ? BEGINNINGS_BEFORE_COLON : BEGINNINGS;
  const { what, end } = longestBeginning(cursor, start, beginnings);
  cursor.position = position;
  if (end > position) cursor.fail(`the rest of ${what}`, end);
}

/**
 * The literals that begin with a name: `null`, `true`, `INF`, `NaN`, and those with a type's name
 * before a quote. Undefined where the name, which was just read, is no literal.
 */
export function parseNamedLiteral(cursor: Cursor, position: number, name: string): Literal | undefined {
  if (cursor.at("'")) return parsePrefixedLiteral(cursor, position, name);
  const lowerCased = name.toLowerCase();
  if (lowerCased === 'true' || lowerCased === 'false') {
    return { kind: 'literal', position, type: 'Edm.Boolean', text: lowerCased };
  }
  const type = WORDS.get(name);
  return type === undefined ? undefined : { kind: 'literal', position, type, text: name };
}

/** primitiveLiteral, where nothing else may stand: in a key. */
export function parseAnyLiteral(cursor: Cursor): Literal | undefined {
  const start = cursor.position;
  const literal = parseLiteral(cursor);
  if (literal !== undefined) return literal;
  const name = cursor.takeQualifiedName();
  const named = name === undefined ? undefined : parseNamedLiteral(cursor, start, name);
  if (named === undefined) cursor.position = start;
  return named;
}

/** string = SQUOTE *( SQUOTE SQUOTE / pchar-no-SQUOTE ) SQUOTE. In a path, its slashes must be encoded. */
function parseStringLiteral(cursor: Cursor): Literal {
  const position = cursor.position;
  const { text } = cursor;
  let end = text.indexOf("'", position + 1);
  while (end >= 0 && text.startsWith("''", end)) end = text.indexOf("'", end + 2);
  assertNoSlash(cursor, position + 1, end < 0 ? text.length : end);
  if (end < 0) cursor.fail("the closing '", text.length);
  cursor.position = end + 1;
  return {
    kind: 'literal',
    position,
    type: 'Edm.String',
    text: text.slice(position + 1, end).replaceAll("''", "'"),
  };
}

/** Part 2, 2.2: a slash separates segments, also within quotes, unless it is percent-encoded. */
function assertNoSlash(cursor: Cursor, start: number, end: number): void {
  if (cursor.slashes.size === 0) return;
  for (let at = cursor.text.indexOf('/', start); at >= 0 && at < end; at = cursor.text.indexOf('/', at + 1)) {
    if (cursor.slashes.has(at)) cursor.fail('%2F instead of a slash in quotes', at);
  }
}

/** typePrefix SQUOTE value SQUOTE: binary, duration, geo and enumLiteral (ABNF, section 7). */
function parsePrefixedLiteral(cursor: Cursor, position: number, prefix: string): Literal {
  const [type, parseValue] = PREFIXES.get(prefix.toLowerCase()) ?? QUALIFIED;
  cursor.expect("'");
  const text = parseValue(cursor);
  cursor.expect("'");
  const literal = { kind: 'literal', position, type, text } as const;
  return type === 'qualified' ? { ...literal, typeName: prefix } : literal;
}

/** enumValue = singleEnumValue *( COMMA singleEnumValue ): members by name or by number. */
function parseEnumValue(cursor: Cursor): string {
  const start = cursor.position;
  do {
    if (cursor.match(ENUM_MEMBER_VALUE) === undefined) cursor.expectIdentifier('an enumeration member');
  } while (cursor.take(','));
  return cursor.text.slice(start, cursor.position);
}

function expectForm(cursor: Cursor, form: RegExp, beginning: Beginning): string {
  return cursor.match(form) ?? failWithin(cursor, [beginning]);
}

/** The narrowest type that holds the number. */
function numberType(text: string): LiteralType {
  if (/e/i.test(text)) return 'Edm.Double';
  if (text.includes('.')) return 'Edm.Decimal';
  return text.length > 20 ? 'Edm.Decimal' : integerType(BigInt(text));
}

function integerType(value: bigint): LiteralType {
  if (value === BigInt.asIntN(32, value)) return 'Edm.Int32';
  return value === BigInt.asIntN(64, value) ? 'Edm.Int64' : 'Edm.Decimal';
}

const SRID = /SRID=\d{1,5};/iy;
const SHAPE = /[a-z]+\(/iy;
const COORDINATE = /(?:[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?|NaN|-?INF)(?=[ ,)])/iy;

/** The shapes and what stands in their parentheses (ABNF, section 7, from collectionLiteral to ringLiteral). */
const SHAPES = new Map<string, Parse<void>>([
  ['point', parsePosition],
  ['linestring', parseLine],
  ['polygon', parseRings],
  ['multipoint', optional(list(group(parsePosition)))],
  ['multilinestring', optional(list(group(parseLine)))],
  ['multipolygon', optional(list(group(parseRings)))],
  ['collection', parseShapes],
  ['geometrycollection', parseShapes],
]);

const SHAPE_BEGINNINGS = callBeginnings('a geo shape', SHAPES.keys());

/** fullXxxLiteral = sridLiteral geoLiteral, for all shapes; gives the text as it was written. */
function parseGeoShape(cursor: Cursor): string {
  const start = cursor.position;
  if (cursor.match(SRID) === undefined) failWithin(cursor, [REFERENCE_SYSTEM_BEGINNING]);
  parseShape(cursor);
  return cursor.text.slice(start, cursor.position);
}

/** geoLiteral = name OPEN data CLOSE. */
function parseShape(cursor: Cursor): void {
  const position = cursor.position;
  const name = cursor.match(SHAPE)?.slice(0, -1).toLowerCase();
  const parseData = SHAPES.get(name ?? '') ?? failWithin(cursor, SHAPE_BEGINNINGS, position);
  cursor.nest('depth', parseData);
  cursor.expect(')');
}

/** geoLiteral *( COMMA geoLiteral ). */
function parseShapes(cursor: Cursor): void {
  cursor.separated(',', parseShape);
}

/** positionLiteral 1*( COMMA positionLiteral ): a line has two ends. */
function parseLine(cursor: Cursor): void {
  parsePosition(cursor);
  cursor.expect(',');
  cursor.separated(',', parsePosition);
}

/** ringLiteral *( COMMA ringLiteral ). */
function parseRings(cursor: Cursor): void {
  cursor.separated(',', group(list(parsePosition)));
}

/** positionLiteral = doubleValue SP doubleValue [ SP doubleValue ] [ SP doubleValue ]. */
function parsePosition(cursor: Cursor): void {
  parseCoordinate(cursor);
  if (!cursor.take(' ')) cursor.fail('a space');
  parseCoordinate(cursor);
  for (let more = 0; more < 2 && cursor.take(' '); more += 1) parseCoordinate(cursor);
}

function parseCoordinate(cursor: Cursor): void {
  if (cursor.match(COORDINATE) === undefined) failWithin(cursor, COORDINATE_BEGINNINGS);
}

function group(parse: Parse<void>): Parse<void> {
  return (cursor) => {
    cursor.expect('(');
    parse(cursor);
    cursor.expect(')');
  };
}

function list(parse: Parse<void>): Parse<void> {
  return (cursor) => {
    cursor.separated(',', parse);
  };
}

function optional(parse: Parse<void>): Parse<void> {
  return (cursor) => {
    if (!cursor.at(')')) parse(cursor);
  };
}

/** array = "[" [ item *( "," item ) ] "]" of JSON in a URL, where an item may also be an expression. */
export function parseArray(cursor: Cursor, parseExpression: Parse<Expression>): ListExpression {
  const position = cursor.position;
  const items = cursor.nest('depth', () =>
    parseMembers(cursor, '[', ']', () => parseItem(cursor, parseExpression)),
  );
  return { kind: 'list', position, items };
}

/** object = "{" [ member *( "," member ) ] "}"; member = string ":" item. */
export function parseObject(cursor: Cursor, parseExpression: Parse<Expression>): ObjectExpression {
  const position = cursor.position;
  const members = cursor.nest('depth', () =>
    parseMembers(cursor, '{', '}', () => parseMember(cursor, parseExpression)),
  );
  return { kind: 'object', position, members };
}

function parseMembers<Member>(
  cursor: Cursor,
  open: string,
  close: string,
  parse: Parse<Member>,
): readonly Member[] {
  cursor.expect(open);
  if (cursor.takeSpaced(close)) return [];
  const members = cursor.separated(',', parse);
  cursor.skipSpace();
  cursor.expect(close);
  return members;
}

function parseMember(cursor: Cursor, parseExpression: Parse<Expression>) {
  const name = parseJsonString(cursor).text;
  cursor.skipSpace();
  cursor.expect(':');
  cursor.skipSpace();
  return { name, value: parseItem(cursor, parseExpression) };
}

function parseItem(cursor: Cursor, parseExpression: Parse<Expression>): Expression {
  if (cursor.at('"')) return parseJsonString(cursor);
  const item = parseExpression(cursor);
  if (item.kind === 'literal') cursor.countLiteral(item.position);
  return item;
}

/** stringInUrl = quotation-mark *charInJSON quotation-mark. */
function parseJsonString(cursor: Cursor): Literal {
  const { position } = cursor;
  const text = readJsonString(takeDoubleQuoted(cursor));
  if (text === undefined) failWithinString(cursor, position);
  return { kind: 'literal', position, type: 'Edm.String', text };
}

const STRING_BEGINNING = /"(?:[^"\\\p{Cc}]|\\["\\/bfnrt]|\\u[\da-f]{4})*(?:\\(?:u[\da-f]{0,3})?)?/iuy;

/** What no text may hold, such as half a surrogate pair, is refused with the string, all else where it stands. */
function failWithinString(cursor: Cursor, start: number): never {
  const closing = cursor.position - 1;
  cursor.position = start;
  cursor.match(STRING_BEGINNING);
  return cursor.fail('a string of JSON', cursor.position < closing ? cursor.position : start);
}

/** The string, or undefined where it is malformed or holds what no text may hold. */
function readJsonString(json: string): string | undefined {
  try {
    const text = String(JSON.parse(json));
    return text.isWellFormed() && !text.includes('\0') ? text : undefined;
  } catch {
    return undefined;
  }
}

/** Text in double quotes where a backslash escapes what follows, quotes and backslashes included. */
export function takeDoubleQuoted(cursor: Cursor): string {
  const start = cursor.position;
  const { text } = cursor;
  if (!cursor.take('"')) cursor.fail('a string in double quotes');
  let end = start + 1;
  while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
  if (end >= text.length) cursor.fail('the closing "', text.length);
  cursor.position = end + 1;
  return text.slice(start, end + 1);
}

/**
 * What the literals of a form begin with: the sticky expression takes the longest text that can be gone on from, so
 * that a refusal points at the first character that cannot be.
 */
interface Beginning {
  readonly what: string;
  readonly form: RegExp;
}

/** Pieces of which each can only be there where the one before is. */
function chain(pieces: readonly string[]): string {
  return pieces.reduceRight((rest, piece) => `(?:${piece}${rest})?`, '');
}

const MONTH = ['[01]', '(?:(?<=0)[1-9]|(?<=1)[0-2])'];
const DAY = ['[0-3]', '(?:(?<=0)[1-9]|(?<=[12])\\d|(?<=3)[01])'];
const HOUR = ['[0-2]', '(?:(?<=[01])\\d|(?<=2)[0-3])'];
const SECOND = ['(?:[0-5]|(?<=23:59:)6)', '(?:(?<=[0-5])\\d|(?<=6)0)'];
const OFFSET = `(?:Z|${chain(['[+-]', ...HOUR, ':', '[0-5]', '\\d'])})?`;

/** A time with what follows it, if anything does. */
function time(end: string): string {
  const fraction = `(?:\\.(?:\\d{1,12}${end})?|${end})`;
  const seconds = `(?:(?=:)${chain([':', ...SECOND, fraction])}|${end})`;
  return chain([...HOUR, ':', '[0-5]', '\\d', seconds]);
}

function date(end: readonly string[]): string {
  const days = ['-', ...MONTH, '-', ...DAY, ...end];
  return `-?(?:(?=0)${chain(['0', '\\d', '\\d', '\\d', ...days])}|${chain(['[1-9]', '\\d', '\\d', '\\d+', ...days])})`;
}

/** Behind the first dash: what is before it may be anything. */
const GUID_END = [...'xxxx-xxxx-xxxx-xxxxxxxxxxxx'].map((sign) => (sign === 'x' ? '[\\da-f]' : sign));

const NUMBER_BEGINNING: Beginning = {
  what: 'a number',
  form: /[+-]?(?:\d+(?:\.(?!\d)|(?:\.\d+)?(?:e[+-]?\d*)?))?/iy,
};

/** The beginnings of literals that begin with a digit or a sign and can have a colon behind them. */
const BEGINNINGS_BEFORE_COLON: readonly Beginning[] = [
  NUMBER_BEGINNING,
  { what: 'a date', form: new RegExp(date([]), 'y') },
  { what: 'a date and time', form: new RegExp(date(['T', time(OFFSET)]), 'iy') },
  { what: 'a guid', form: new RegExp(`[\\da-f]{8}-${chain(GUID_END)}`, 'iy') },
];

/** The beginnings of all literals that begin with a digit or a sign. */
const BEGINNINGS: readonly Beginning[] = [
  ...BEGINNINGS_BEFORE_COLON,
  { what: 'a time', form: new RegExp(time(''), 'y') },
];

const DURATION_BEGINNING: Beginning = {
  what: 'a duration',
  form: /-?(?:P(?:(?:\d+D)?T(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+S?|[.HMS]?))?|\d+D?)?)?/iy,
};

const COORDINATE_BEGINNINGS: readonly Beginning[] = [
  { ...NUMBER_BEGINNING, what: 'a coordinate' },
  { what: 'a coordinate', form: new RegExp(`-?${chain([...'INF'])}`, 'iy') },
  { what: 'a coordinate', form: new RegExp(chain([...'NaN']), 'iy') },
];

/** The beginnings of calls by one of the words, behind which a parenthesis opens. */
function callBeginnings(what: string, words: Iterable<string>): readonly Beginning[] {
  return [...words].map((word) => ({ what, form: new RegExp(chain([...word, '\\(']), 'iy') }));
}

const BINARY_BEGINNING: Beginning = {
  what: 'base64url digits',
  form: /(?:[\w-]{4})*(?:[\w-]{2}[AEIMQUYcgkosw048]=|[\w-][AQgw]==?|[\w-]{0,3})/y,
};

const REFERENCE_SYSTEM_BEGINNING: Beginning = {
  what: 'SRID=…;',
  form: new RegExp(chain([...'SRID=', '\\d{1,5}', ';']), 'iy'),
};

interface Longest {
  readonly what: string;
  readonly end: number;
}

/** The longest of the beginnings at a place; it leaves the cursor somewhere. */
function longestBeginning(cursor: Cursor, start: number, beginnings: readonly Beginning[]): Longest {
  let longest: Longest = { what: '', end: start };
  for (const { what, form } of beginnings) {
    cursor.position = start;
    cursor.match(form);
    if (longest.what === '' || cursor.position > longest.end) longest = { what, end: cursor.position };
  }
  return longest;
}

/** Refuses what is at a place, at the first character that cannot be. */
function failWithin(cursor: Cursor, beginnings: readonly Beginning[], start = cursor.position): never {
  const { what, end } = longestBeginning(cursor, start, beginnings);
  return cursor.fail(what, end);
}
