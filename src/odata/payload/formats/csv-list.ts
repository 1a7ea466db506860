import type { RequestBudget } from '../../../contract/request-budget.ts';
import type { Row } from '../../../contract/row.ts';
import type { Work } from '../../../core/work.ts';
import { type EntityShape, entityWriter } from '../json/json.ts';
import { JsonItems, type JsonText, Pieces } from '../json/json-text.ts';
import { EXACT_VALUES, MEDIA_TYPES } from '../negotiation/format.ts';
import { type Column, columnsOf, valueAt } from '../table/columns.ts';
import type { ListForm, ListFormat } from './list-format.ts';

/** Comma-separated values (RFC 4180). The parameter `header` says whether the first line names the columns (section 3). */
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

/** Spreadsheet programs take a file for one in UTF-8 where it begins so. */
const BYTE_ORDER_MARK = '\ufeff';

const LINE_END = '\r\n';

/**
 * Entities as comma-separated values (RFC 4180), a line each: those of complex properties and of single related entities
 * in columns of their own, lists as JSON. Null is nothing, and an empty text is two quotes.
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
      pieces.add(line(columns.map((column) => cell(valueAt(values, column.path), isText(column)))));
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

/** Values are texts, which may be anything. */
function isText({ type }: Column): boolean {
  return type === 'Edm.String' || type === 'Edm.Untyped';
}

/** Where a text begins so, spreadsheet programs take it for a formula, and carry it out. */
const FORMULA = /^[=+\-@\t\r]/;

function cell(value: unknown, isText: boolean): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'object')
    return quoted(JSON.stringify(value instanceof JsonItems ? value.toJSON() : value));
  const text = String(value);
  if (text === '') return '""';
  return quoted(isText && typeof value === 'string' && FORMULA.test(text) ? `'${text}` : text);
}

function quoted(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
