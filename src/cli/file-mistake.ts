/** A mistake in a file, in words for its author. */
export class FileMistake extends Error {}
