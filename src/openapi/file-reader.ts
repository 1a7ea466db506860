import { hash } from 'node:crypto';
import { type OpenApiDescription, readDescription } from './openapi-description.ts';
import { overlayBeside, overlayFiles } from './overlay/overlay-document.ts';
import { decodeText, readBytes } from './parse/file-text.ts';
import { parseText } from './parse/parse-text.ts';

/** What files held when they were read, as a digest of each. */
export type FileDigests = ReadonlyMap<string, string>;

/** Reads each file once, so that all that is made of it is made of the same bytes. */
export interface FileReader {
  /** What the YAML or JSON file says. Throws where it cannot be read or is malformed. */
  readonly read: (file: string) => unknown;
  /** The OpenAPI document that the file is, with the overlay beside it. Throws where it is none. */
  readonly readOpenApi: (file: string) => OpenApiDescription;
  /** The text of the file, which may be any. Throws where it cannot be read. */
  readonly readText: (file: string) => string;
  /** Of every file that was asked for, also of those that are not there or could not be read. */
  readonly digests: FileDigests;
}

export function createFileReader(): FileReader {
  const digests = new Map<string, string>();
  const readText = (file: string): string => decodeText(readDigested(file, digests));
  return {
    digests,
    read: once((file) => parseText(readText(file))),
    readOpenApi: once((file) => {
      const document = readText(file);
      for (const each of overlayFiles(file)) digests.set(each, UNREADABLE);
      return readDescription({ document, file, overlay: overlayBeside(file, readText) });
    }),
    readText: once(readText),
  };
}

/** Whether one of the files no longer holds what it held. */
export function haveChanged(digests: FileDigests): boolean {
  for (const [file, digest] of digests) if (digestFiles([file]).get(file) !== digest) return true;
  return false;
}

/** What the files hold now. */
export function digestFiles(files: Iterable<string>): FileDigests {
  const digests = new Map<string, string>();
  for (const file of files) {
    try {
      readDigested(file, digests);
    } catch {
      // A file that cannot be read has a digest too.
    }
  }
  return digests;
}

function readDigested(file: string, digests: Map<string, string>): Uint8Array {
  digests.set(file, UNREADABLE);
  const bytes = readBytes(file, 'files');
  digests.set(file, hash('sha256', bytes));
  return bytes;
}

const UNREADABLE = '';

/** Remembers what has been read of each file, and what was wrong with it. */
function once<Value>(read: (file: string) => Value): (file: string) => Value {
  const readings = new Map<string, () => Value>();
  return (file) => {
    const reading = readings.get(file) ?? remember(() => read(file));
    readings.set(file, reading);
    return reading();
  };
}

function remember<Value>(read: () => Value): () => Value {
  try {
    const value = read();
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
