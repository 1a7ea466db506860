import { GatewayError } from '../../../contract/gateway-error.ts';
import { isNumeric } from '../../../model/type-use.ts';
import { JsonItems } from '../json/json-text.ts';
import type { Column } from '../table/columns.ts';
import { decimalStyle, STYLES, sheetText, type TimeStyle } from './workbook.ts';

/** Returns the attributes and value of a cell; undefined for an empty cell. */
type WriteCell = (value: unknown) => string | undefined;

/** Creates cells from the values of a column, never as formulas. */
export function cellWriter(column: Column): WriteCell {
  const style = decimalStyle(column.scale);
  const number = (text: string) =>
    style === undefined ? plainNumber(text) : ` s="${style}"${plainNumber(text)}`;
  const numeric = (text: string) => (isExact(text) ? number(text) : textCell(text));
  const write = TIMES[column.type ?? ''] ?? (isNumeric(column.type ?? '') ? numeric : textCell);
  return (value) => {
    if (value === null || value === undefined) return undefined;
    if (typeof value === 'number') return number(String(value));
    if (typeof value === 'boolean') return ` t="b"><v>${value ? 1 : 0}</v></c>`;
    const cell = typeof value === 'string' ? write(value) : objectCell(value, numeric);
    if (cell === undefined) throw tooLong(column);
    return cell;
  };
}

/** Writes a cell from a text; undefined if the text is too long. */
type WriteText = (text: string) => string | undefined;

/** Excel rejects files with longer texts. */
const CHARACTERS = 32_767;

/** Text that Excel would turn into a formula when edited, unless its style marks it as text. */
const FORMULA = /^[=+\-@]/;

const DATE = /^\d{4}-\d\d-\d\d$/;

/** Excel counts the non-existent 29 February 1900, other programs do not, so earlier dates would differ. */
const FIRST = Date.UTC(1900, 2, 1);
const BEYOND = Date.UTC(10_000, 0, 1);

const DAY_ZERO = Date.UTC(1899, 11, 30);

const DAY_MS = 86_400_000;

const POINT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;

const TIME = /^\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/;

const DURATION = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;
const HOURS = 24;
const MINUTES = 1440;
const SECONDS = 86_400;

const BEYOND_DAYS = (BEYOND - DAY_ZERO) / DAY_MS;

const TIMES: Readonly<Record<string, WriteText>> = {
  'Edm.Date': timeCell(dateNumber, 'date'),
  'Edm.DateTimeOffset': timeCell(pointNumber, 'dateTime'),
  'Edm.TimeOfDay': timeCell(timeNumber, 'time'),
  'Edm.Duration': timeCell(durationNumber, 'duration'),
};

function timeCell(numberOf: (text: string) => number | undefined, style: TimeStyle): WriteText {
  return (text) => {
    const days = numberOf(text);
    if (days === undefined) return textCell(text);
    const shown = hasFraction(text) ? (`${style}Fraction` as const) : style;
    return ` s="${STYLES[shown]}"><v>${days}</v></c>`;
  };
}

/** Whether a time has fractions of a second, which programs may round up to the next day. */
function hasFraction(text: string): boolean {
  return /\.\d*[1-9]/.test(text);
}

/** Significant digits of a number in Excel. */
const DIGITS = 15;

const NUMBER = /^-?(\d+)(?:\.(\d+))?$/;

/** Whether Excel keeps all digits of a number; where it would lose some, the number stays a text. */
function isExact(text: string): boolean {
  const [, whole = '', fraction = ''] = NUMBER.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  return whole !== '' && digits.length <= DIGITS;
}

function plainNumber(text: string): string {
  return `><v>${text}</v></c>`;
}

/** A list or an object; JSON.rawJSON represents numbers as objects. */
function objectCell(value: unknown, numeric: WriteText): string | undefined {
  const json = JSON.stringify(value instanceof JsonItems ? value.toJSON() : value);
  return NUMBER.test(json) ? numeric(json) : textCell(json);
}

function textCell(text: string): string | undefined {
  if (text.length > CHARACTERS) return undefined;
  const style = FORMULA.test(text) ? ` s="${STYLES.literal}"` : '';
  return `${style} t="inlineStr"><is><t xml:space="preserve">${sheetText(text)}</t></is></c>`;
}

function tooLong({ name }: Column): GatewayError {
  return new GatewayError(
    'PayloadTooLarge',
    `${name}: a cell of an Excel sheet holds ${CHARACTERS} characters, and the list has a longer value. ` +
      'Leave it out with $select, or ask for $format=csv.',
    { target: name },
  );
}

/** The date as Excel's number of days; undefined if Excel cannot represent it. */
function dateNumber(text: string): number | undefined {
  return DATE.test(text) ? daysAt(Date.parse(text)) : undefined;
}

/** A point in time in UTC, because Excel has no time zones. */
function pointNumber(text: string): number | undefined {
  return POINT.test(text) ? daysAt(Date.parse(text)) : undefined;
}

/** A time of day as a fraction of a day. */
function timeNumber(text: string): number | undefined {
  const time = TIME.test(text) ? Date.parse(`1970-01-01T${text}Z`) : Number.NaN;
  return Number.isNaN(time) ? undefined : time / DAY_MS;
}

function daysAt(time: number): number | undefined {
  if (!(time >= FIRST && time < BEYOND)) return undefined;
  return (time - DAY_ZERO) / DAY_MS;
}

/** A duration in days. Excel shows no negative ones. */
function durationNumber(text: string): number | undefined {
  const found = DURATION.exec(text.replace(/^\+/, ''));
  if (found === null) return undefined;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = found.slice(1).map((part) => Number(part ?? 0));
  const all = days + hours / HOURS + minutes / MINUTES + seconds / SECONDS;
  return all < BEYOND_DAYS ? all : undefined;
}
