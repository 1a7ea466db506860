import { basename } from 'node:path';
import type { DescriptionTexts } from '../openapi/openapi-description.ts';
import { overlayBeside, readOverlayText } from '../openapi/overlay/overlay-file.ts';
import { decodeText, readBytes } from '../openapi/parse/file-text.ts';

/**
 * The text of a document that is named on the command line, with that of its overlay: the one that is named, else
 * the one beside it. Throws a {@link DocumentMistake} where they cannot be read.
 */
export function readTexts(file: string, overlay?: string): DescriptionTexts {
  const document = decodeText(readBytes(file, 'files and pipes'));
  return {
    document,
    file: basename(file),
    overlay: overlay === undefined ? overlayBeside(file) : readOverlayText(overlay),
  };
}
