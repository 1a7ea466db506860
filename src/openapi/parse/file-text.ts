import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { DocumentMistake } from './document-mistake.ts';

/** The largest public descriptions have about ten megabytes. */
const LARGEST_FILE = 16 * 1024 * 1024;

const CHUNK_SIZE = 256 * 1024;

/** The kinds of files to read; reading a pipe may block indefinitely. */
export type FileKinds = 'files' | 'files and pipes';

/** A text and the display name of its file. */
export interface NamedText {
  readonly file: string;
  readonly text: string;
}

/** The bytes of an arbitrary file. Throws {@link DocumentMistake}. */
export function readBytes(file: string, kinds: FileKinds): Uint8Array {
  try {
    const status = statSync(file);
    if (status.isDirectory()) throw new DocumentMistake('It is a directory, not a file.');
    if (kinds === 'files' && !status.isFile())
      throw new DocumentMistake('It is a pipe or a device, not a file.');
    const descriptor = openSync(file, 'r');
    try {
      return readAll(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    throw error instanceof DocumentMistake ? error : unreadable(error);
  }
}

/** The text of an arbitrary file, or the mistake. */
export function readText(file: string, kinds: FileKinds): string | DocumentMistake {
  try {
    return decodeText(readBytes(file, kinds));
  } catch (error) {
    if (error instanceof DocumentMistake) return error;
    throw error;
  }
}

/** The UTF-8 text without a byte order mark. */
export function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new DocumentMistake('The file is not text in UTF-8.');
  }
}

/** Reads at most slightly more than the limit, because pipes and devices have no size. */
function readAll(descriptor: number): Uint8Array {
  if (fstatSync(descriptor).size > LARGEST_FILE) throw tooLarge();
  const chunks: Uint8Array[] = [];
  for (let size = 0; size <= LARGEST_FILE; ) {
    const chunk = Buffer.allocUnsafe(CHUNK_SIZE);
    const length = readSync(descriptor, chunk);
    if (length === 0) return Buffer.concat(chunks);
    chunks.push(chunk.subarray(0, length));
    size += length;
  }
  throw tooLarge();
}

function tooLarge(): DocumentMistake {
  return new DocumentMistake(`The file is larger than ${LARGEST_FILE / 1024 / 1024} MB.`);
}

function unreadable(error: unknown): DocumentMistake {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reason = REASONS.get(code) ?? (error instanceof Error ? error.message : String(error));
  return new DocumentMistake(`The file cannot be read: ${reason}.`, { cause: error });
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'there is no file of that name'],
  ['ENOTDIR', 'there is no file of that name'],
  ['EACCES', 'access is denied'],
  ['EPERM', 'access is denied'],
]);
