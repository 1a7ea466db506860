import { posix } from 'node:path';
import { isObject } from '../../core/json-object.ts';
import { decodeFragment } from '../document/document-source.ts';

/** A file that a reference leads to. */
export interface ReferredFile {
  /** Its name relative to the folder of the root document, such as `schemas/pet.yaml` or `../common.yaml`. */
  readonly name: string;
  /** The reference relative to that folder. */
  readonly reference: string;
}

/** The file of a reference in another file; undefined for a URL, an absolute path, and a path that no file has. */
export function referredFile(from: string, reference: string): ReferredFile | undefined {
  const [written = '', fragment] = reference.split('#', 2);
  const path = decodeFragment(written);
  if (path === '' || /^[a-z][a-z\d+.-]*:|^\/|[\\?\p{Cc}]/iu.test(path)) return undefined;
  const name = posix.normalize(posix.join(posix.dirname(from), path));
  return { name, reference: fragment === undefined ? name : `${name}#${fragment}` };
}

/** Whether a value is a reference and nothing else. */
export function isPlainReference(value: unknown): value is { readonly $ref: string } {
  return isObject(value) && typeof value['$ref'] === 'string' && Object.keys(value).length === 1;
}
