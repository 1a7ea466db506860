import { badResponse } from '../../exchange/upstream-failure.ts';
import { LONGEST, type PagingStrategy } from '../paging-strategy.ts';

/** A cursor in the body or in a header field, for a parameter of the list. */
export const cursor: PagingStrategy = {
  needs: 'cursor',

  read(_, { value, rank }, { signs }) {
    // Beside a page that is declared the last one, a weak word is about that page.
    if (rank === 'weak' && signs.more === false) return undefined;
    if (value.length > LONGEST)
      throw badResponse(`the cursor of the next page has ${value.length} characters`);
    return { kind: 'cursor', value };
  },
};
