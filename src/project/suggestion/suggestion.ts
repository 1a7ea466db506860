/** Something that an overlay can say to the gateway. */
export interface Suggestion {
  /** A JSON pointer into the document, as the gateway reads it, to what the words stand on. */
  readonly pointer: string;
  /** Of `x-odata`. */
  readonly words: Readonly<Record<string, unknown>>;
  /** Why, or what must be looked at first; empty where the words speak for themselves. */
  readonly note: string;
  /** Whether somebody who knows the API must decide: it is written as a comment. */
  readonly isDoubtful: boolean;
}
