import { existsSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { DocumentMistake } from '../parse/document-mistake.ts';
import { decodeText, readBytes } from '../parse/file-text.ts';

/**
 * Returns a function that reads files beside a document, within a folder. Links that lead out of the folder, hidden files
 * and the registry's own files are not read. A document outside of the folder has its own folder in place of it.
 */
export function readerBeside(
  document: string,
  folder: string,
  readText: (file: string) => string = (file) => decodeText(readBytes(file, 'files')),
): (name: string) => string {
  const own = dirname(resolve(document));
  const boundary = isWithin(resolve(folder), own) ? resolve(folder) : own;
  return (name) => {
    const file = join(own, name);
    if (!isWithin(boundary, file)) throw new DocumentMistake('leaves the folder of the project');
    const steps = relative(boundary, file).split(sep);
    const isKept = steps.some((step) => step.startsWith('.')) || /\.registration\.ya?ml$/i.test(file);
    if (isKept) throw new DocumentMistake('is not one of the files that documents may refer to');
    if (!existsSync(file)) {
      try {
        readText(file);
      } catch {
        // A missing file is requested, too, so that it is noticed when it appears.
      }
      throw new DocumentMistake('does not exist');
    }
    if (!isWithin(realpathSync(boundary), realpathSync(file)))
      throw new DocumentMistake('leaves the folder of the project by a link');
    return readText(file);
  };
}

function isWithin(folder: string, file: string): boolean {
  const path = relative(folder, file);
  return path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path);
}
