import type { RequestBudget } from '../../../contract/request-budget.ts';
import type { Row } from '../../../contract/row.ts';
import type { Work } from '../../../core/work.ts';
import { type EntityShape, entityWriter } from '../json/json.ts';
import { JsonItems, type JsonText, Pieces } from '../json/json-text.ts';
import { EXACT_VALUES, MEDIA_TYPES } from '../negotiation/format.ts';
import { type Column, columnsOf, valueAt } from '../table/columns.ts';
import type { ListForm, ListFormat } from './list-format.ts';

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
    write: ({ shape, rows }, budget) => budget.run(writeCsv(shape, rows, header, budget)),
  };
}

/** Marks the file as UTF-8 for spreadsheet programs. */
const BYTE_ORDER_MARK = '\ufeff';

const LINE_END = '\r\n';

/**
 * Writes entities as comma-separated values (RFC 4180), one per line: complex properties and single related
 * entities have columns for their properties, lists are JSON. Null is empty, and an empty text is two quotes.
 */
function* writeCsv(
  shape: EntityShape,
  rows: readonly Row[],
  header: boolean,
  budget: RequestBudget,
): Work<JsonText> {
  const columns = columnsOf(shape, rows);
  const write = entityWriter(shape);
  const pieces = new Pieces(budget);
  try {
    pieces.add(BYTE_ORDER_MARK);
    if (header) pieces.add(line(columns.map(({ name }) => quoted(name))));
    for (const row of rows) {
      const values = write(row);
      pieces.add(line(columns.map((column) => cell(valueAt(values, column.path), column))));
      if (budget.isDue()) yield;
    }
    return yield* pieces.bytes();
  } finally {
    pieces.release();
  }
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
