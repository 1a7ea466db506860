import { basename } from 'node:path';
import { GatewayError } from '../contract/gateway-error.ts';
import { readDescription } from '../openapi/openapi-description.ts';
import { DocumentMistake } from '../openapi/parse/document-mistake.ts';
import { decodeText, readBytes } from '../openapi/parse/file-text.ts';
import { suggestOverlay } from '../project/suggestion/suggest-overlay.ts';
import type { ApiCommand } from './api-options.ts';
import { writeNew } from './written-files.ts';

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
    // What somebody has written is not lost to a suggestion.
    else if (!writeNew(output, overlay)) {
      throw new GatewayError('Conflict', `${output} cannot be written: it is there already.`);
    }
    return true;
  } catch (error) {
    if (!(error instanceof DocumentMistake || error instanceof GatewayError)) throw error;
    write(`${file}: ${error.message}\n`, 'stderr');
    return false;
  }
}
