import type { Row } from '../../../contract/row.ts';
import { type EntityShape, entityWriter } from '../json/json.ts';
import { JsonItems } from '../json/json-text.ts';
import { EXACT_VALUES, MEDIA_TYPES } from '../negotiation/format.ts';
import { type Column, columnsOf, valueAt } from '../table/columns.ts';
import type { ListForm, ListFormat } from './list-format.ts';
import { linesInPortions, writeLines } from './list-lines.ts';

/**
 * Comma-separated values (RFC 4180). The parameter `header` controls the line with column names (section 3).
 */
export const CSV_LIST: ListFormat = {
  mediaType: MEDIA_TYPES.csv,
  formOf(parameters) {
    const { charset = 'utf-8', header = 'present', ...others } = Object.fromEntries(parameters);
    const isKnown = /^utf-?8$/i.test(charset) && /^(?:present|absent)$/i.test(header);
    return isKnown && Object.keys(others).length === 0 ? csvForm(!/^absent$/i.test(header)) : undefined;
  },
};

function csvForm(header: boolean): ListForm {
  return {
    contentType: () => `${MEDIA_TYPES.csv};charset=utf-8;header=${header ? 'present' : 'absent'}`,
    values: EXACT_VALUES,
    extension: 'csv',
    write: ({ shape, rows }, budget) => budget.run(writeLines(linesOf(shape, rows, header), rows, budget)),
    // The rows of an open type have columns of their own.
    portionWriter: (shape) =>
      shape.dynamic === true ? undefined : () => linesInPortions(linesOf(shape, [], header)),
    brokenBy: '"',
  };
}

/** Marks the file as UTF-8 for spreadsheet programs. */
const BYTE_ORDER_MARK = '\ufeff';

const LINE_END = '\r\n';

/**
 * Writes entities as comma-separated values (RFC 4180), one per line: complex properties and single related
 * entities have columns for their properties, lists are JSON. Null is empty, and an empty text is two quotes.
 */
function linesOf(shape: EntityShape, rows: readonly Row[], header: boolean) {
  const columns = columnsOf(shape, rows);
  const write = entityWriter(shape);
  return {
    head: BYTE_ORDER_MARK + (header ? line(columns.map(({ name }) => quoted(name))) : ''),
    lineOf(row: Row): string {
      const values = write(row);
      return line(columns.map((column) => cell(valueAt(values, column.path), column)));
    },
  };
}

function line(cells: readonly string[]): string {
  return cells.join(',') + LINE_END;
}

/** Whether values of the column may contain any characters. */
function isText({ type }: Column): boolean {
  return type === 'Edm.String' || type === 'Edm.Untyped';
}

/** Text that spreadsheet programs would execute as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

function cell(value: unknown, column: Column): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'object')
    return quoted(JSON.stringify(value instanceof JsonItems ? value.toJSON() : value));
  const text = withScale(String(value), column.scale);
  if (text === '') return '""';
  return quoted(isText(column) && typeof value === 'string' && FORMULA.test(text) ? `'${text}` : text);
}

/** A number with as many decimals as all of its column: `8.90`. */
function withScale(text: string, scale: number | undefined): string {
  const [, whole, fraction = ''] = /^(-?\d+)(?:\.(\d*))?$/.exec(text) ?? [];
  if (whole === undefined || scale === undefined || scale === 0 || fraction.length >= scale) return text;
  return `${whole}.${fraction.padEnd(scale, '0')}`;
}

function quoted(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
