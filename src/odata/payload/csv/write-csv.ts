import type { RequestBudget } from '../../../contract/request-budget.ts';
import type { Row } from '../../../contract/row.ts';
import type { Work } from '../../../contract/work.ts';
import { controlPrefix } from '../json/control-information.ts';
import { type EntityShape, entityWriter } from '../json/json.ts';
import { JsonItems } from '../json/json-items.ts';
import { Pieces } from '../json/pieces.ts';
import type { JsonText } from '../json/write-json.ts';
import type { CsvFormat } from '../negotiation/format.ts';
import { type Column, columnsOf } from './columns.ts';

/** Spreadsheet programs take a file for one in UTF-8 where it begins so. */
const BYTE_ORDER_MARK = '\ufeff';

const LINE_END = '\r\n';

/**
 * Entities as comma-separated values (RFC 4180), a line each: those of complex properties and of single related entities
 * in columns of their own, lists as JSON. Null is nothing, and an empty text is two quotes.
 */
export function* writeCsv(
  shape: EntityShape,
  rows: readonly Row[],
  { header }: CsvFormat,
  budget: RequestBudget,
): Work<JsonText> {
  const columns = columnsOf(shape.model, shape, rows);
  const written = columns.map((column) => withPrefix(column, controlPrefix(shape.version)));
  const write = entityWriter(shape);
  const pieces = new Pieces(budget);
  try {
    pieces.add(BYTE_ORDER_MARK);
    if (header) pieces.add(line(columns.map(({ path }) => quoted(path.join('/')))));
    for (const row of rows) {
      const values = write(row);
      pieces.add(line(written.map((column) => cell(valueAt(values, column.path), column.isText))));
      if (budget.isDue()) yield;
    }
    return yield* pieces.bytes();
  } finally {
    pieces.release();
  }
}

/** What is said of a collection has a prefix in 4.0 (JSON Format, 4.5.5). */
function withPrefix({ path, isText }: Column, prefix: string): Column {
  return { path: path.map((name) => name.replace(/@(?=count$)/, prefix)), isText };
}

function line(cells: readonly string[]): string {
  return cells.join(',') + LINE_END;
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (found, name) =>
      typeof found === 'object' && found !== null ? (found as Record<string, unknown>)[name] : undefined,
    value,
  );
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
