import type { Row } from '../../contract/row.ts';
import type { Rows } from '../../contract/rows.ts';
import { mapped, type Pace, rowsAtOnce, type Work } from '../../contract/work.ts';
import type { SystemQueryOptions } from '../tree/options-tree.ts';

/** What `$skip` and `$top` leave of the rows (Part 1, 11.2.6.3 and 11.2.6.4). */
export interface Page {
  readonly skip: number;
  /** Infinity where there is no `$top`. */
  readonly top: number;
}

export function pageOf({ skip = 0, top = Number.POSITIVE_INFINITY }: SystemQueryOptions): Page {
  return { skip, top };
}

/** How many rows must be found before the page is full. */
export function rowsUpTo({ skip, top }: Page): number {
  return top === 0 ? 0 : skip + top;
}

/** The page's part of rows; the same array where that is all of them. */
export function cutPage<Item>(rows: readonly Item[], { skip, top }: Page): readonly Item[] {
  return skip === 0 && rows.length <= top ? rows : rows.slice(skip, skip + top);
}

/** Takes the page's part of rows of which those behind the page need not be made. */
export function* takePage(rows: Rows, page: Page, pace: Pace): Work<readonly Row[]> {
  const end = rowsUpTo(page);
  if (Array.isArray(rows) || end >= rows.length) return cutPage(yield* rowsAtOnce(rows, pace), page);
  const found = yield* mapped(Iterator.from(rows).take(end), pace, (row) => row);
  return found.slice(page.skip);
}
