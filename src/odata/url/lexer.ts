import { GatewayError } from '../../contract/gateway-error.ts';
import { DEFAULT_REQUEST_LIMITS, type LimitsOf, REQUEST_LIMITS } from '../../core/request-limits.ts';
import type { Literal, LiteralType } from '../../engine/tree/query-tree.ts';

/** A grammar rule: reads from the cursor and advances it. */
export type Parse<Result> = (cursor: Cursor) => Result;

type Nesting = 'depth' | 'expandDepth' | 'lambdaDepth';

const NESTING: Readonly<Record<Nesting, string>> = {
  depth: 'levels of nesting',
  expandDepth: 'levels of $expand',
  lambdaDepth: 'nested any or all',
};

const FOUND_LENGTH = 40;
const IDENTIFIER_LENGTH = 128;
const NOWHERE: ReadonlySet<number> = new Set();

// Each matches one run of one character class, so it cannot backtrack.
const SPACE = /[ \t]*/y;
const WORD = /[a-z]+/iy;
const IDENTIFIER = /[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}\p{Cf}]*/uy;

/**
 * Differences in the encoding that decoding removes and the grammar needs, by position in the decoded text.
 */
type Encodings = Pick<Cursor, 'slashes' | 'encodedSemicolons'>;

/** Reads the decoded text of a path or option once, and counts against the limits. */
export class Cursor {
  readonly text: string;
  /** The name of the text in messages: the option, or `resource path`. */
  readonly subject: string;
  readonly limits: UrlLimits;
  /** Positions of slashes that were not percent-encoded: these separate segments, others are data. */
  readonly slashes: ReadonlySet<number>;
  /** Positions of semicolons that were percent-encoded: these are data, others separate. */
  readonly encodedSemicolons: ReadonlySet<number>;
  position = 0;
  /** The position where a time must end: in the condition of a `case`, a colon may follow a number. */
  timesEnd = Number.POSITIVE_INFINITY;
  /**
   * The positions of the last colons in the branches of `case`, by the start of the branch; computed with the
   * first.
   */
  branchColons: ReadonlyMap<number, number> | undefined;
  #nodes = 0;
  #literals = 0;
  readonly #nesting: Record<Nesting, number> = { depth: 0, expandDepth: 0, lambdaDepth: 0 };

  constructor(
    subject: string,
    text: string,
    limits: UrlLimits,
    { slashes = NOWHERE, encodedSemicolons = NOWHERE }: Partial<Encodings> = {},
  ) {
    this.subject = subject;
    this.text = text;
    this.limits = limits;
    this.slashes = slashes;
    this.encodedSemicolons = encodedSemicolons;
  }

  get done(): boolean {
    return this.position >= this.text.length;
  }

  at(token: string): boolean {
    return this.text.startsWith(token, this.position);
  }

  take(token: string): boolean {
    const found = this.at(token);
    if (found) this.position += token.length;
    return found;
  }

  expect(token: string): void {
    if (!this.take(token)) this.fail(token);
  }

  expectEnd(expected = 'the end'): void {
    this.skipSpace();
    if (!this.done) this.fail(expected);
  }

