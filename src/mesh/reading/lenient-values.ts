import type { Value } from '../../contract/row.ts';
import { hasLiteralForm } from '../../model/literal-form.ts';
import type { PrimitiveTypeName } from '../../model/type-use.ts';
import { ExactNumber } from '../exchange/exact-number.ts';
import { type Conversion, conversionTo } from './edm-values.ts';

/**
 * What a value that is not of a type may still be read as: a number that came as a text, a text that came as a
 * number, a day that came with a time. Undefined for what cannot be read.
 */
export function readLeniently(type: PrimitiveTypeName, value: unknown): Value | undefined {
  const text = textOf(value);
  return text === undefined ? undefined : READERS[type](text);
}

/** The text of a scalar; neither objects nor lists are texts. */
function textOf(value: unknown): string | undefined {
  if (value instanceof ExactNumber) return value.text;
  return typeof value === 'object' || value === undefined ? undefined : String(value);
}

type TextReader = (text: string) => Value | undefined;

const READERS: Readonly<Record<PrimitiveTypeName, TextReader>> = {
  'Edm.String': (text) => text,
  'Edm.Boolean': toBoolean,
  'Edm.SByte': toInteger('Edm.SByte'),
  'Edm.Byte': toInteger('Edm.Byte'),
  'Edm.Int16': toInteger('Edm.Int16'),
  'Edm.Int32': toInteger('Edm.Int32'),
  'Edm.Int64': toInt64,
  'Edm.Single': toNumber,
  'Edm.Double': toNumber,
  'Edm.Decimal': toDecimal,
  'Edm.Binary': formed('Edm.Binary'),
  'Edm.Date': toDate,
  'Edm.DateTimeOffset': toDateTimeOffset,
  'Edm.TimeOfDay': formed('Edm.TimeOfDay'),
  'Edm.Duration': formed('Edm.Duration'),
  'Edm.Guid': toGuid,
};

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

function toBoolean(text: string): boolean | undefined {
  return BOOLEANS.get(text.trim().toLowerCase());
}

/** With a sign, and with decimals that say nothing. */
const INTEGER = /^\s*\+?(-?\d{1,40})(?:\.0*)?\s*$/;

function toInteger(type: PrimitiveTypeName): TextReader {
  const convert = conversionTo(type, 'JSON');
  return (text) => {
    const digits = INTEGER.exec(text)?.[1];
    return digits === undefined ? undefined : convert?.(Number(digits));
  };
}

const fromDigits: Conversion | undefined = conversionTo('Edm.Int64', 'JSON');

function toInt64(text: string): Value | undefined {
  const digits = INTEGER.exec(text)?.[1];
  return digits === undefined ? undefined : fromDigits?.(digits);
}

const NUMBER = /^\s*[+-]?(?:\d{1,400}(?:\.\d{0,400})?|\.\d{1,400})(?:[eE][+-]?\d{1,3})?\s*$/;

function toNumber(text: string): number | undefined {
  const number = NUMBER.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

const fromDecimal: Conversion | undefined = conversionTo('Edm.Decimal', 'JSON');

function toDecimal(text: string): Value | undefined {
  return NUMBER.test(text) ? fromDecimal?.(text.trim()) : undefined;
}

function formed(type: PrimitiveTypeName): TextReader {
  const convert = conversionTo(type, 'JSON');
  return (text) => convert?.(text.trim());
}

/** A day, with a time behind it or without. */
const DAY = /^\s*(\d{4}-\d\d-\d\d)(?:[Tt ].*)?$/;

function toDate(text: string): string | undefined {
  const day = DAY.exec(text)?.[1];
  return day !== undefined && hasLiteralForm('Edm.Date', day) ? day : undefined;
}

/** A day, perhaps a time of it, perhaps an offset, as RFC 3339 has them or nearly so. */
const POINT_IN_TIME =
  /^\s*(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?) ?(?:([Zz]|UTC|GMT)|([+-]\d\d)(?::?(\d\d))?)?)?\s*$/;

const MOST_DECIMALS = 12;

/** What has no offset is in UTC. */
function toDateTimeOffset(text: string): string | undefined {
  const [, day, time = '00:00:00', , hours, minutes = '00'] = POINT_IN_TIME.exec(text) ?? [];
  if (day === undefined) return undefined;
  const offset = hours === undefined ? 'Z' : `${hours}:${minutes}`;
  const [whole = '', decimals] = time.split(/[.,]/);
  const fraction = decimals === undefined ? '' : `.${decimals.slice(0, MOST_DECIMALS)}`;
  const written = `${day}T${whole}${fraction}${offset}`;
  return hasLiteralForm('Edm.DateTimeOffset', written) ? written : undefined;
}

const GUID = /^\s*\{?([\da-f]{8})-?([\da-f]{4})-?([\da-f]{4})-?([\da-f]{4})-?([\da-f]{12})\}?\s*$/i;

function toGuid(text: string): string | undefined {
  return GUID.exec(text)?.slice(1).join('-');
}
