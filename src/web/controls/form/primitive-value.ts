import { GEOGRAPHY_HINT, readGeography } from './geography-text.ts';
import { type InputValue, problem, readJson, value } from './input-value.ts';

/** The least and the greatest value of each integer type (CSDL 4.01, 3.3). */
const INTEGERS: Readonly<Record<string, readonly [bigint, bigint]>> = {
  'Edm.Byte': [0n, 255n],
  'Edm.SByte': [-128n, 127n],
  'Edm.Int16': [-32_768n, 32_767n],
  'Edm.Int32': [-2_147_483_648n, 2_147_483_647n],
  'Edm.Int64': [-9_223_372_036_854_775_808n, 9_223_372_036_854_775_807n],
};

interface TextForm {
  readonly pattern: RegExp;
  readonly expected: string;
}

/** Types that are JSON strings of a certain form. */
const TEXT_FORMS: Readonly<Record<string, TextForm>> = {
  'Edm.Date': { pattern: /^\d{4}-\d\d-\d\d$/, expected: 'a date, such as 2026-01-31' },
  'Edm.TimeOfDay': { pattern: /^\d\d:\d\d(:\d\d(\.\d+)?)?$/, expected: 'a time, such as 14:30' },
  'Edm.Guid': {
    pattern: /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i,
    expected: 'a GUID, such as 01234567-89ab-cdef-0123-456789abcdef',
  },
  'Edm.Duration': {
    pattern: /^-?P(?=\d|T\d)(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?$/,
    expected: 'a duration, such as P1DT2H30M',
  },
  'Edm.Binary': { pattern: /^[\w-]*={0,2}$/, expected: 'bytes in base64url' },
};

export function readPrimitive(type: string, text: string): InputValue {
  const trimmed = text.trim();
  if (type === 'Edm.String') return value(text);
  if (type === 'Edm.Boolean') return { kind: 'value', json: trimmed };
  if (type === 'Edm.DateTimeOffset') return readMoment(trimmed);
  if (isGeographic(type)) return readGeography(trimmed);
  const range = INTEGERS[type];
  if (range !== undefined) return readInteger(trimmed, range);
  if (/^Edm\.(Single|Double|Decimal)$/.test(type)) return readNumber(trimmed);
  const form = TEXT_FORMS[type];
  if (form === undefined) return readJson(text, () => true, 'JSON');
  return form.pattern.test(trimmed) ? value(trimmed) : problem(`Expected ${form.expected}.`);
}

export function isGeographic(type: string): boolean {
  return /^Edm\.Geo(graphy|metry)/.test(type);
}

/** What texts of the type look like, where the browser has no input of its own for them. */
export function formHint(type: string): string | undefined {
  if (isGeographic(type)) return GEOGRAPHY_HINT;
  if (!/^Edm\.(Guid|Duration|Binary)$/.test(type)) return undefined;
  const expected = TEXT_FORMS[type]?.expected;
  return expected && `${expected.charAt(0).toUpperCase()}${expected.slice(1)}.`;
}

function readInteger(text: string, [least, greatest]: readonly [bigint, bigint]): InputValue {
  if (!/^[+-]?\d{1,30}$/.test(text)) return problem('Expected a whole number.');
  const number = BigInt(text.replace('+', ''));
  if (number >= least && number <= greatest) return { kind: 'value', json: String(number) };
  return problem(`Expected a whole number from ${least} to ${greatest}.`);
}

function readNumber(text: string): InputValue {
  const [, sign, digits] = /^([+-]?)0*(\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/i.exec(text) ?? [];
  if (digits === undefined) return problem('Expected a number, such as 12.5.');
  return { kind: 'value', json: `${sign === '-' ? '-' : ''}${digits}` };
}

/** Without an offset it is a moment where the reader is. */
function readMoment(text: string): InputValue {
  const moment = new Date(text);
  if (Number.isNaN(moment.getTime())) return problem('Expected a date and a time.');
  return value(moment.toISOString());
}
