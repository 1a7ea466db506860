import { allows } from '../../../model/type-use.ts';
import { countOf } from '../page-signs.ts';
import { numberedPosition, type PagingStrategy, parameterOf, sizeFor, stepFrom } from '../paging-strategy.ts';

/** The number of the page. */
export const pageNumber: PagingStrategy = {
  needs: 'page',

  read(_, { value, rank }, { signs }) {
    const number = countOf(value);
    const isOfThisPage = rank === 'weak' && signs.more === false;
    if (number === undefined || isOfThisPage) return undefined;
    return { kind: 'page', number };
  },

  advance(paging, { position }, _, { first }) {
    const way = parameterOf(paging, 'page');
    // Behind a URL, the number of the page is unknown.
    if (way === undefined || (position.kind !== 'page' && position.kind !== 'first')) return undefined;
    return numberedPosition(way, position.kind === 'page' ? position.number + 1 : (first ?? 0) + 1);
  },

  /** Only if the document declares the page size and the number of the first page. */
  jump(paging, skip, top) {
    const way = parameterOf(paging, 'page');
    const size = paging.size?.sure === true ? sizeFor(paging, top) : undefined;
    if (way?.first === undefined || size === undefined) return undefined;
    const pages = Math.floor(skip / size);
    const number = way.first + pages;
    if (pages === 0 || !allows(way.parameter.values, String(number))) return undefined;
    return stepFrom({ kind: 'page', number }, size, pages * size, skip - pages * size);
  },
};
