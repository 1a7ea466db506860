import type { JsonObject } from './member-writer.ts';

/** What is said of a collection beside its items. */
export interface CollectionControl {
  /** The type of all of it, as full metadata has it (JSON Format, 4.5.3). */
  readonly type?: string | undefined;
  /** How many there are on all pages. */
  readonly count?: number | undefined;
  /** The URL of the rest where this is a part (Part 1, 11.2.6.7). */
  readonly nextLink?: string | undefined;
  /** The functions and actions that are bound to it, as full metadata has them (JSON Format, 16 and 17). */
  readonly operations?: JsonObject | undefined;
  /** The URL of the changes since this answer (Part 1, 11.3). */
  readonly deltaLink?: string | undefined;
}
