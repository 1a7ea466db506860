import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** What the files of a project held when they were read, as a digest of each. */
export type FileDigests = ReadonlyMap<string, string>;

/** Reads each file once, so that all that is made of it is made of the same bytes. */
export interface ProjectReader {
  /** What the YAML or JSON file says. Throws where it cannot be read or is malformed. */
  readonly read: (file: string) => unknown;
  /** Of every file that was asked for, also of those that could not be read. */
  readonly digests: FileDigests;
}

export function createProjectReader(): ProjectReader {
  const digests = new Map<string, string>();
  const values = new Map<string, unknown>();
  return {
    digests,
    read(file) {
      if (values.has(file)) return values.get(file);
      const text = readText(file, digests);
      // YAML 1.2 covers JSON.
      const value: unknown = parse(text);
      values.set(file, value);
      return value;
    },
  };
}

/** Whether one of the files no longer holds what it held. */
export function haveChanged(digests: FileDigests): boolean {
  const now = new Map<string, string>();
  for (const [file, digest] of digests) {
    try {
      readText(file, now);
    } catch {
      // A file that cannot be read has a digest too.
    }
    if (now.get(file) !== digest) return true;
  }
  return false;
}

function readText(file: string, digests: Map<string, string>): string {
  digests.set(file, UNREADABLE);
  const text = readFileSync(file, 'utf8');
  digests.set(file, hash('sha256', text));
  return text;
}

const UNREADABLE = '';