  /** Consumes the match of a sticky, linear pattern at the cursor. */
  match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.position;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.position += found.length;
    return found;
  }

  /** BWS: optional space. Returns whether there was any. */
  skipSpace(): boolean {
    return this.match(SPACE) !== '';
  }

  /** The ASCII word after required space, in lower case, without consuming it. */
  peekSpacedWord(): string | undefined {
    const start = this.position;
    const word = this.skipSpace() ? this.match(WORD)?.toLowerCase() : undefined;
    this.position = start;
    return word;
  }

  /** RWS word RWS: a keyword between spaces, in any case. */
  takeSpacedWord(word: string): boolean {
    if (this.peekSpacedWord() !== word) return false;
    this.skipSpace();
    this.position += word.length;
    return true;
  }

  /** odataIdentifier: at most 128 characters, `_` or a letter first. */
  takeIdentifier(): string | undefined {
    const start = this.position;
    const name = this.match(IDENTIFIER);
    if (name !== undefined && name.length > IDENTIFIER_LENGTH && [...name].length > IDENTIFIER_LENGTH) {
      this.fail(`a name of at most ${IDENTIFIER_LENGTH} characters`, start);
    }
    return name;
  }

  /** odataIdentifier *( "." odataIdentifier ). */
  takeQualifiedName(): string | undefined {
    const start = this.position;
    if (this.takeIdentifier() === undefined) return undefined;
    for (let end = this.position; ; end = this.position) {
      if (this.take('.') && this.takeIdentifier() !== undefined) continue;
      this.position = end;
      return this.text.slice(start, end);
    }
  }

  expectIdentifier(what = 'a name'): string {
    return this.takeIdentifier() ?? this.fail(what);
  }

  expectQualifiedName(what = 'a name'): string {
    return this.takeQualifiedName() ?? this.fail(what);
  }

  /** BWS token. */
  expectSpaced(token: string): void {
    this.skipSpace();
    this.expect(token);
  }

  /** OPEN BWS … BWS CLOSE. */
  inParentheses<Result>(parse: Parse<Result>): Result {
    this.expect('(');
    this.skipSpace();
    const result = parse(this);
    this.expectSpaced(')');
    return result;
  }

  /** `separator`-separated items, with space around the separators. */
  separated<Item>(separator: string, parse: Parse<Item>): readonly Item[] {
    const items: Item[] = [];
    do {
      this.skipSpace();
      items.push(parse(this));
    } while (this.takeSpaced(separator));
    return items;
  }

  /** BWS token. */
  takeSpaced(token: string): boolean {
    const start = this.position;
    this.skipSpace();
    if (this.take(token)) return true;
    this.position = start;
    return false;
  }

  /** BWS "," BWS. */
  expectComma(): void {
    this.skipSpace();
    this.expect(',');
    this.skipSpace();
  }

  countNode(position: number): void {
    this.#nodes += 1;
    if (this.#nodes > this.limits.nodes) this.failAtLimit('nodes', 'expressions', position);
  }

  /** Counts a literal in a list, which costs nothing to evaluate. */
  countLiteral(position: number): void {
    this.#nodes -= 1;
    this.#literals += 1;
    if (this.#literals > this.limits.literals) this.failAtLimit('literals', 'literals in lists', position);
  }

  /** The number of enclosing `$expand`. */
  get expandDepth(): number {
    return this.#nesting.expandDepth;
  }

  /** Parses one level deeper, within the limits. */
  nest<Result>(kind: Nesting, parse: Parse<Result>): Result {
    const limit = this.limits[kind];
    if (this.#nesting[kind] >= limit) this.failAtLimit(kind, NESTING[kind], this.position);
    this.#nesting[kind] += 1;
    const result = parse(this);
    this.#nesting[kind] -= 1;
    return result;
  }

  /** Throws for an exceeded limit. */
  failAtLimit(limit: keyof UrlLimits, what: string, position: number, most = this.limits[limit]): never {
    this.#refuse(`at most ${most} ${what} (${limitName(limit)})`, position);
  }

  /** Throws a syntax error; all of them are created here. */
  fail(expected: string, position = this.position): never {
    return this.#refuse(expected, position);
  }

  #refuse(expected: string, position: number): never {
    const message = `${this.subject}: expected ${expected} at position ${position}, found ${this.#found(position)}${hintFor(expected, this.text.slice(position, position + FOUND_LENGTH))}`;
    throw new GatewayError('BadRequest', message, targetOf(this.subject));
  }

  #found(position: number): string {
    const rest = this.text.slice(position, position + FOUND_LENGTH).toWellFormed();
    if (rest === '') return 'the end';
    return position + FOUND_LENGTH < this.text.length ? `${rest}…` : rest;
  }
}

/** A suggestion in parentheses for common mistakes; empty if none is known. */
function hintFor(expected: string, found: string): string {
  const hints = expected.startsWith('an operator') ? [...HINTS, ...OPERATOR_HINTS] : HINTS;
  const hint = hints.find(([beginning]) => beginning.test(found))?.[1];
  return hint === undefined ? '' : ` (write ${hint})`;
}

type Hint = readonly [beginning: RegExp, remedy: string];

const HINTS: readonly Hint[] = [
  // Forms encode spaces as +, URLs do not (Part 2, 2.1).
  [/^\+\D/, 'a space as %20'],
  [/^\$links\b/, '/$ref behind the navigation property, as since OData 4.0'],
];

const OPERATOR_HINTS: readonly Hint[] = [
  [/^(?:contains|like)\s/i, 'contains(property,text)'],
  [/^startswith\s/i, 'startswith(property,text)'],
  [/^endswith\s/i, 'endswith(property,text)'],
  [/^(?:!=|<>)/, 'ne'],
  [/^=/, 'eq'],
  [/^>=/, 'ge'],
  [/^<=/, 'le'],
  [/^>/, 'gt'],
  [/^</, 'lt'],
  [/^&&/, 'and'],
  [/^\|\|/, 'or'],
];

