import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { DocumentMistake } from './document-mistake.ts';

/** The largest public descriptions have some ten megabytes. */
const LARGEST_FILE = 16 * 1024 * 1024;

const CHUNK_SIZE = 256 * 1024;

/** What may be read: whoever waits for a pipe waits for as long as its writer likes. */
export type FileKinds = 'files' | 'files and pipes';

/** A text, and the name that people know its file by. */
export interface NamedText {
  readonly file: string;
  readonly text: string;
}

/** The bytes of a file that may be anything. Throws a {@link DocumentMistake} where it is not read. */
export function readBytes(file: string, kinds: FileKinds): Uint8Array {
  try {
    assertFileKind(file, kinds);
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

/** The text of a file that may be anything, or why there is none. */
export function readText(file: string, kinds: FileKinds): string | DocumentMistake {
  try {
    return decodeText(readBytes(file, kinds));
  } catch (error) {
    if (error instanceof DocumentMistake) return error;
    throw error;
  }
}

/** The text that the bytes are in UTF-8, without a byte order mark. */
export function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new DocumentMistake('The file is not text in UTF-8.');
  }
}

function assertFileKind(file: string, kinds: FileKinds): void {
  const status = statSync(file);
  if (status.isDirectory()) throw new DocumentMistake('It is a directory, not a file.');
  if (kinds === 'files' && !status.isFile())
    throw new DocumentMistake('It is a pipe or a device, not a file.');
}

/** Reads a little more than is allowed at the most: pipes and devices do not tell their size. */
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
  ['ENOENT', 'there is none of that name'],
  ['ENOTDIR', 'there is none of that name'],
  ['EACCES', 'access is denied'],
  ['EPERM', 'access is denied'],
]);
