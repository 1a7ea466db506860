import { posix } from 'node:path';
import { DocumentMistake } from '../parse/document-mistake.ts';
import type { NamedText } from '../parse/file-text.ts';
import { type ReferencedFiles, readReferenced } from './referenced-files.ts';

/** The root document of several files, and the files that it refers to, named relative to its folder. */
export interface RootedFiles {
  readonly document: string;
  /** Without the folder. */
  readonly file: string;
  readonly referenced: ReferencedFiles;
}

const ROOT = /^\s*(?:\{\s*)?["']?(?:openapi|swagger)["']?\s*:/m;

/**
 * Finds the document with the version of OpenAPI that lies in the highest folder, and the files that it refers to.
 *
 * Throws a {@link DocumentMistake} unless exactly one document lies there.
 */
export function findRoot(files: readonly NamedText[]): RootedFiles {
  const candidates = files.filter(({ text }) => ROOT.test(text));
  const highest = Math.min(...candidates.map(({ file }) => depthOf(file)));
  const [root, ...others] = candidates.filter(({ file }) => depthOf(file) === highest);
  if (root === undefined) throw new DocumentMistake('None of the files is an OpenAPI document.');
  if (others.length > 0) {
    const names = [root, ...others].map(({ file }) => file).slice(0, 10);
    throw new DocumentMistake(`More than one of the files is an OpenAPI document: ${names.join(', ')}.`);
  }
  const texts = new Map(files.map(({ file, text }) => [file, text]));
  const folder = posix.dirname(root.file);
  const name = posix.basename(root.file);
  const referenced = readReferenced(root.text, name, (file) => {
    const text = texts.get(posix.normalize(posix.join(folder, file)));
    if (text === undefined) throw new DocumentMistake('is not among the files');
    return text;
  });
  return { document: root.text, file: name, referenced };
}

function depthOf(file: string): number {
  return file.split('/').length;
}