/** The target of an error: a query option or an alias; undefined for the path. */
export function targetOf(subject: string): { readonly target?: string } {
  return subject.startsWith('$') || subject.startsWith('@') ? { target: subject } : {};
}

/** Limits of a URL. Everything is counted while it is parsed, and before any recursion. */
export type UrlLimits = LimitsOf<'url'>;

export const DEFAULT_URL_LIMITS: UrlLimits = DEFAULT_REQUEST_LIMITS.url;

/** The variable of the limit, for the operator who reads the error. */
export function limitName(limit: keyof UrlLimits): string {
  return REQUEST_LIMITS.url[limit].variable;
}

const DATE_FORM = '-?(?:0\\d{3}|[1-9]\\d{3,})-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])';
const MINUTE_FORM = '(?:[01]\\d|2[0-3]):[0-5]\\d';
/** The last minute of a day may have a leap second. */
const TIME_FORM = `(?:23:59:60(?:\\.\\d{1,12})?|${MINUTE_FORM}(?::[0-5]\\d(?:\\.\\d{1,12})?)?)`;
export const DATE_TIME_OFFSET_FORM = `${DATE_FORM}T${TIME_FORM}(?:Z|[+-]${MINUTE_FORM})`;

// Lexical forms (ABNF, section 7). All are sticky, and no two neighbouring runs match the same character, so
// that matching takes linear time.
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

/** Characters that cannot follow a literal that begins with a digit or a sign. */
const GOING_ON = /[\p{L}\p{Nd}_.:-]/uy;

/** Literals that begin with a digit or a sign; longer forms precede their prefixes. */
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
 * primitiveLiteral, except those that begin with a name: strings, numbers, dates, times and guids.
 *
 * Undefined, with the cursor unmoved, if there is no such literal.
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

/** Rejects a literal that continues as an incomplete literal of another form. */
function assertEndOfLiteral(cursor: Cursor, start: number): void {
  const { position, timesEnd } = cursor;
  if (cursor.match(GOING_ON) === undefined) return;
  const beginnings = Number.isFinite(timesEnd) ? BEGINNINGS_BEFORE_COLON : BEGINNINGS;
  const { what, end } = longestBeginning(cursor, start, beginnings);
  cursor.position = position;
  if (end > position) cursor.fail(`the rest of ${what}`, end);
  const suffix = cursor.match(OLD_SUFFIX);
  if (suffix !== undefined && what === 'a number') {
    cursor.fail(`${cursor.text.slice(start, position)} without ${suffix}, as since OData 4.0,`, start);
  }
  cursor.position = position;
}

/** Number suffixes of OData 2 and 3. */
const OLD_SUFFIX = /[dflm](?![\p{L}\p{Nd}_.:-])/iuy;

/**
 * The literals that begin with a name: `null`, `true`, `INF`, `NaN`, and those with a type prefix. Undefined
 * if the name, which was just read, begins no literal.
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

/** primitiveLiteral of any form, for keys. */
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

/** Part 2, 2.2: an unencoded slash separates segments, even within quotes. */
function assertNoSlash(cursor: Cursor, start: number, end: number): void {
  if (cursor.slashes.size === 0) return;
  for (let at = cursor.text.indexOf('/', start); at >= 0 && at < end; at = cursor.text.indexOf('/', at + 1)) {
    if (cursor.slashes.has(at)) cursor.fail('%2F instead of a slash in quotes', at);
  }
}

/** typePrefix SQUOTE value SQUOTE: binary, duration, geo and enumLiteral (ABNF, section 7). */
function parsePrefixedLiteral(cursor: Cursor, position: number, prefix: string): Literal {
  const lowerCased = prefix.toLowerCase();
  const [type, parseValue] = PREFIXES.get(lowerCased) ?? QUALIFIED;
  const presentForm = OLD_PREFIXES.get(lowerCased);
  if (presentForm !== undefined) {
    const [value = ''] = cursor.text.slice(cursor.position + 1, cursor.position + 65).split("'", 1);
    cursor.fail(`${presentForm(value)}, as since OData 4.0,`, position);
  }
  cursor.expect("'");
  const text = parseValue(cursor);
  cursor.expect("'");
  const literal = { kind: 'literal', position, type, text } as const;
  return type === 'qualified' ? { ...literal, typeName: prefix } : literal;
}

