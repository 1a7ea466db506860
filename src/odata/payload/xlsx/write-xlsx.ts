import { GatewayError } from '../../../contract/gateway-error.ts';
import type { RequestBudget } from '../../../contract/request-budget.ts';
import type { Row } from '../../../contract/row.ts';
import { everyFew, type Work } from '../../../core/work.ts';
import { type EntityShape, entityWriter } from '../json/json.ts';
import { Pieces } from '../json/json-text.ts';
import { type Column, columnsOf, valueAt } from '../table/columns.ts';
import { cellWriter } from './cell.ts';
import { STYLES, sheetEnd, sheetStart, sheetText, workbookParts, ZipArchive } from './workbook.ts';

/** The maximum size of an Excel sheet. */
const ROWS = 1_048_576;
const COLUMNS = 16_384;

/** Cells written between two yields, including empty ones. */
const CELLS_AT_ONCE = 2048;

/**
 * Writes entities as an Excel workbook with one sheet (ECMA-376): a filterable header and one row per entity.
 * Values have the types of their properties if Excel can represent them exactly, and are texts otherwise.
 * Null is an empty cell.
 */
export function* writeXlsx(
  shape: EntityShape,
  rows: readonly Row[],
  name: string,
  budget: RequestBudget,
): Work<Uint8Array> {
  const columns = columnsOf(shape, rows);
  assertRoom(rows.length + 1, ROWS, 'rows, one of them the header', '$filter or $top');
  assertRoom(columns.length, COLUMNS, 'columns', '$select');
  const letters = columns.map((_, place) => columnLetters(place));
  const range = columns.length === 0 ? undefined : `A1:${letters.at(-1)}${rows.length + 1}`;
  const pieces = new Pieces(budget);
  try {
    const archive = new ZipArchive(pieces);
    for (const [path, content] of Object.entries(workbookParts(name, range))) {
      const part = archive.file(path);
      part.add(content);
      part.end();
    }
    const sheet = archive.file('xl/worksheets/sheet1.xml');
    sheet.add(sheetStart(columns));
    sheet.add(headerRow(columns, letters));
    const writeRow = rowWriter(columns, letters);
    const write = entityWriter(shape);
    const pace = everyFew(CELLS_AT_ONCE / Math.max(1, columns.length));
    for (const [place, row] of rows.entries()) {
      const wasLong = sheet.add(writeRow(write(row), place + 2));
      if (wasLong || pace.isDue()) yield;
    }
    sheet.add(sheetEnd(range));
    sheet.end();
    archive.end();
    return yield* pieces.bytes();
  } finally {
    pieces.release();
  }
}

function assertRoom(found: number, most: number, what: string, option: string): void {
  if (found <= most) return;
  throw new GatewayError(
    'PayloadTooLarge',
    `An Excel sheet has at most ${most} ${what}, and the list comes to ${found}: ` +
      `narrow it with ${option}, or ask for $format=csv.`,
  );
}

function headerRow(columns: readonly Column[], letters: readonly string[]): string {
  const cells = columns.map(
    ({ name }, place) =>
      `<c r="${letters[place]}1" s="${STYLES.header}" t="inlineStr"><is><t xml:space="preserve">${sheetText(name)}</t></is></c>`,
  );
  return `<row r="1">${cells.join('')}</row>`;
}

function rowWriter(columns: readonly Column[], letters: readonly string[]) {
  const writers = columns.map((column, place) => {
    const write = cellWriter(column);
    return (entity: unknown, row: number) => {
      const cell = write(valueAt(entity, column.path));
      return cell === undefined ? '' : `<c r="${letters[place]}${row}"${cell}`;
    };
  });
  return (entity: unknown, row: number) =>
    `<row r="${row}">${writers.map((write) => write(entity, row)).join('')}</row>`;
}

const ALPHABET = 26;
const LETTER_A = 65;

/** A, B, … Z, AA, AB, … */
function columnLetters(place: number): string {
  const last = String.fromCharCode(LETTER_A + (place % ALPHABET));
  return place < ALPHABET ? last : columnLetters(Math.floor(place / ALPHABET) - 1) + last;
}
