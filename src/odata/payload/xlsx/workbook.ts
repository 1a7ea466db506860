import { constants, crc32, deflateRawSync } from 'node:zlib';
import { Zip, type ZipInputFile } from 'fflate';
import { GatewayError } from '../../../contract/gateway-error.ts';
import type { Column } from '../table/columns.ts';

/** Number formats for dates and times. */
const TIME_FORMATS = {
  date: 'yyyy\\-mm\\-dd',
  dateFraction: 'yyyy\\-mm\\-dd',
  dateTime: 'yyyy\\-mm\\-dd\\ hh:mm:ss',
  dateTimeFraction: 'yyyy\\-mm\\-dd\\ hh:mm:ss.000',
  time: 'hh:mm:ss',
  timeFraction: 'hh:mm:ss.000',
  duration: '[h]:mm:ss',
  durationFraction: '[h]:mm:ss.000',
} as const;

/** The numbers of decimals that a column of numbers may be shown with. */
const DECIMALS = [1, 2, 3, 4, 5, 6] as const;

/** The style of numbers with that number of decimals; undefined if the style sheet lacks it. */
export function decimalStyle(scale: number | undefined): number | undefined {
  const place = (DECIMALS as readonly (number | undefined)[]).indexOf(scale);
  return place < 0 ? undefined : UNFORMATTED.length + TIMES.length + place;
}

type TimeFormat = keyof typeof TIME_FORMATS;

export type TimeStyle = Exclude<TimeFormat, `${string}Fraction`>;

const TIMES = Object.keys(TIME_FORMATS) as readonly TimeFormat[];

const UNFORMATTED = ['plain', 'header', 'literal'] as const;

/** The indices of cell styles in the style sheet. */
export const STYLES = Object.fromEntries(
  [...UNFORMATTED, ...TIMES].map((name, place) => [name, place]),
) as Readonly<Record<(typeof UNFORMATTED)[number] | TimeFormat, number>>;

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONSHIPS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const PART = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

const CONTENT_TYPES = `${DECLARATION}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${PART}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${PART}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${PART}.styles+xml"/></Types>`;

const PACKAGE_LINKS = `${DECLARATION}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONSHIPS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`;

const WORKBOOK_LINKS = `${DECLARATION}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONSHIPS}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${RELATIONSHIPS}/styles" Target="styles.xml"/></Relationships>`;

/** The first id of custom number formats (ECMA-376 Part 1, 18.8.30). */
const OWN_FORMATS = 164;

const FORMAT_CODES = [
  ...TIMES.map((name) => TIME_FORMATS[name]),
  ...DECIMALS.map((decimals) => `0.${'0'.repeat(decimals)}`),
];

const NUMBER_FORMATS = FORMAT_CODES.map(
  (code, place) => `<numFmt numFmtId="${OWN_FORMATS + place}" formatCode="${code}"/>`,
);

const NO_DECORATION = 'fillId="0" borderId="0"';

/** The cell formats, in the order of {@link STYLES}. */
const CELL_FORMATS = [
  `<xf numFmtId="0" fontId="0" ${NO_DECORATION} xfId="0"/>`,
  `<xf numFmtId="0" fontId="1" ${NO_DECORATION} xfId="0" applyFont="1"/>`,
  `<xf numFmtId="0" fontId="0" ${NO_DECORATION} xfId="0" quotePrefix="1"/>`,
  ...FORMAT_CODES.map(
    (_, place) =>
      `<xf numFmtId="${OWN_FORMATS + place}" fontId="0" ${NO_DECORATION} xfId="0" applyNumberFormat="1"/>`,
  ),
];

const FONT = '<sz val="11"/><name val="Calibri"/><family val="2"/>';

const STYLE_SHEET = [
  `${DECLARATION}<styleSheet xmlns="${MAIN}">`,
  `<numFmts count="${NUMBER_FORMATS.length}">${NUMBER_FORMATS.join('')}</numFmts>`,
  `<fonts count="2"><font>${FONT}</font><font><b/>${FONT}</font></fonts>`,
  '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>',
  '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>',
  `<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" ${NO_DECORATION}/></cellStyleXfs>`,
  `<cellXfs count="${CELL_FORMATS.length}">${CELL_FORMATS.join('')}</cellXfs>`,
  '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>',
].join('');

/** The parts of a workbook that are the same for all sheets, by name (ECMA-376 Part 1, 12). */
export const FIXED_PARTS: Readonly<Record<string, string>> = {
  '[Content_Types].xml': CONTENT_TYPES,
  '_rels/.rels': PACKAGE_LINKS,
  'xl/_rels/workbook.xml.rels': WORKBOOK_LINKS,
  'xl/styles.xml': STYLE_SHEET,
};

/** The part `xl/workbook.xml`, with one sheet. */
export function workbookPart(name: string, range: string | undefined): string {
  const sheet = sheetName(name);
  return `${DECLARATION}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONSHIPS}"><sheets><sheet name="${sheetText(sheet)}" sheetId="1" r:id="rId1"/></sheets>${filterName(sheet, range)}</workbook>`;
}

/** Programs find the filtered range by this name. */
function filterName(sheet: string, range: string | undefined): string {
  if (range === undefined) return '';
  const fixed = range.replaceAll(/([A-Z]+)(\d+)/g, '$$$1$$$2');
  const place = sheetText(`'${sheet.replaceAll("'", "''")}'!${fixed}`);
  return `<definedNames><definedName name="_xlnm._FilterDatabase" localSheetId="0" hidden="1">${place}</definedName></definedNames>`;
}

