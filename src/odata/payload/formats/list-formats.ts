import { writeCollection } from '../json/json.ts';
import { EXACT_VALUES, jsonContentType, MEDIA_TYPES, readJsonFormat } from '../negotiation/format.ts';
import { CSV_LIST } from './csv-list.ts';
import type { ListForm, ListFormat } from './list-format.ts';

/** OData JSON Format 4.01. */
const JSON_LIST: ListFormat = {
  mediaType: MEDIA_TYPES.json,
  formOf(parameters) {
    const values = readJsonFormat(parameters);
    return values && { contentType: (version) => jsonContentType(values, version), values, write };
  },
};

/** Workbooks of Excel (ECMA-376, SpreadsheetML). Their media type has no parameters. */
const XLSX_LIST: ListFormat = {
  mediaType: MEDIA_TYPES.xlsx,
  formOf: (parameters) => (parameters.size === 0 ? FORM : undefined),
};

/** How lists are written, in the order of their media types. */
export const LIST_FORMATS: readonly [ListFormat, ...ListFormat[]] = [JSON_LIST, CSV_LIST, XLSX_LIST];

const write: ListForm['write'] = ({ shape, rows, control }, budget) =>
  budget.run(writeCollection(shape, rows, control, budget));

const FORM: ListForm = {
  contentType: () => MEDIA_TYPES.xlsx,
  values: EXACT_VALUES,
  extension: 'xlsx',
  async write({ shape, rows, name }, budget) {
    const { writeXlsx } = await import('../xlsx/write-xlsx.ts');
    return budget.run(writeXlsx(shape, rows, name, budget));
  },
};
