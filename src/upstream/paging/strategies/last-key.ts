import { badResponse } from '../../exchange/upstream-failure.ts';
import { countOf } from '../page-signs.ts';
import { LONGEST, type PagingStrategy } from '../paging-strategy.ts';

/** The key of a page's last item. */
export const lastKey: PagingStrategy = {
  needs: 'lastKey',

  read(_, { value, rank }) {
    if (rank === 'weak' || countOf(value) !== undefined) return undefined;
    if (value.length > LONGEST) throw badResponse(`the key of the last item has ${value.length} characters`);
    return { kind: 'lastKey', value };
  },

  advance(_, __, { signs }) {
    if (signs.lastKey === undefined) return undefined;
    return { kind: 'page', position: { kind: 'lastKey', value: signs.lastKey } };
  },
};
