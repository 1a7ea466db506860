import { hash } from 'node:crypto';
import { basename } from 'node:path';
import { readerBeside } from './files/folder-files.ts';
import { readReferenced } from './files/referenced-files.ts';
import { type OpenApiDescription, readDescription } from './openapi-description.ts';
import { overlayBeside, overlayFiles } from './overlay/overlay-document.ts';
import { decodeText, readBytes } from './parse/file-text.ts';
import { parseText } from './parse/parse-text.ts';

/** Digests of the content of files when they were read. */
export type FileDigests = ReadonlyMap<string, string>;

/** Reads each file once, so that all results are based on the same bytes. */
export interface FileReader {
  /** Parses a YAML or JSON file. Throws if it cannot be read or is malformed. */
  readonly read: (file: string) => unknown;
  /** Reads an OpenAPI document and its overlay. Throws for other files. */
  readonly readOpenApi: (file: string) => OpenApiDescription;
  /** Reads the text of a file. Throws if it cannot be read. */
  readonly readText: (file: string) => string;
  /** Of all requested files, including missing and unreadable ones. */
  readonly digests: FileDigests;
}

/** `folder` is that of the project: documents may refer to files within it. */
export function createFileReader(folder: string): FileReader {
  const digests = new Map<string, string>();
  const readText = (file: string): string => decodeText(readDigested(file, digests));
  return {
    digests,
    read: once((file) => parseText(readText(file))),
    readOpenApi: once((file) => {
      const document = readText(file);
      for (const each of overlayFiles(file)) digests.set(each, UNREADABLE);
      const referenced = readReferenced(document, basename(file), readerBeside(file, folder, readText));
      return readDescription({ document, file, overlay: overlayBeside(file, readText), referenced });
    }),
    readText: once(readText),
  };
}

/** Whether one of the files has changed. */
export function hasChanged(digests: FileDigests): boolean {
  for (const [file, digest] of digests) if (digestFiles([file]).get(file) !== digest) return true;
  return false;
}

/** The digests of the current content. */
export function digestFiles(files: Iterable<string>): FileDigests {
  const digests = new Map<string, string>();
  for (const file of files) {
    try {
      readDigested(file, digests);
    } catch {
      // Unreadable files have a digest, too.
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

/** Caches the result or error for each file. */
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
