import { EXACT_VALUES, MEDIA_TYPES } from '../negotiation/format.ts';
import type { ListForm, ListFormat } from './list-format.ts';

/** Excel workbooks (ECMA-376, SpreadsheetML). */
export const XLSX_LIST: ListFormat = {
  mediaType: MEDIA_TYPES.xlsx,
  formOf: (parameters) => (parameters.size === 0 ? FORM : undefined),
};

const FORM: ListForm = {
  contentType: () => MEDIA_TYPES.xlsx,
  values: EXACT_VALUES,
  extension: 'xlsx',
  async write({ shape, rows, name }, budget) {
    const { writeXlsx } = await import('../xlsx/write-xlsx.ts');
    return budget.run(writeXlsx(shape, rows, name, budget));
  },
  // The rows of an open type have columns of their own.
  portionWriter: (shape) =>
    shape.dynamic === true
      ? undefined
      : ({ name, total }) =>
          async function* (portions, budget) {
            const { xlsxInPortions } = await import('../xlsx/write-xlsx.ts');
            yield* xlsxInPortions({ shape, name, total }, portions, budget);
          },
};
