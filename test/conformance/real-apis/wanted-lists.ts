import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';

const FOLDER = join(import.meta.dirname, '../../../../shared/openapi/real');

export const hasRealDocuments = existsSync(FOLDER);

/** A GET that answers with a list of objects, as a program found it that shares nothing with the gateway. */
export interface WantedList {
  readonly path: string;
  /** The paging, by the names of its parameters and properties. */
  readonly paging: string;
  /** The expected table; undefined if the list cannot be one. */
  readonly wanted: string | undefined;
}

/** A document that its authors publish, and its lists. */
export interface RealDocument {
  readonly name: string;
  readonly file: string;
  text(): string;
  readonly lists: readonly WantedList[];
}

/** The documents of the folder, the small ones first. */
export function realDocuments(): readonly RealDocument[] {
  if (!hasRealDocuments) return [];
  const lists = Map.groupBy(readRows(), ([document]) => document);
  return globSync('*.gz', { cwd: FOLDER })
    .map((archive) => ({ archive, bytes: readFileSync(join(FOLDER, archive)) }))
    .sort((a, b) => a.bytes.length - b.bytes.length)
    .map(({ archive, bytes }) => {
      const file = basename(archive, '.gz');
      const name = file.replace(/\.\w+$/, '');
      const rows = lists.get(name) ?? [];
      return {
        name,
        file,
        text: () => gunzipSync(bytes).toString(),
        lists: rows.map(([, path = '', , paging = '', , , wanted]) => ({
          path,
          paging,
          wanted: wanted || undefined,
        })),
      };
    });
}

/** The columns: document, path, array, paging, item path, table today, table wanted. */
function readRows(): readonly (readonly string[])[] {
  const [, ...lines] = readFileSync(join(FOLDER, 'lists.tsv'), 'utf8').trimEnd().split('\n');
  return lines.map((line) => line.split('\t'));
}
