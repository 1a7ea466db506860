import { type EntityShape, entityWriter } from '../json/json.ts';
import { type JsonFormat, MEDIA_TYPES, readJsonFormat } from '../negotiation/format.ts';
import type { ListForm, ListFormat } from './list-format.ts';
import { linesInPortions, writeLines } from './list-lines.ts';

/** JSON lines: each entity is a JSON object in a line of its own. The media type may have the parameters of JSON. */
function jsonLines(mediaType: ListFormat['mediaType'], extension: string): ListFormat {
  return {
    mediaType,
    formOf(parameters) {
      const values = readJsonFormat(new Map([['metadata', 'none'], ...parameters]));
      return values?.metadata === 'none' ? jsonLinesForm(mediaType, extension, values) : undefined;
    },
  };
}

/** Two names of one format: that of jsonlines.org, and that of ndjson.org. */
export const JSONL_LIST = jsonLines(MEDIA_TYPES.jsonl, 'jsonl');
export const NDJSON_LIST = jsonLines(MEDIA_TYPES.ndjson, 'ndjson');

function jsonLinesForm(mediaType: string, extension: string, values: JsonFormat): ListForm {
  return {
    contentType: () => `${mediaType};charset=utf-8`,
    values,
    extension,
    write: ({ shape, rows }, budget) => budget.run(writeLines(linesOf(shape), rows, budget)),
    portionWriter: (shape) => () => linesInPortions(linesOf(shape)),
    brokenBy: '{',
  };
}

function linesOf(shape: EntityShape) {
  const write = entityWriter(shape);
  return { head: '', lineOf: (row: Parameters<typeof write>[0]) => `${JSON.stringify(write(row))}\n` };
}
