import { GatewayError } from '../../../contract/gateway-error.ts';
import { isNumeric } from '../../../model/type-use.ts';
import { JsonItems } from '../json/json-items.ts';
import type { Column } from '../table/columns.ts';
import { dateNumber, durationNumber, pointNumber, timeNumber } from './excel-time.ts';
import { sheetText } from './sheet-text.ts';
import { STYLES, type TimeStyle } from './workbook-parts.ts';

/** What stands behind the place of a cell: its attributes and its value; undefined for a cell that is empty. */
type WriteCell = (value: unknown) => string | undefined;

/** Makes cells of the values of a column. None of them is a formula. */
export function cellWriter(column: Column): WriteCell {
  const write = TIMES[column.type ?? ''] ?? (isNumeric(column.type ?? '') ? numericText : textCell);
  return (value) => {
    if (value === null || value === undefined) return undefined;
    if (typeof value === 'number') return plainNumber(String(value));
    if (typeof value === 'boolean') return ` t="b"><v>${value ? 1 : 0}</v></c>`;
    const cell = typeof value === 'string' ? write(value) : objectCell(value);
    if (cell === undefined) throw tooLong(column);
    return cell;
  };
}

/** Undefined for a text that is too long. */
type WriteText = (text: string) => string | undefined;

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

/** Of a second: a program rounds what its format does not show, even to the next day. */
function hasFraction(text: string): boolean {
  return /\.\d*[1-9]/.test(text);
}

/** Excel keeps so many digits of a number. */
const DIGITS = 15;

const NUMBER = /^-?(\d+)(?:\.(\d+))?$/;

/** A number whose digits are a text: it stays one where Excel would lose some of them. */
function numericText(text: string): string | undefined {
  const [, whole = '', fraction = ''] = NUMBER.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  return whole !== '' && digits.length <= DIGITS ? plainNumber(text) : textCell(text);
}

function plainNumber(text: string): string {
  return `><v>${text}</v></c>`;
}

/** A list or an object; JSON.rawJSON makes objects of numbers. */
function objectCell(value: unknown): string | undefined {
  const json = JSON.stringify(value instanceof JsonItems ? value.toJSON() : value);
  return NUMBER.test(json) ? numericText(json) : textCell(json);
}

/** Excel opens no file with more characters in a cell. */
const CHARACTERS = 32_767;

/** Who edits such a text in Excel would make a formula of it, were it not marked as a text. */
const FORMULA = /^[=+\-@]/;

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
