/** What is said of a collection beside its items. */
export interface CollectionControl {
  /** How many there are on all pages. */
  readonly count?: number | undefined;
  /** The URL of the rest where this is a part (Part 1, 11.2.6.7). */
  readonly nextLink?: string | undefined;
  /** The URL of the changes since this answer (Part 1, 11.3). */
  readonly deltaLink?: string | undefined;
}
