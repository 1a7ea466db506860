/** A mistake in a file, or in reading one, in words for its author. */
export class DocumentMistake extends Error {}

/** A text that can be read, but is no OpenAPI document. */
export class NotOpenApi extends DocumentMistake {}
