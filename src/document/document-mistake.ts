/** A mistake in a file, or in reading one, in words for its author. */
export class DocumentMistake extends Error {}
