import { existsSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { DocumentMistake } from '../parse/document-mistake.ts';
import { decodeText, type NamedText, readBytes } from '../parse/file-text.ts';
import { OverlayMistake, unreadableOverlay } from './overlay-mistake.ts';

/**
 * The files beside a document that may be its overlay: `posts.overlay.yaml` for `posts.yaml`, by the convention
 * that the Overlay Specification has for names of files.
 */
export function overlayFiles(document: string): readonly [string, ...string[]] {
  const path = join(dirname(document), basename(document, extname(document)));
  return [`${path}.overlay.yaml`, `${path}.overlay.yml`, `${path}.overlay.json`];
}

/** The file of the overlay that lies beside a document, or of one that would. */
export function overlayFile(document: string): string {
  const files = overlayFiles(document);
  return files.find((file) => existsSync(file)) ?? files[0];
}

/**
 * The overlay that lies beside a document; undefined where there is none. Each of the files that are there is read,
 * whatever comes of it.
 */
export function overlayBeside(
  document: string,
  read: (file: string) => string = readFileText,
): NamedText | undefined {
  const [found, other] = overlayFiles(document)
    .filter((file) => existsSync(file))
    .map((file) => ({ file: basename(file), text: attempt(read, file) }));
  if (found === undefined) return undefined;
  const { file, text } = found;
  if (other !== undefined) {
    const message = `${other.file} lies beside it, and a document has one overlay`;
    throw new OverlayMistake(file, [{ pointer: '', message, line: 0, column: 0 }]);
  }
  if (typeof text !== 'string') throw unreadableOverlay(file, text);
  return { file, text };
}

/** The overlay in a file, which goes by its path. */
export function readOverlayText(file: string): NamedText {
  const text = attempt(readFileText, file);
  if (typeof text !== 'string') throw unreadableOverlay(file, text);
  return { file, text };
}

function readFileText(file: string): string {
  return decodeText(readBytes(file, 'files'));
}

function attempt(read: (file: string) => string, file: string): string | DocumentMistake {
  try {
    return read(file);
  } catch (error) {
    if (error instanceof DocumentMistake) return error;
    throw error;
  }
}
