import { isObject } from '../../core/json-object.ts';
import { DocumentMistake } from '../parse/document-mistake.ts';
import type { NamedText } from '../parse/file-text.ts';
import { parseText } from '../parse/parse-text.ts';
import { referredFile } from './referred-file.ts';

/** The files that a document refers to, directly or through each other. */
export interface ReferencedFiles {
  /** Named relative to the folder of the document. */
  readonly files: readonly NamedText[];
  /** The reasons why other files are not read, by their names. */
  readonly unread: ReadonlyMap<string, string>;
}

/** A reference that does not begin with `#`. Documents without one are not parsed. */
const EXTERNAL = /\$ref["']?\s*:\s*["']?[^#"'\s]/;

const MOST_FILES = 500;

/** In characters, for all files together. */
const MOST_CHARACTERS = 16 * 1024 * 1024;

/**
 * Reads the files that a document refers to; `name` is that of its own file. `read` returns the text of a file, or
 * throws a {@link DocumentMistake} with the reason why it is not read.
 */
export function readReferenced(
  document: string,
  name: string,
  read: (file: string) => string,
): ReferencedFiles {
  const reading = new Reading(document, name);
  for (let next = reading.next(); next !== undefined; next = reading.next()) {
    try {
      reading.add(next, read(next));
    } catch (error) {
      reading.omit(next, error);
    }
  }
  return reading.result();
}

/** The same for files that take time to read. */
export async function fetchReferenced(
  document: string,
  name: string,
  fetch: (file: string) => Promise<string>,
): Promise<ReferencedFiles> {
  const reading = new Reading(document, name);
  for (let next = reading.next(); next !== undefined; next = reading.next()) {
    try {
      reading.add(next, await fetch(next));
    } catch (error) {
      reading.omit(next, error);
    }
  }
  return reading.result();
}

/** The state of reading files one after the other. */
class Reading {
  readonly #files: NamedText[] = [];
  readonly #unread = new Map<string, string>();
  readonly #known: Set<string>;
  readonly #waiting: string[] = [];
  #characters = 0;

  constructor(document: string, name: string) {
    this.#known = new Set([name]);
    const references = EXTERNAL.test(document) ? tryReferences(document, name) : undefined;
    for (const each of references ?? []) this.#waiting.push(each);
  }

  result(): ReferencedFiles {
    return { files: this.#files, unread: this.#unread };
  }

  next(): string | undefined {
    for (let name = this.#waiting.pop(); name !== undefined; name = this.#waiting.pop()) {
      if (this.#known.has(name)) continue;
      this.#known.add(name);
      if (!/\.(?:ya?ml|json)$/i.test(name)) this.#unread.set(name, 'is no YAML or JSON file');
      else if (this.#files.length >= MOST_FILES)
        this.#unread.set(name, `is one of more than ${MOST_FILES} files`);
      else return name;
    }
    return undefined;
  }

  add(name: string, text: string): void {
    this.#characters += text.length;
    if (this.#characters > MOST_CHARACTERS) {
      this.#unread.set(name, `makes the files larger than ${MOST_CHARACTERS / 1024 / 1024} MB together`);
      return;
    }
    const references = tryReferences(text, name);
    if (references === undefined) this.#unread.set(name, 'is neither YAML nor JSON');
    else {
      this.#files.push({ file: name, text });
      // One by one: arguments of a call are limited in number.
      for (const each of references) this.#waiting.push(each);
    }
  }

  /** Throws errors that are not about the file. */
  omit(name: string, error: unknown): void {
    if (!(error instanceof DocumentMistake)) throw error;
    this.#unread.set(name, error.message);
  }
}

/** The names of the files that a text refers to; undefined for a malformed text. */
function tryReferences(text: string, name: string): readonly string[] | undefined {
  let value: unknown;
  try {
    value = parseText(text);
  } catch (error) {
    if (error instanceof DocumentMistake) return undefined;
    throw error;
  }
  const found = new Set<string>();
  const seen = new Set<unknown>();
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const at = waiting.pop();
    if (typeof at !== 'object' || at === null || seen.has(at)) continue;
    seen.add(at);
    if (isObject(at)) {
      const { $ref: reference, mapping } = at;
      const mapped = isObject(mapping)
        ? Object.values(mapping).filter((each) => /[./]/.test(String(each)))
        : [];
      for (const each of [reference, ...mapped]) {
        const file = typeof each === 'string' && !each.startsWith('#') ? referredFile(name, each) : undefined;
        if (file !== undefined && (each === reference || /\.(?:ya?ml|json)$/i.test(file.name)))
          found.add(file.name);
      }
    }
    for (const each of Object.values(at)) waiting.push(each);
  }
  return [...found];
}
