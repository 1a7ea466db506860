import type { Cursor } from './cursor.ts';

/**
 * What the literals of a form begin with: the sticky expression takes the longest text that can be gone on from, so
 * that a refusal points at the first character that cannot be.
 */
export interface Beginning {
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
export const BEGINNINGS_BEFORE_COLON: readonly Beginning[] = [
  NUMBER_BEGINNING,
  { what: 'a date', form: new RegExp(date([]), 'y') },
  { what: 'a date and time', form: new RegExp(date(['T', time(OFFSET)]), 'iy') },
  { what: 'a guid', form: new RegExp(`[\\da-f]{8}-${chain(GUID_END)}`, 'iy') },
];

/** The beginnings of all literals that begin with a digit or a sign. */
export const BEGINNINGS: readonly Beginning[] = [
  ...BEGINNINGS_BEFORE_COLON,
  { what: 'a time', form: new RegExp(time(''), 'y') },
];

export const DURATION_BEGINNING: Beginning = {
  what: 'a duration',
  form: /-?(?:P(?:(?:\d+D)?T(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+S?|[.HMS]?))?|\d+D?)?)?/iy,
};

export const COORDINATE_BEGINNINGS: readonly Beginning[] = [
  { ...NUMBER_BEGINNING, what: 'a coordinate' },
  { what: 'a coordinate', form: new RegExp(`-?${chain([...'INF'])}`, 'iy') },
  { what: 'a coordinate', form: new RegExp(chain([...'NaN']), 'iy') },
];

/** The beginnings of calls by one of the words, behind which a parenthesis opens. */
export function callBeginnings(what: string, words: Iterable<string>): readonly Beginning[] {
  return [...words].map((word) => ({ what, form: new RegExp(chain([...word, '\\(']), 'iy') }));
}

export const BINARY_BEGINNING: Beginning = {
  what: 'base64url digits',
  form: /(?:[\w-]{4})*(?:[\w-]{2}[AEIMQUYcgkosw048]=|[\w-][AQgw]==?|[\w-]{0,3})/y,
};

export const REFERENCE_SYSTEM_BEGINNING: Beginning = {
  what: 'SRID=…;',
  form: new RegExp(chain([...'SRID=', '\\d{1,5}', ';']), 'iy'),
};

interface Longest {
  readonly what: string;
  readonly end: number;
}

/** The longest of the beginnings at a place; it leaves the cursor somewhere. */
export function longestBeginning(cursor: Cursor, start: number, beginnings: readonly Beginning[]): Longest {
  let longest: Longest = { what: '', end: start };
  for (const { what, form } of beginnings) {
    cursor.position = start;
    cursor.match(form);
    if (longest.what === '' || cursor.position > longest.end) longest = { what, end: cursor.position };
  }
  return longest;
}

/** Refuses what is at a place, at the first character that cannot be. */
export function failWithin(cursor: Cursor, beginnings: readonly Beginning[], start = cursor.position): never {
  const { what, end } = longestBeginning(cursor, start, beginnings);
  return cursor.fail(what, end);
}
