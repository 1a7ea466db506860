import { basename } from 'node:path';
import { GatewayError } from '../contract/gateway-error.ts';
import { readDescription } from '../openapi/openapi-description.ts';
import { decodeText, readBytes } from '../openapi/parse/file-text.ts';
import { suggestOverlay } from '../project/suggestion/suggest-overlay.ts';
import type { ApiCommand } from './api-options.ts';
import { type ExitCode, type Io, reportingMistakes } from './command-io.ts';
import { writeNew } from './written-files.ts';

/** Writes the suggested overlay for a file. */
export function runSuggest(
  { file, output }: Extract<ApiCommand, { kind: 'suggest' }>,
  io: Pick<Io, 'write'>,
): Promise<ExitCode> {
  const suggest = (): boolean => {
    const name = basename(file);
    const document = decodeText(readBytes(file, 'files and pipes'));
    const overlay = suggestOverlay(readDescription({ document, file: name }), name);
    if (output === undefined) io.write(overlay, 'stdout');
    // Existing files are never overwritten.
    else if (!writeNew(output, overlay)) {
      throw new GatewayError('Conflict', `${output} cannot be written: it already exists.`);
    }
    return true;
  };
  return reportingMistakes(io, suggest, ({ message }) => `${file}: ${message}\n`);
}
