import type { PagingStrategy } from '../paging-strategy.ts';

/** A list that takes a page size and nothing else: its only further page is a larger one from the beginning. */
export const sizeOnly: PagingStrategy = {
  needs: 'size',

  advance({ size }, { position }) {
    const larger = size?.larger;
    if (larger === undefined || position.kind !== 'first') return undefined;
    return { kind: 'page', position: { kind: 'larger', size: larger } };
  },
};

/** Page sizes that servers usually cap their answers at. A list with so many items may go on. */
const USUAL_CAPS: ReadonlySet<number> = new Set([
  10, 15, 20, 25, 30, 50, 100, 150, 200, 250, 300, 400, 500, 1_000, 2_000, 2_500, 5_000, 10_000,
]);

export function isUsualCap(length: number): boolean {
  return USUAL_CAPS.has(length);
}
