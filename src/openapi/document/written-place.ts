import { nodeBelow } from './document-node.ts';

/** A position in the file of a document or of its overlay. */
export interface WrittenPlace {
  /** `document`, `overlay`, or the name of a file that the document refers to. */
  readonly file: string;
  /** A JSON pointer (RFC 6901) into that file. */
  readonly pointer: string;
}

/** Finds the source position of a pointer into the processed document. */
export type PlaceFinder = (pointer: string) => WrittenPlace;

/** For a document without an overlay or conversion. */
export const asWritten: PlaceFinder = (pointer) => ({ file: 'document', pointer });

export function placeBelow({ file, pointer }: WrittenPlace, name: string | number): WrittenPlace {
  return { file, pointer: nodeBelow({ value: undefined, pointer }, String(name), undefined).pointer };
}

/** The position in a report, with the file if it is not the document. */
export function shownPlace({ file, pointer }: WrittenPlace): {
  readonly pointer: string;
  readonly file?: string;
} {
  return file === 'document' ? { pointer } : { pointer, file };
}
