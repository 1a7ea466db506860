import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { readDescription } from '../openapi/openapi-description.ts';
import { DocumentMistake } from '../openapi/parse/document-mistake.ts';
import { decodeText, readBytes } from '../openapi/parse/file-text.ts';
import { suggestOverlay } from '../project/suggestion/suggest-overlay.ts';
import type { ApiCommand } from './api-options.ts';

type Write = (text: string, output: 'stdout' | 'stderr') => void;

/** Writes the overlay that says what is found in a file; comes back with whether that was possible. */
export function runSuggest(
  { file, output }: Extract<ApiCommand, { kind: 'suggest' }>,
  write: Write,
): boolean {
  try {
    const name = basename(file);
    const document = decodeText(readBytes(file, 'files and pipes'));
    const overlay = suggestOverlay(readDescription({ document, file: name }), name);
    if (output === undefined) write(overlay, 'stdout');
    else writeNew(output, overlay);
    return true;
  } catch (error) {
    if (!(error instanceof DocumentMistake)) throw error;
    write(`${file}: ${error.message}\n`, 'stderr');
    return false;
  }
}

/** What somebody has written is not lost to a suggestion. */
function writeNew(file: string, text: string): void {
  try {
    writeFileSync(file, text, { flag: 'wx' });
  } catch (cause) {
    const isThere = cause instanceof Error && 'code' in cause && cause.code === 'EEXIST';
    const reason = isThere ? 'it is there already' : cause instanceof Error ? cause.message : String(cause);
    throw new DocumentMistake(`${file} cannot be written: ${reason}.`, { cause });
  }
}
