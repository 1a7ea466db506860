/** How much is read of one list, page by page. */
export interface PageLimits {
  readonly rows: number;
  /** Of all answers together, in bytes. */
  readonly bytes: number;
  /** For all pages together, in milliseconds; looked at between two of them. */
  readonly time: number;
  /** Pages that are asked for at a time, where it is known which there are. */
  readonly atOnce: number;
}

const MEBIBYTE = 1024 * 1024;

export const DEFAULT_PAGE_LIMITS: PageLimits = {
  rows: 1_000_000,
  bytes: 256 * MEBIBYTE,
  time: 60_000,
  atOnce: 4,
};

/** From so many pages on, something is wrong with the upstream. */
export const MOST_PAGES = 10_000;