/** Literal prefixes of OData 2 and 3, with the conversion of their values. */
const OLD_PREFIXES: ReadonlyMap<string, (value: string) => string> = new Map([
  ['guid', (value) => value],
  ['datetime', (value) => (/(?:Z|[+-]\d\d:\d\d)$/i.test(value) ? value : `${value}Z`)],
  ['datetimeoffset', (value) => value],
  ['time', (value) => `duration'${value}'`],
  ['x', (value) => `binary'${Buffer.from(value, 'hex').toString('base64url')}'`],
]);

/** enumValue = singleEnumValue *( COMMA singleEnumValue ): member names or numbers. */
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

/** The narrowest type of the number. */
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

/**
 * The shapes and the content of their parentheses (ABNF, section 7, from collectionLiteral to ringLiteral).
 */
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

/** A shape begins with its name and an opening parenthesis. */
const SHAPE_BEGINNINGS: readonly Beginning[] = [...SHAPES.keys()].map((name) => ({
  what: 'a geo shape',
  form: new RegExp(chain([...name, '\\(']), 'iy'),
}));

/** fullXxxLiteral = sridLiteral geoLiteral, for all shapes; returns the source text. */
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

/** A double-quoted text with backslash escapes. */
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
 * A prefix of the literals of a form: the sticky expression matches the longest valid prefix, so that an
 * error points at the first invalid character.
 */
interface Beginning {
  readonly what: string;
  readonly form: RegExp;
}

/** Nested optional pieces: each requires the one before it. */
function chain(pieces: readonly string[]): string {
  return pieces.reduceRight((rest, piece) => `(?:${piece}${rest})?`, '');
}

const MONTH = ['[01]', '(?:(?<=0)[1-9]|(?<=1)[0-2])'];
const DAY = ['[0-3]', '(?:(?<=0)[1-9]|(?<=[12])\\d|(?<=3)[01])'];
const HOUR = ['[0-2]', '(?:(?<=[01])\\d|(?<=2)[0-3])'];
const SECOND = ['(?:[0-5]|(?<=23:59:)6)', '(?:(?<=[0-5])\\d|(?<=6)0)'];
const OFFSET = `(?:Z|${chain(['[+-]', ...HOUR, ':', '[0-5]', '\\d'])})?`;

function time(end: string): string {
  const fraction = `(?:\\.(?:\\d{1,12}${end})?|${end})`;
  const seconds = `(?:(?=:)${chain([':', ...SECOND, fraction])}|${end})`;
  return chain([...HOUR, ':', '[0-5]', '\\d', seconds]);
}

function date(end: readonly string[]): string {
  const days = ['-', ...MONTH, '-', ...DAY, ...end];
  return `-?(?:(?=0)${chain(['0', '\\d', '\\d', '\\d', ...days])}|${chain(['[1-9]', '\\d', '\\d', '\\d+', ...days])})`;
}

/** After the first dash; the text before it may be anything. */
const GUID_END = [...'xxxx-xxxx-xxxx-xxxxxxxxxxxx'].map((sign) => (sign === 'x' ? '[\\da-f]' : sign));

const NUMBER_BEGINNING: Beginning = {
  what: 'a number',
  form: /[+-]?(?:\d+(?:\.(?!\d)|(?:\.\d+)?(?:e[+-]?\d*)?))?/iy,
};

/** The prefixes of literals that begin with a digit or a sign and may contain a colon. */
const BEGINNINGS_BEFORE_COLON: readonly Beginning[] = [
  NUMBER_BEGINNING,
  { what: 'a date', form: new RegExp(date([]), 'y') },
  { what: 'a date and time', form: new RegExp(date(['T', time(OFFSET)]), 'iy') },
  { what: 'a guid', form: new RegExp(`[\\da-f]{8}-${chain(GUID_END)}`, 'iy') },
];

/** The prefixes of all literals that begin with a digit or a sign. */
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

/** The longest matching prefix. Moves the cursor to an arbitrary position. */
function longestBeginning(cursor: Cursor, start: number, beginnings: readonly Beginning[]): Longest {
  let longest: Longest = { what: '', end: start };
  for (const { what, form } of beginnings) {
    cursor.position = start;
    cursor.match(form);
    if (longest.what === '' || cursor.position > longest.end) longest = { what, end: cursor.position };
  }
  return longest;
}

/** Rejects the text at its first invalid character. */
function failWithin(cursor: Cursor, beginnings: readonly Beginning[], start = cursor.position): never {
  const { what, end } = longestBeginning(cursor, start, beginnings);
  return cursor.fail(what, end);
}