/** The XML before the rows; the first row is frozen. */
export function sheetStart(columns: readonly Column[]): string {
  const widths = columns.map(
    (column, place) =>
      `<col min="${place + 1}" max="${place + 1}" width="${widthOf(column)}" customWidth="1"/>`,
  );
  const cols = widths.length === 0 ? '' : `<cols>${widths.join('')}</cols>`;
  return `${DECLARATION}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>${cols}<sheetData>`;
}

export function sheetEnd(range: string | undefined): string {
  return `</sheetData>${range === undefined ? '' : `<autoFilter ref="${range}"/>`}</worksheet>`;
}

/** Column widths in characters. Dates in narrow columns are shown as `####`. */
const WIDTHS: Readonly<Record<string, number>> = {
  'Edm.Date': 12,
  'Edm.DateTimeOffset': 24,
  'Edm.Duration': 14,
  'Edm.TimeOfDay': 14,
  'Edm.Guid': 38,
  'Edm.String': 24,
};
const LEAST_WIDTH = 10;
const MOST_WIDTH = 60;
/** The width of the filter button in the header. */
const BUTTON = 4;

function widthOf({ name, type }: Column): number {
  return Math.min(MOST_WIDTH, Math.max(LEAST_WIDTH, WIDTHS[type ?? ''] ?? 0, name.length + BUTTON));
}

/** Characters that XML lacks or normalizes, and text that spreadsheet programs would take for an escape. */
const SPECIAL = /[&<>"\p{Cc}\uFFFE\uFFFF]|_(?=x[\dA-F]{4}_)/giu;

/** XML allows these, and LibreOffice has no escape for them. */
const LATER_CONTROLS = /[\u007F-\u009F]/;

const MARKUP: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const HEX = 16;
const HEX_DIGITS = 4;

/**
 * A text in the XML of a sheet: characters that XML lacks are escaped as `_x0007_` (ECMA-376 Part 1,
 * 22.9.2.19).
 */
export function sheetText(text: string): string {
  return text.toWellFormed().replace(SPECIAL, escaped);
}

function escaped(character: string): string {
  if (character === '\t' || character === '\n' || LATER_CONTROLS.test(character)) return character;
  const markup = MARKUP[character];
  if (markup !== undefined) return markup;
  return `_x${character.charCodeAt(0).toString(HEX).toUpperCase().padStart(HEX_DIGITS, '0')}_`;
}

const LONGEST_NAME = 31;

/** A valid sheet name for the name of a list; Excel rejects files with others. */
function sheetName(name: string): string {
  const allowed = name
    .replace(/[[\]:*?/\\\p{Cc}]/gu, '_')
    .slice(0, LONGEST_NAME)
    .replace(/^'|'$/g, '_')
    .replace(/[\uD800-\uDBFF]$/, '');
  // Excel reserves this name.
  return allowed === '' || /^history$/i.test(allowed) ? `${allowed}_` : allowed;
}

/** Characters compressed at a time. */
const AT_ONCE = 65_536;

/** A zip archive whose files are compressed while they are written, one after the other. */
export class ZipArchive {
  readonly #zip: Zip;

  /** `write` receives the bytes of the archive. */
  constructor(write: (bytes: Uint8Array) => void) {
    this.#zip = new Zip((error, bytes) => {
      if (error !== null) throw error;
      write(bytes);
    });
  }

  /** Starts a file; the previous one must have ended. */
  file(name: string): ArchiveFile {
    const file = new ArchiveFile(name);
    this.#zip.add(file);
    return file;
  }

  end(): void {
    this.#zip.end();
  }
}

/** The largest file of an archive, in bytes before compression: longer ones need ZIP64 (APPNOTE, 4.4.8). */
const LARGEST = 0xff_ff_ff_ff;

/** A fixed time stamp, so that equal content yields equal bytes. */
const NO_TIME = new Date(1980, 0, 1);

/** Uses Node's compression, which is several times as fast as fflate's. */
export class ArchiveFile implements ZipInputFile {
  readonly filename: string;
  readonly mtime = NO_TIME;
  /** Deflate (APPNOTE, 4.4.5). */
  readonly compression = 8;
  crc = 0;
  size = 0;
  ondata: NonNullable<ZipInputFile['ondata']> = () => undefined;
  #text = '';

  constructor(filename: string) {
    this.filename = filename;
  }

  /** Returns whether a portion was compressed, which takes a while. */
  add(text: string): boolean {
    this.#text += text;
    if (this.#text.length < AT_ONCE) return false;
    this.#compress(false);
    return true;
  }

  end(): void {
    this.#compress(true);
  }

  #compress(isLast: boolean): void {
    const bytes = Buffer.from(this.#text);
    this.#text = '';
    this.crc = crc32(bytes, this.crc);
    this.size += bytes.length;
    if (this.size > LARGEST)
      throw new GatewayError(
        'PayloadTooLarge',
        'The Excel sheet is longer than 4 GiB: narrow it with $select, $filter or $top, or ask for $format=csv.',
      );
    // Flushing to a byte boundary allows portions to be concatenated.
    const finishFlush = isLast ? constants.Z_FINISH : constants.Z_SYNC_FLUSH;
    this.ondata(null, deflateRawSync(bytes, { finishFlush }), isLast);
  }
}
