/** A mistake in a file, or in reading one, in words for its author. */
export class DocumentMistake extends Error {}

/** A text that can be read, but is no OpenAPI document; it may be one of the format's predecessor. */
export class NotOpenApi extends DocumentMistake {
  readonly isSwagger: boolean;

  constructor(message: string, isSwagger = false) {
    super(message);
    this.isSwagger = isSwagger;
  }
}
