import { nodeBelow } from './document-node.ts';

/** Where something is written that is read of a document: in its own file, or in that of its overlay. */
export interface WrittenPlace {
  readonly file: 'document' | 'overlay';
  /** A JSON pointer (RFC 6901) into that file. */
  readonly pointer: string;
}

/** Finds where it is written what a pointer into the document leads to, as everybody reads that. */
export type PlaceFinder = (pointer: string) => WrittenPlace;

/** Finds places in a document that is read as it is written. */
export const asWritten: PlaceFinder = (pointer) => ({ file: 'document', pointer });

export function placeBelow({ file, pointer }: WrittenPlace, name: string | number): WrittenPlace {
  return { file, pointer: nodeBelow({ value: undefined, pointer }, String(name), undefined).pointer };
}

/** A place as a report has it: the file is named where it is not the document. */
export function shownPlace({ file, pointer }: WrittenPlace): {
  readonly pointer: string;
  readonly file?: 'overlay';
} {
  return file === 'overlay' ? { pointer, file } : { pointer };
}
