import { writeCollection } from '../json/json.ts';
import { jsonContentType, readJsonFormat } from '../negotiation/format.ts';
import { MEDIA_TYPES } from '../negotiation/media-range.ts';
import type { ListForm, ListFormat } from './list-format.ts';

/** OData JSON Format 4.01. */
export const JSON_LIST: ListFormat = {
  mediaType: MEDIA_TYPES.json,
  formOf(parameters) {
    const values = readJsonFormat(parameters);
    return values && { contentType: (version) => jsonContentType(values, version), values, write };
  },
};

const write: ListForm['write'] = ({ shape, rows, control }, budget) =>
  budget.run(writeCollection(shape, rows, control, budget));
