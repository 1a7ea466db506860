import { allows } from '../../../model/type-use.ts';
import { countOf } from '../page-signs.ts';
import { numberedPosition, type PagingStrategy, parameterOf, sizeFor, stepFrom } from '../paging-strategy.ts';

/** The number of items before the page. */
export const offset: PagingStrategy = {
  needs: 'offset',

  read(_, { value, rank }, { signs }) {
    const number = countOf(value);
    const isOfThisPage = rank === 'weak' && signs.more === false;
    if (number === undefined || isOfThisPage) return undefined;
    return { kind: 'offset', number };
  },

  advance(paging, { position, before }, { length }, { longest }) {
    const way = parameterOf(paging, 'offset');
    if (way === undefined) return undefined;
    const number = position.kind === 'offset' ? position.number : way.first + before;
    // Behind an empty page, the position moves on by a page.
    return numberedPosition(way, number + (length === 0 ? longest : length));
  },

  jump(paging, skip, top) {
    const way = parameterOf(paging, 'offset');
    if (way === undefined || !allows(way.parameter.values, String(way.first + skip))) return undefined;
    return stepFrom({ kind: 'offset', number: way.first + skip }, sizeFor(paging, top), skip, 0);
  },
};
