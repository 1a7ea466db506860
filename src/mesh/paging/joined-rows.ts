import type { Row } from '../../contract/row.ts';
import type { Rows } from '../../contract/rows.ts';

/** The rows of several pages, one after the other: they are made while somebody goes through them. */
export function joinedRows(pages: readonly Rows[]): Rows {
  const [only, ...others] = pages;
  if (only !== undefined && others.length === 0) return only;
  if (pages.every((page): page is readonly Row[] => Array.isArray(page))) return pages.flat();
  return {
    length: pages.reduce((length, page) => length + page.length, 0),
    *[Symbol.iterator]() {
      for (const page of pages) yield* page;
    },
  };
}
