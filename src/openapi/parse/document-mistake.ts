/** A mistake in a file, explained for its author. */
export class DocumentMistake extends Error {}

/** A readable text that is not an OpenAPI document. */
export class NotOpenApi extends DocumentMistake {}
