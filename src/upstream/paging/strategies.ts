import type { Paging } from '../../model/operation.ts';
import type { PagingStrategy } from './paging-strategy.ts';
import { cursor } from './strategies/cursor.ts';
import { lastKey } from './strategies/last-key.ts';
import { linkHeader } from './strategies/link-header.ts';
import { nextUrl } from './strategies/next-url.ts';
import { offset } from './strategies/offset.ts';
import { pageNumber } from './strategies/page-number.ts';
import { sizeOnly } from './strategies/size-only.ts';

/** The kinds of paging, the most reliable first. */
const STRATEGIES: readonly PagingStrategy[] = [
  linkHeader,
  nextUrl,
  cursor,
  lastKey,
  pageNumber,
  offset,
  sizeOnly,
];

/** The kinds that a list has the parameters for. */
export function strategiesOf(paging: Paging): readonly PagingStrategy[] {
  const { size, ways } = paging;
  return STRATEGIES.filter(({ needs }) => {
    if (needs === undefined) return true;
    return needs === 'size' ? size !== undefined : ways.some(({ kind }) => kind === needs);
  });
}
