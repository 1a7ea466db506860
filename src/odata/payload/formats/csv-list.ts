import { writeCsv } from '../csv/write-csv.ts';
import { EXACT_VALUES } from '../negotiation/format.ts';
import { MEDIA_TYPES } from '../negotiation/media-range.ts';
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
