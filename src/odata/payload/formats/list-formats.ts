import { CSV_LIST } from './csv-list.ts';
import { JSON_LIST } from './json-list.ts';
import type { ListFormat } from './list-format.ts';
import { XLSX_LIST } from './xlsx-list.ts';

/** How lists are written, in the order of their media types. */
export const LIST_FORMATS: readonly [ListFormat, ...ListFormat[]] = [JSON_LIST, CSV_LIST, XLSX_LIST];
