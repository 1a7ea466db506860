import { GatewayError } from '../../../contract/gateway-error.ts';
import type { RequestBudget } from '../../../contract/request-budget.ts';
import type { Row } from '../../../contract/row.ts';
import { everyFew, type Work } from '../../../core/work.ts';
import { type EntityShape, entityWriter } from '../json/json.ts';
import { Pieces } from '../json/json-text.ts';
import { type Column, columnsOf, valueAt } from '../table/columns.ts';
import { cellWriter } from './cell.ts';
import {
  type ArchiveFile,
  FIXED_PARTS,
  STYLES,
  sheetEnd,
  sheetStart,
  sheetText,
  workbookPart,
  ZipArchive,
} from './workbook.ts';

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
  assertRows(rows.length);
  const pieces = new Pieces(budget);
  try {
    const workbook = new WorkbookWriter(shape, columnsOf(shape, rows), (bytes) => pieces.addBytes(bytes));
    yield* workbook.addRows(rows);
    workbook.end(name);
    return yield* pieces.bytes();
  } finally {
    pieces.release();
  }
}

/** A workbook whose rows come in portions. */
interface PortionedWorkbook {
  readonly shape: EntityShape;
  readonly name: string;
  /** The number of all rows, if it is known. */
  readonly total: number | undefined;
}

/** Writes the same workbook while its rows come. */
export async function* xlsxInPortions(
  { shape, name, total = 0 }: PortionedWorkbook,
  portions: AsyncIterable<readonly Row[]>,
  budget: RequestBudget,
): AsyncGenerator<Uint8Array> {
  assertRows(total);
  let pieces = new Pieces(budget);
  const workbook = new WorkbookWriter(shape, columnsOf(shape, []), (bytes) => pieces.addBytes(bytes));
  try {
    for await (const rows of portions) {
      await budget.run(workbook.addRows(rows));
      yield* await taken();
    }
    workbook.end(name);
    yield* await taken();
  } finally {
    pieces.release();
  }

  /** The bytes that have been written; none if a portion of rows is still to be compressed. */
  async function taken(): Promise<readonly Uint8Array[]> {
    const bytes = await budget.run(pieces.bytes());
    pieces.release();
    pieces = new Pieces(budget);
    return bytes.length === 0 ? [] : [bytes];
  }
}

/** Writes the parts of a workbook one after the other; the parts that state the number of rows are the last ones. */
class WorkbookWriter {
  readonly #columns: readonly Column[];
  readonly #letters: readonly string[];
  readonly #archive: ZipArchive;
  readonly #sheet: ArchiveFile;
  readonly #textOf: (row: Row, place: number) => string;
  #rows = 0;

  constructor(shape: EntityShape, columns: readonly Column[], write: (bytes: Uint8Array) => void) {
    assertRoom(columns.length, COLUMNS, 'columns', '$select');
    this.#columns = columns;
    this.#letters = columns.map((_, place) => columnLetters(place));
    this.#archive = new ZipArchive(write);
    this.#addParts(FIXED_PARTS);
    this.#sheet = this.#archive.file('xl/worksheets/sheet1.xml');
    this.#sheet.add(sheetStart(columns));
    this.#sheet.add(headerRow(columns, this.#letters));
    const writeRow = rowWriter(columns, this.#letters);
    const valuesOf = entityWriter(shape);
    this.#textOf = (row, place) => writeRow(valuesOf(row), place);
  }

  *addRows(rows: readonly Row[]): Work<void> {
    const pace = everyFew(CELLS_AT_ONCE / Math.max(1, this.#columns.length));
    assertRows(this.#rows + rows.length);
    for (const row of rows) {
      this.#rows += 1;
      const wasLong = this.#sheet.add(this.#textOf(row, this.#rows + 1));
      if (wasLong || pace.isDue()) yield;
    }
  }

  end(name: string): void {
    const last = this.#letters.at(-1);
    const range = last === undefined ? undefined : `A1:${last}${this.#rows + 1}`;
    this.#sheet.add(sheetEnd(range));
    this.#sheet.end();
    this.#addParts({ 'xl/workbook.xml': workbookPart(name, range) });
    this.#archive.end();
  }

  #addParts(parts: Readonly<Record<string, string>>): void {
    for (const [path, content] of Object.entries(parts)) {
      const part = this.#archive.file(path);
      part.add(content);
      part.end();
    }
  }
}

function assertRows(rows: number): void {
  assertRoom(rows + 1, ROWS, 'rows, one of them the header', '$filter or $top');
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
