import type { Literal, LiteralType } from '../../engine/tree/expression-tree.ts';
import type { Cursor, Parse } from './cursor.ts';
import { parseGeoShape } from './geo-literals.ts';
import {
  BEGINNINGS,
  BEGINNINGS_BEFORE_COLON,
  type Beginning,
  BINARY_BEGINNING,
  DURATION_BEGINNING,
  failWithin,
  longestBeginning,
} from './literal-beginnings.ts';

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
      refuseGoingOn(cursor, position);
      return { kind: 'literal', position, type, text };
    }
    cursor.position = position;
  }
  return undefined;
}

/** Where what was taken goes on as a literal of another form does, and breaks off there. */
function refuseGoingOn(cursor: Cursor, start: number): void {
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
  refuseSlash(cursor, position + 1, end < 0 ? text.length : end);
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
function refuseSlash(cursor: Cursor, start: number, end: number): void {
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
